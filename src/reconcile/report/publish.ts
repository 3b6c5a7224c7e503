import {
  keyOf,
  patchStatus,
  referenceOf,
  statusPatch,
  unlessNotFound,
  type Requeue,
  objectReference,
  type ResourceKey,
} from '../../runtime/index.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Context } from '../wiring/context.ts';
import type { Observation, Sources } from '../observe/sources.ts';
import type { Situation } from '../situation/situation.ts';
import { objectAfter } from '../step/outcome.ts';
import type { Conclusion } from './conclude.ts';
import type { Report } from './events.ts';
import type { Visit } from './visit.ts';
import type { ListPoller } from '../../cloud/list-poller.ts';
import { orEmpty } from '../wiring/memory.ts';

/** A visit with the live sources of its observation, which only `publish` and the subscriptions use. */
export interface MadeVisit<S extends Situation> extends Visit<S> {
  readonly sources: Sources;
}

/**
 * @returns the time of the next visit
 * @throws {KubernetesError} when the status cannot be written
 */
export async function publish<S extends Situation>(
  { kind, situation, step, outcome }: Visit<S>,
  { status, seen, transitions, memory, next }: Conclusion,
  context: Context,
): Promise<Requeue> {
  const { object } = situation;
  Object.assign(context.memory.of(object.kind, keyOf(object)), memory);
  for (const each of seen) tell(each, object, context);
  const before = objectAfter(outcome) ?? object;
  const difference = status && statusPatch(before, status);
  if (difference) {
    const isReleased = step.type === 'release';
    // Another process may have got the object. No process reconciles a released object, which may be gone.
    const isLocked = context.shard !== undefined && !isReleased;
    const written = patchStatus(context.kubernetes, kind.type, {
      object: before,
      difference,
      cache: context.caches.of(kind.type.kind),
      isShared: isLocked,
    });
    await (isReleased ? unlessNotFound(written) : written);
  }
  context.memory.of(object.kind, keyOf(object)).failingSince = undefined;
  for (const each of transitions) tell(each, object, context);
  return next;
}

function tell({ event, log: line }: Report, object: ManagedObject, { events, log }: Context): void {
  if (line) log[line.level]({ object: referenceOf(object), ...line.fields }, line.message);
  if (event) events.record(object, event);
}

/** Takes in an observation: its additions to memory, and its list subscriptions. A change in these lists wakes the object. */
export function learn(
  { facts, sources }: Observation,
  { accounts, subscriptions, memory }: Context,
): void {
  const { object, account, record, cloud } = facts;
  // A list below a parent ends with the parent.
  const isOver = ({ isPlaceDenied }: ListPoller<unknown>) =>
    cloud.state === 'absent' && isPlaceDenied;
  const [list, progress] = [sources.list, sources.progressList].map((each) =>
    each && isOver(each) ? undefined : each,
  );
  const user = referenceOf(object);
  const { firstSeen, ...learned } = facts.learned;
  Object.assign(memory.of(object.kind, keyOf(object)), learned, { firstSeen: orEmpty(firstSeen) });
  // The subscriptions of an unreachable key stay, since it may be reachable soon.
  if (account.state === 'unavailable') return;
  if (account.state === 'notAsked' || account.state === 'missing') accounts.forget(user);
  if (account.state !== 'usable') {
    subscriptions.follow(user, []);
    return;
  }
  subscriptions.follow(user, [
    ...(list ? [{ list, ids: record.id === undefined ? [] : [record.id] }] : []),
    ...(progress && progress !== list ? [{ list: progress, ids: 'all' as const }] : []),
    ...sources.alsoRead,
  ]);
}

/** Has the list with the present work of the cloud polled faster. `asBefore` changes nothing. */
export function follow(
  work: Conclusion['work'],
  { situation: { object }, sources: { progressList: list } }: MadeVisit<Situation>,
  { subscriptions }: Pick<Context, 'subscriptions'>,
): void {
  if (work === 'asBefore') return;
  const watched = work && list && { ...work, list };
  subscriptions.trackProgress(objectReference(object.kind, keyOf(object)), watched);
}

/** Notes that a visit failed. Returns the policy time of the first visit in the present row of failed visits. */
export function failingSince(
  kind: string,
  key: ResourceKey,
  { memory, clock }: Pick<Context, 'memory' | 'clock'>,
): number {
  const known = memory.of(kind, key);
  known.failingSince ??= clock.now();
  return known.failingSince;
}

/** Forgets an object as a restart of the process does: requests that were sent count as requests without an answer. */
export function restart(
  kind: string,
  key: ResourceKey,
  { memory, clock }: Pick<Context, 'memory' | 'clock'>,
): void {
  memory.restart(kind, key, clock.now());
}

type Forgetting = Pick<Context, 'memory' | 'evidence' | 'loops'> & {
  readonly accounts: Pick<Context['accounts'], 'forget'>;
  readonly subscriptions: Pick<Context['subscriptions'], 'forget'>;
};

/** Drops memory, evidence and subscriptions of an object that is gone, or is another process's. */
export function forget(
  kind: string,
  key: ResourceKey,
  { accounts, subscriptions, memory, evidence, loops }: Forgetting,
): Requeue {
  const user = objectReference(kind, key);
  accounts.forget(user);
  subscriptions.forget(user);
  memory.forget(kind, key);
  evidence.forget(kind, key);
  loops.forget(user);
  return 'forget';
}
