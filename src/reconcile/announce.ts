import { annotations } from '../resources/annotations.ts';
import { keyOf } from '../runtime/kubernetes-object.ts';
import type { Context } from './context.ts';
import { ownerText } from './connection/store.ts';
import type { Situation } from './situation.ts';
import type { Step } from './step.ts';

/** One event and one log line for each transition: what `kubectl describe` and the log tell of an object's life. */
export function announce(situation: Situation, step: Step, context: Context): void {
  const { object: before } = situation;
  const { events, log } = context;
  tellOfUselessAdoption(situation, context);
  if (step.type === 'write' || step.type === 'keep' || step.type === 'release') return;
  const reason = step.type === 'suspended' ? 'Suspended' : step.reason;
  const ready = before.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.reason === reason && ready.message === step.message) return;
  log.info({ object: `${before.metadata.namespace}/${ownerText(before)}`, reason }, step.message);
  if (ready?.reason === reason) return;
  events.record(before, { type: step.type === 'stall' ? 'Warning' : 'Normal', reason, message: step.message });
}

/** A claimed object keeps its resource, whatever the annotation says later; that is told once. */
function tellOfUselessAdoption({ object, identity }: Situation, { events, memory }: Context): void {
  const wanted = object.metadata.annotations?.[annotations.externalId];
  if (identity.state !== 'known' || wanted === undefined || wanted === identity.id) return;
  const known = memory.of(object.kind, keyOf(object));
  if (known.uselessAdoption === wanted) return;
  known.uselessAdoption = wanted;
  const message = `managed-db.io/external-id ${wanted} has no effect: this object has ${identity.id}; to take over the other, create another object`;
  events.record(object, { type: 'Warning', reason: 'AdoptionFailed', message });
}
