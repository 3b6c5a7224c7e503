import { keyOf, patchStatus, referenceOf, statusPatch, type KubernetesClient, type Requeue } from '../../runtime/index.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Context } from '../process/context.ts';
import type { Situation } from '../situation/situation.ts';
import { objectAfter } from '../step/outcome.ts';
import type { Conclusion } from './conclude.ts';
import type { Report } from './events.ts';
import { statusLoopOf, statusUndoneForMs } from './slowed-down.ts';
import type { Visit } from './visit.ts';

type Dependencies = Pick<Context, 'caches' | 'memory' | 'loops' | 'events' | 'log' | 'shard'> & {
  readonly kubernetes: Pick<KubernetesClient, 'patch'>;
};

/**
 * @returns the time of the next visit
 * @throws {KubernetesError} when the status cannot be written
 */
export async function publish<S extends Situation>(
  { kind, situation, outcome }: Visit<S>,
  { status, seen, transitions, memory, next }: Conclusion,
  context: Dependencies,
): Promise<Requeue> {
  const { object } = situation;
  Object.assign(context.memory.of(object.kind, keyOf(object)), memory);
  for (const each of seen) tell(each, object, context);
  const before = objectAfter(outcome) ?? object;
  const difference = status && statusPatch(before, status);
  if (status && difference) {
    const loop = statusLoopOf(situation, status);
    const undoneForMs = statusUndoneForMs(loop, object, context);
    if (undoneForMs > 0) return next === 'forget' || undoneForMs >= next.afterMs ? next : { afterMs: undoneForMs };
    // Another process may have got the object.
    await patchStatus(context.kubernetes, kind.type, before, difference, context.caches.of(kind.type.kind), context.shard !== undefined);
    context.loops.record(...loop);
  }
  context.memory.of(object.kind, keyOf(object)).failingSince = undefined;
  for (const each of transitions) tell(each, object, context);
  return next;
}

function tell({ event, log: line }: Report, object: ManagedObject, { events, log }: Dependencies): void {
  if (line) log[line.level]({ object: referenceOf(object), ...line.fields }, line.message);
  if (event) events.record(object, event);
}
