import { keyOf } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import type { ObjectMemory } from '../process/memory.ts';
import type { Outcome } from '../step/outcome.ts';
import { unreadableCloud } from '../decide/unreadable-cloud.ts';
import { dependentsIn } from '../situation/neighbours.ts';
import { describeCloudError } from '../step/error-policy.ts';
import type { Situation } from '../situation/situation.ts';
import type { Step, WaitOrStall } from '../step/step.ts';
import type { Visit } from './visit.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { readyOf, asksPerson } from '../../resources/condition.ts';

/** Time for which a problem is not reported, since it may pass. */
export const patienceMs = 30_000;

/**
 * Leaves the status unchanged for a while after a visit that learned nothing, or could not write. If that lasts, the status reports the reason. A Ready
 * object that only cannot be read stays Ready, since no change is known. A status that asks a person for something stays, too, since nobody knows whether that
 * is done: what is waited for is added.
 */
export function delayReport<S extends Situation>(visit: Visit<S>, { memory, clock }: Pick<Context, 'memory' | 'clock'>): Visit<S> {
  const { situation, step, outcome } = visit;
  const { object, now: begunAt } = situation;
  const unread = progressUnread(step, situation);
  const failingSince = outcome.type === 'nothing' ? (situation.progressList?.failingSince ?? situation.list?.failingSince) : undefined;
  const end = { step, outcome: outcome.type, isReady: wasReady(object), unread, failingSince };
  // The end of the visit counts, since a visit may have waited long for an answer.
  const reported = stepToReport(end, memory.of(object.kind, keyOf(object)), begunAt, clock.now());
  if (step.type === 'keep' && reported.type === 'wait' && stillAsks(object)) return { ...visit, step: { ...step, isDue: true } };
  return { ...visit, step: reported === step && outcome.type === 'nothing' ? withAge(step, situation, clock.now()) : reported };
}

/** A state of the cloud that ends sooner is not reported; the next state is. Longer than the time until the first poll shows the next state. */
const briefMs = 1_500;

/** Remembers since when the cloud works unreported. A visit without a report changes nothing. */
export function rememberWork({ situation: { now }, step, outcome }: Seen, memory: ObjectMemory): void {
  const isWork = isDeletion(step, outcome) || (step.type === 'wait' && step.inProgressSince !== undefined);
  memory.unreportedSince = isWork ? (memory.unreportedSince ?? now) : undefined;
}

/**
 * Milliseconds for which the cloud's work is not reported yet; undefined when it must be. Its end is often known by then, and one status reports both.
 * Counted from the first observation by this process, since other clocks and processes may be wrong about the begin.
 */
export function unreportedForMs({ situation: { now } }: Pick<Seen, 'situation'>, { unreportedSince }: ObjectMemory): number | undefined {
  const inMs = unreportedSince === undefined ? 0 : unreportedSince + briefMs - now;
  return inMs > 0 ? inMs : undefined;
}

interface Seen extends Pick<Visit<Situation>, 'step' | 'outcome'> {
  readonly situation: Pick<Situation, 'now'>;
}

/** A deletion is recorded before it is requested. Any other accepted change is known only from status, so its status must be written. */
function isDeletion(step: Step, outcome: Outcome): boolean {
  return step.type === 'call' && step.action.type === 'delete' && outcome.type === 'done';
}

/** The end of a visit. */
interface VisitEnd {
  readonly step: Step;
  readonly outcome: Outcome['type'];
  readonly isReady: boolean;
  /** The cloud is working, and its progress has been unreadable since this time. */
  readonly unread?: { readonly report: WaitOrStall; readonly since: number } | undefined;
  /** Policy time since which the list of its progress, or its own, has failed. */
  readonly failingSince?: number | undefined;
}

/** @param begunAt policy time of the begin of the visit */
export function stepToReport(
  { step, outcome, isReady, unread, failingSince = Infinity }: VisitEnd,
  memory: ObjectMemory,
  begunAt: number,
  now: number,
): Step {
  if (step.type !== 'keep') {
    memory.waitingSince = undefined;
    return unread && now - unread.since >= patienceMs ? unread.report : step;
  }
  memory.waitingSince ??= isReady ? begunAt : Math.min(begunAt, failingSince);
  const mustBeReported = outcome === 'writeFailed' || outcome === 'conflict' || !isReady;
  return mustBeReported && now - memory.waitingSince >= patienceMs ? step.delayedReport : step;
}

/** Milliseconds until a lasting problem is reported; undefined if the time is over, and it was not to be reported. */
export function reportDueInMs({ waitingSince }: ObjectMemory, now: number): number | undefined {
  const inMs = (waitingSince ?? now) + patienceMs - now;
  return inMs > 0 ? inMs : undefined;
}

/** The cloud was working when it was last read, and its progress is unreadable now. */
function progressUnread(step: Step, situation: Situation): VisitEnd['unread'] {
  const { progressList: list } = situation;
  if (step.type !== 'wait' || step.inProgressSince === undefined || !list?.failure || !list.latest) return undefined;
  return { report: unreadableCloud(situation, list.failure).delayedReport, since: list.latest.begunAt };
}

/** Reasons that tell themselves of a cloud that cannot be read. */
const aboutCloud: ReadonlySet<string> = new Set(['CloudUnavailable', 'UnexpectedReply', 'RateLimited']);

/** Something else is waited for, but a list that the visit read has failed since: the message tells how old it is. */
function withAge(step: Step, situation: Situation, now: number): Step {
  const { list, progressList, alsoRead } = situation;
  if (step.type !== 'wait' || aboutCloud.has(step.reason)) return step;
  for (const each of [list, progressList, alsoRead?.list, ...dependentsIn(situation).map((dependent) => dependent.list)]) {
    if (!each?.failure || !each.latest || now - each.latest.begunAt < patienceMs) continue;
    const time = new Date(each.latest.begunAt).toISOString();
    return { ...step, message: `${step.message} (as of ${time}: since then ${describeCloudError(each.failure, 'show it')})` };
  }
  return step;
}

/** Whether status says that this generation of the object is Ready, and nobody deletes it. */
export function wasReady(object: ManagedObject): boolean {
  const ready = readyOf(object);
  return ready?.status === 'True' && ready.observedGeneration === object.metadata.generation && !object.metadata.deletionTimestamp;
}

/** Whether status asks a person for something, and nobody changed the spec since. A suspended object does not advance the generation in its status. */
export function stillAsks(object: ManagedObject): boolean {
  const isOfThisSpec = object.spec.suspend === true || readyOf(object)?.observedGeneration === object.metadata.generation;
  return asksPerson(object) && isOfThisSpec;
}

const meanwhile = '; nothing goes on for now: ';

/**
 * The status of an object that asks a person for something, and what else is waited for, since an answer has no effect before that. The next report leaves
 * it out.
 */
export function askedMeanwhile({ status }: ManagedObject, trouble: string): object {
  const conditions = status?.conditions?.map((condition) => {
    const [asked = ''] = condition.message.split(meanwhile);
    return { ...condition, message: `${asked}${meanwhile}${trouble}` };
  });
  return { ...status, conditions };
}
