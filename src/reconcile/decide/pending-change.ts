import type { ReconcilingReason } from '../../resources/condition.ts';
import type { Attempt } from '../record/record.ts';
import type { CloudChange } from '../step/cloud-change.ts';
import { settleMs, type LastOperation } from '../situation/last-operation.ts';
import type { Rule } from './rule.ts';
import type { PendingChange } from '../situation/pending-change.ts';
import type { Situation } from '../situation/situation.ts';
import { call, stall, wait, type Step } from '../step/step.ts';
import { refusalKey } from '../step/refusal.ts';
import { lookAgain } from '../step/intervals.ts';

/** What is known of a resource that the cloud shows, before it is known what the spec asks of it. */
export type Shown<Resource, S> = Omit<S, 'pendingChanges'> & { readonly id: string; readonly resource: Resource };

/** What the cloud is at work on, as status says it. */
export interface Work {
  readonly reason: ReconcilingReason;
  readonly words: string;
}

/** One thing that a spec may ask of a resource that exists. `Mirror` is what status shows of the resource. */
export interface Change<S, Mirror = unknown> {
  /** What the spec asks for and the cloud does not show; undefined when there is nothing to do. */
  readonly pending: (situation: S) => PendingChange | undefined;
  /** Its place in the spec and the value there: people want to be told when somebody changes it elsewhere. */
  readonly drift?: (mirror: Mirror) => readonly [path: string, value: unknown];
  /** What the cloud is at work on after it accepted this; undefined when it accepted another change, or none that takes time. */
  readonly atWork?: (last: LastOperation) => Work | undefined;
  /** Whether a resource looks like what a create asked for. A value that it leaves out speaks neither for nor against. */
  readonly isAsRequested?: (request: Attempt['request'], mirror: Mirror) => boolean;
}

/**
 * What a spec asks for and the cloud does not show; nothing while it shows nothing.
 * @param list what may be asked for, in the order in which it is done
 */
export function pendingChanges<Resource, S extends Omit<Situation<Resource>, 'pendingChanges'>>(
  list: readonly Change<S & { readonly id: string; readonly resource: Resource }, never>[],
  situation: S,
): readonly PendingChange[] {
  const { identity, cloud } = situation;
  if (identity.state !== 'known' || cloud.state !== 'present') return [];
  const shown = { ...situation, id: identity.id, resource: cloud.resource };
  return list.map(({ pending }) => pending(shown)).filter((change) => change !== undefined);
}

/**
 * One change at a time, in the order of the list: the first that is possible now, and the message names what follows. One that the cloud
 * refused, or took on without effect, lets the others pass.
 */
export const inTurn: Rule<Pending> = ({ pendingChanges: pending }) => {
  const changes = pending.filter(({ isPostponed }) => isPostponed !== true);
  const next = changes.find(({ passForMs }) => passForMs === undefined);
  return next && withOthers(next, next.step, changes);
};

/** What cannot be brought about now: told when nothing else is left to do, and looked at again as soon as one of them may be possible. */
export const whatWaits: Rule<Pending> = ({ pendingChanges: pending }) => {
  const changes = pending.filter(({ isPostponed, passForMs }) => isPostponed !== true && passForMs !== undefined);
  const [first] = changes;
  return first && withOthers(first, after(first.step, Math.min(...changes.map(({ passForMs = Infinity }) => passForMs))), changes);
};

type Pending = Pick<Situation, 'pendingChanges'>;

function withOthers(next: PendingChange, step: Step, changes: readonly PendingChange[]): Step {
  const others = changes.filter((change) => change !== next).map(({ name }) => name);
  return others.length === 0 || step.type === 'keep' ? step : { ...step, message: `${step.message}; then: ${others.join(', ')}` };
}

/** The same step, to be looked at again after so long. */
export function after(step: Step, ms: number): Step {
  if (step.type === 'wait') return { ...step, afterMs: ms };
  return step.type === 'stall' ? { ...step, retryAfterMs: ms } : step;
}

/** A change of a value, and its words. */
export interface AskedChange {
  readonly name: string;
  readonly path: string;
  readonly change: CloudChange;
  /** The value as the cloud shows it and as the spec wants it, for people and for telling whether a change was applied. */
  readonly from: string;
  readonly wanted: string;
  readonly reason: ReconcilingReason;
  /** `resizing from 1000m/4GB to 2000m/8GB` */
  readonly progress: string;
  /** `resize the service to 2000 millicores, 8 GB` */
  readonly request: string;
  /** What a person can do when the cloud refuses: `change spec.name`. */
  readonly remedy: string;
}

/**
 * A change that is asked for once. Accepted and not visible yet, it is waited for; accepted, settled and without effect, it is not repeated
 * until the spec or the cloud changes; refused, it is tried again when the spec changes or after a while. (docs/safety.md, Changing)
 */
export function changeTo(situation: Asking, asked: AskedChange): PendingChange {
  const { name, path, from, wanted, change } = asked;
  return { name, path, from, wanted, operation: change.operation, ...stepFor(situation, asked) };
}

/** What the cloud said no to a while ago, and when it is asked again; undefined when it may be asked now. */
export function refusedEarlier(
  { object, now, refusals }: Pick<Asking, 'object' | 'now' | 'refusals'>,
  operation: string,
  wanted: string,
): Required<Pick<PendingChange, 'step' | 'passForMs'>> | undefined {
  const refusal = refusals.get(refusalKey(operation, wanted));
  if (!refusal || refusal.generation !== object.metadata.generation || now >= refusal.again) return undefined;
  return { step: refusal.step, passForMs: Math.min(refusal.again - now, lookAgain.nowAndThenMs) };
}

/** What tells whether a change may be asked for now. */
export type Asking = Pick<Situation, 'object' | 'now' | 'words' | 'cloud' | 'lastOperation' | 'refusals'>;

function stepFor(
  situation: Asking,
  { name, change, from, wanted, reason, progress, request, remedy }: AskedChange,
): Pick<PendingChange, 'step' | 'passForMs'> {
  const { object, now, words, cloud, lastOperation: last } = situation;
  const { observedGeneration, notApplied = [] } = object.status ?? {};
  const isAccepted = last?.operation === change.operation && last.wanted === wanted && last.from === from;
  const acceptedAt = last?.at ?? 0;
  // Only a look that was taken late enough tells that it came to nothing.
  const isSeenLate = cloud.state === 'present' && cloud.asOf >= acceptedAt + settleMs;
  if (isAccepted && last.wasBusy !== true && !isSeenLate) {
    return {
      step: wait(reason, progress, {
        inProgressSince: acceptedAt,
        afterMs: Math.max(settleMs - (now - acceptedAt), lookAgain.forEffectMs),
      }),
    };
  }
  const isWithoutEffect =
    isAccepted || notApplied.some((each) => each.operation === change.operation && each.wanted === wanted && each.from === from);
  if (isWithoutEffect && observedGeneration === object.metadata.generation) {
    const message = `the cloud accepted to bring the ${name} of the ${words.noun} to ${wanted} and shows ${from}: look at the ${words.noun} there; it is asked again when the spec or the cloud changes`;
    return { step: stall('NotApplied', message), passForMs: lookAgain.nowAndThenMs };
  }
  const refused = refusedEarlier(situation, change.operation, wanted);
  return refused ?? { step: call({ type: 'change', change, from, wanted, request, remedy }, { reason, message: progress }) };
}
