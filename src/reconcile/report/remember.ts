import type { ListPoller } from '../../cloud/list-poller.ts';
import { keyOf, objectReference, referenceOf, type Requeue, type ResourceKey } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import type { WatchedProgress } from '../process/list-subscriptions.ts';
import { empty, orEmpty, type ObjectMemory } from '../process/memory.ts';
import type { Identity, Situation } from '../situation/situation.ts';
import { dependentsIn } from '../situation/neighbours.ts';
import { retryDelayMs } from '../step/intervals.ts';
import { acceptedAt } from '../step/outcome.ts';
import { refusalKey } from '../step/refusal.ts';
import type { Step } from '../step/step.ts';
import { pauseAfter } from './refused.ts';
import { countAsDone, statusLoop } from './slowed-down.ts';
import { hasNothingToReport, isOver } from './report.ts';
import { rememberWork } from './delayed-report.ts';
import { hasFailed, type Visit } from './visit.ts';

type Dependencies = Pick<Context, 'memory' | 'loops' | 'subscriptions' | 'clock' | 'random'>;

/** Takes in the result of an observation: its additions to memory, and its list subscriptions. A change in these lists wakes the object. */
export function learn(situation: Situation, { accounts, subscriptions, memory }: Context): void {
  const { object, account, identity, list, progressList, alsoRead } = situation;
  const user = referenceOf(object);
  const { firstSeen, ...learned } = situation.learned;
  Object.assign(memory.of(object.kind, keyOf(object)), learned, { firstSeen: orEmpty(firstSeen) });
  // The subscriptions of a key that is unreachable now stay, since it may be reachable soon.
  if (account.state === 'unavailable') return;
  if (account.state === 'notAsked' || account.state === 'missing') accounts.forget(user);
  if (account.state !== 'usable') {
    subscriptions.follow(user, []);
    return;
  }
  subscriptions.follow(user, [
    ...(list ? [{ list, ids: identity.state === 'known' ? [identity.id] : [] }] : []),
    ...(progressList && progressList !== list ? [{ list: progressList, ids: 'all' as const }] : []),
    ...(alsoRead ? [alsoRead] : []),
    ...dependentsIn(situation).map((dependent) => ({ list: dependent.list, ids: [dependent.id] })),
  ]);
}

/** Updates the memory after a visit: carried out, accepted and refused changes, failures, and the cloud's work. */
export function remember<S extends Situation>(visit: Visit<S>, context: Dependencies): void {
  const { situation, step } = visit;
  const { object, identity, progressList } = situation;
  const memory = context.memory.of(object.kind, keyOf(object));
  countAsDone(visit, context);
  rememberAnswer(visit, memory, context);
  if (!hasNothingToReport(visit)) rememberWork(visit, memory);
  memory.work = visit.work;
  memory.failures = hasFailed(visit) ? memory.failures + 1 : 0;
  const work = progressToWatch(step, progressList, identity);
  if (work !== 'asBefore') context.subscriptions.trackProgress(objectReference(object.kind, keyOf(object)), work);
}

function rememberAnswer<S extends Situation>(visit: Visit<S>, memory: ObjectMemory, context: Dependencies): void {
  const { situation, step, outcome } = visit;
  const { object, now, cloud } = situation;
  if (step.type === 'done') memory.removals = empty;
  if (isOver(situation, step)) memory.accepted = undefined;
  if (cloud.state === 'present' && cloud.asOf >= (memory.unclearAt ?? Infinity)) memory.unclearAt = undefined; // an observation came later
  if (outcome.type === 'done' && outcome.accepted) {
    memory.accepted = acceptedAt(outcome.accepted, object, now);
    if (outcome.accepted.operation === 'deletePeering') memory.removals = new Map(memory.removals).set(outcome.accepted.wanted, now);
  }
  const answeredAt = context.clock.now();
  const error = outcome.type === 'failed' && step.type !== 'keep' ? outcome.error : undefined;
  if (error?.changedNothing === false || error?.kind === 'conflict') memory.unclearAt = answeredAt;
  memory.refusals = orEmpty(refusalsAfter(visit, memory.refusals, answeredAt, context.random));
}

/** The refused changes of this generation. */
function refusalsAfter<S extends Situation>(
  visit: Visit<S>,
  before: ObjectMemory['refusals'],
  answeredAt: number,
  random: Context['random'],
): ObjectMemory['refusals'] {
  const { situation, step, outcome } = visit;
  const { generation } = situation.object.metadata;
  const refusals = new Map([...before].filter(([, refusal]) => refusal.generation === generation));
  if (outcome.type === 'done' && outcome.accepted) refusals.delete(refusalKey(outcome.accepted.operation, outcome.accepted.wanted));
  if (!('change' in outcome) || !outcome.change) return refusals;
  const key = refusalKey(outcome.change.operation, outcome.change.wanted);
  const times = (refusals.get(key)?.times ?? 0) + 1;
  const pause = pauseAfter(visit, retryDelayMs(times, random()));
  if (!pause) return refusals;
  return refusals.set(key, { generation, again: answeredAt + pause.forMs, times, step });
}

/** The cloud's work after this step; `asBefore` if the step learned nothing, or if another visit follows at once. */
export function progressToWatch(
  step: Step,
  list: ListPoller<unknown> | undefined,
  identity: Identity,
): WatchedProgress | 'asBefore' | undefined {
  if (step.type === 'keep' || step.type === 'call' || step.type === 'write') return 'asBefore';
  if (step.type !== 'wait' || step.inProgressSince === undefined || !list || identity.state !== 'known') return undefined;
  return { list, id: identity.id, since: step.inProgressSince };
}

type Forgetting = Pick<Context, 'memory' | 'loops'> & {
  readonly accounts: Pick<Context['accounts'], 'forget'>;
  readonly subscriptions: Pick<Context['subscriptions'], 'forget'>;
};

/** Drops all memory and subscriptions of an object that is gone, or is another process's. */
export function forget(kind: string, key: ResourceKey, { accounts, subscriptions, memory, loops }: Forgetting): Requeue {
  const user = objectReference(kind, key);
  accounts.forget(user);
  subscriptions.forget(user);
  memory.forget(kind, key);
  loops.forget(user);
  loops.forget(statusLoop(user));
  return 'forget';
}
