import { asksPerson, syncedOf } from '../../resources/condition.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { unreadableCloud } from '../decide/unreadable-cloud.ts';
import type { Remembered } from '../process/memory.ts';
import type { Situation } from '../situation/situation.ts';
import { stateSince } from '../situation/last-operation.ts';
import { cutToFit } from '../step/short-message.ts';
import type { Step, WaitOrStall } from '../step/step.ts';
import type { Visit } from './visit.ts';

/** Time for which a problem is not reported, since it may pass. */
export const patienceMs = 30_000;
/** The same for an object whose present spec has no status yet: a user waits for it. */
const editPatienceMs = 4_000;
/** Work of the cloud that shows no new state for so long may never end. */
export const longWorkMs = 600_000;
/** A state of the cloud that ends sooner is not reported. Longer than the time until the first poll shows the next state. */
const briefMs = 1_500;

type Ended<S extends Situation> = Pick<Visit<S>, 'situation' | 'step' | 'outcome' | 'memory' | 'endedAt'>;

/** Undefined after a visit that learned something and could write. */
export function waitingSinceAfter<S extends Situation>(visit: Ended<S>): number | undefined {
  const { step, outcome, memory } = visit;
  if (step.type !== 'keep') return undefined;
  const { object, now, list, progressList } = visit.situation;
  const failingSince = outcome.type === 'nothing' ? (progressList?.failingSince ?? list?.failingSince) : undefined;
  return memory.waitingSince ?? (wasSynced(object) ? now : Math.min(now, failingSince ?? now));
}

/**
 * The step for status. A visit that learned nothing, or could not write, leaves the status unchanged for a
 * while; if that lasts, the status has the reason. A Ready object that cannot be read stays Ready, since no
 * change is known. Pure.
 */
export function stepToReport<S extends Situation>(visit: Ended<S>, waitingSince: number | undefined): Step {
  const { step, situation } = visit;
  const lasting = lastingTrouble(visit, waitingSince);
  if (lasting) return lasting.type === 'wait' && stillAsks(situation.object) ? step : lasting;
  return progressUnread(visit) ?? withPatience(step, situation);
}

/** The trouble that has lasted long enough to be reported. The end of the visit counts: it may have waited long for an answer. */
export function lastingTrouble<S extends Situation>(visit: Ended<S>, waitingSince: number | undefined): WaitOrStall | undefined {
  const { situation, step, outcome, endedAt } = visit;
  const isWriteLost = outcome.type === 'writeFailed' || outcome.type === 'conflict';
  if (step.type !== 'keep' || waitingSince === undefined || endedAt - waitingSince < patienceFor(situation.object)) return undefined;
  return isWriteLost || !wasSynced(situation.object) ? step.delayedReport : undefined;
}

export function patienceFor({ metadata, status }: ManagedObject): number {
  return status?.observedGeneration === metadata.generation ? patienceMs : editPatienceMs;
}

function progressUnread<S extends Situation>({ step, situation, endedAt }: Ended<S>): WaitOrStall | undefined {
  const { progressList: list } = situation;
  if (step.type !== 'wait' || step.inProgressSince === undefined || !list?.failure || !list.latest) return undefined;
  return endedAt - list.latest.begunAt >= patienceMs ? unreadableCloud(situation, list.failure).delayedReport : undefined;
}

/**
 * Reports the cloud's work that shows no new state for long: since when, and the possible action of a person.
 * Frequent polls end: the lists that the object follows anyway show the end of the work.
 */
function withPatience(step: Step, situation: Situation): Step {
  const { identity, now } = situation;
  if (step.type !== 'wait' || step.inProgressSince === undefined) return step;
  const since = Math.max(stateSince(situation), situation.lastOperation?.at ?? 0);
  if (now - since < longWorkMs) return step;
  const { inProgressSince: _polled, message, ...rest } = step;
  const id = identity.state === 'known' ? ` with the id ${identity.id}` : '';
  const advice = `; no new state since ${new Date(since).toISOString()}: ask the cloud's support${id}`;
  return { ...rest, message: cutToFit(message, advice) + advice };
}

/** Milliseconds for which the cloud's work is not reported yet. Its end is often known by then, and the same status reports both. */
export function unreportedForMs(
  { now }: Pick<Situation, 'now'>,
  { unreportedSince }: Pick<Remembered, 'unreportedSince'>,
): number | undefined {
  const inMs = unreportedSince === undefined ? 0 : unreportedSince + briefMs - now;
  return inMs > 0 ? inMs : undefined;
}

/** Whether status says that this generation of the spec is applied, and the object is not being deleted. */
export function wasSynced(object: ManagedObject): boolean {
  const synced = syncedOf(object);
  return synced?.status === 'True' && synced.observedGeneration === object.metadata.generation && !object.metadata.deletionTimestamp;
}

/**
 * Whether status asks a person to act, and the spec is unchanged since. A suspended object does not advance the
 * generation in its status.
 */
export function stillAsks(object: ManagedObject): boolean {
  const isOfThisSpec = object.spec.suspend === true || syncedOf(object)?.observedGeneration === object.metadata.generation;
  return asksPerson(object) && isOfThisSpec;
}
