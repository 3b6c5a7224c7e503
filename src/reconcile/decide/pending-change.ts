import type { ReconcilingReason } from '../../resources/condition.ts';
import type { CloudChange } from '../step/action.ts';
import { effectWithinMs, type LastOperation } from '../situation/last-operation.ts';
import type { Rule } from './rule.ts';
import { ownStatus } from '../situation/recreation.ts';
import type { PendingChange, Situation } from '../situation/situation.ts';
import { call, stall, wait, type Step } from '../step/step.ts';
import { refusalKey } from '../step/outcome.ts';
import { intervals } from '../step/intervals.ts';
import { withMore } from '../step/short-message.ts';

export type Shown<Resource, S> = Omit<S, 'pendingChanges'> & { readonly id: string; readonly resource: Resource };

export interface Progress {
  readonly reason: ReconcilingReason;
  readonly message: string;
}

/** The origin of a mirror: the cloud's reply, or a stored status, which an earlier version of the operator may have written. */
export type DriftSource = 'cloud' | 'status';

/** A kind of change of an existing resource. `Mirror` is the resource in status. */
export interface Change<S, Mirror = unknown> {
  readonly pending: (situation: S) => PendingChange | undefined;
  /** The path in the spec and the value there. A change of it in the cloud is reported as drift. */
  readonly drift?: (mirror: Mirror, source: DriftSource) => readonly [path: string, value: unknown];
  /** The work after the cloud accepted this change; undefined after another change, or if the change takes no time. */
  readonly progressAfter?: (last: LastOperation) => Progress | undefined;
}

/**
 * None while the resource is not seen.
 * @param list the possible changes, in the order in which they are made
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
 * Makes a single change at a time: the first possible change in the list. The message names the next changes. A
 * change that the cloud refused, or accepted without effect, does not hold up the rest.
 */
export const makeNextChange: Rule<Pending> = ({ pendingChanges: pending }) => {
  const changes = pending.filter(({ isPostponed }) => isPostponed !== true);
  const next = changes.find(({ blockedForMs }) => blockedForMs === undefined);
  return next && withOthers(next, next.step, changes);
};

/** The changes that are not possible now. They are reported after all other work, and retried as soon as a change may be possible. */
export const reportBlockedChanges: Rule<Pending> = ({ pendingChanges: pending }) => {
  const changes = pending.filter(({ isPostponed, blockedForMs }) => isPostponed !== true && blockedForMs !== undefined);
  const [first] = changes;
  return (
    first &&
    withOthers(first, withNextVisitIn(first.step, Math.min(...changes.map(({ blockedForMs = Infinity }) => blockedForMs))), changes)
  );
};

type Pending = Pick<Situation, 'pendingChanges'>;

function withOthers(next: PendingChange, step: Step, changes: readonly PendingChange[]): Step {
  const others = changes.filter((change) => change !== next).map(({ name }) => name);
  return others.length === 0 || step.type === 'keep' ? step : { ...step, message: withMore(step.message, `; then: ${others.join(', ')}`) };
}

export function withNextVisitIn(step: Step, ms: number): Step {
  if (step.type === 'wait') return { ...step, afterMs: ms };
  return step.type === 'stall' ? { ...step, retryAfterMs: ms } : step;
}

export interface ValueChange {
  readonly name: string;
  readonly path: string;
  readonly change: CloudChange;
  /** The values in the cloud and in the spec as text. They also show whether a change was applied. */
  readonly from: string;
  readonly wanted: string;
  readonly reason: ReconcilingReason;
  /** Such as `resizing from 1000m/4GB to 2000m/8GB`. */
  readonly progress: string;
  /** Such as `resize the service to 2000 millicores, 8 GB`. */
  readonly request: string;
  /** Advice after a refusal, such as `change spec.name`. */
  readonly remedy: string;
}

/**
 * A change that is requested once. While it is accepted but not visible, the operator waits; without effect, it
 * is not repeated until spec or cloud change. After a refusal it is retried when the spec changes, or after a
 * while. (docs/safety.md, Changing)
 */
export function requestOnce(situation: ChangeSituation, asked: ValueChange): PendingChange {
  const { name, path, from, wanted, change } = asked;
  return { name, path, from, wanted, operation: change.operation, ...stepFor(situation, asked) };
}

/** Undefined if the change may be requested now. */
export function refusedEarlier(
  { object, now, refusals }: Pick<ChangeSituation, 'object' | 'now' | 'refusals'>,
  operation: string,
  wanted: string,
): Required<Pick<PendingChange, 'step' | 'blockedForMs'>> | undefined {
  const refusal = refusals.get(refusalKey(operation, wanted));
  if (!refusal || refusal.generation !== object.metadata.generation || now >= refusal.again) return undefined;
  return { step: refusal.step, blockedForMs: Math.min(refusal.again - now, intervals.nowAndThenMs) };
}

export type ChangeSituation = Pick<Situation, 'object' | 'identity' | 'now' | 'noun' | 'cloud' | 'lastOperation' | 'refusals'>;

function stepFor(
  situation: ChangeSituation,
  { change, from, wanted, reason, progress, request, remedy }: ValueChange,
): Pick<PendingChange, 'step' | 'blockedForMs'> {
  const { object, now, noun, cloud, lastOperation: last } = situation;
  const { generation } = object.metadata;
  const isAccepted = last?.operation === change.operation && last.wanted === wanted && last.from === from;
  const acceptedAt = last?.at ?? 0;
  // Only an observation that is late enough proves that the change had no effect.
  const isSeenLate = cloud.state === 'present' && cloud.asOf >= acceptedAt + effectWithinMs;
  if (isAccepted && last.wasBusy !== true && !isSeenLate) {
    return {
      step: wait(reason, progress, {
        inProgressSince: acceptedAt,
        afterMs: Math.max(effectWithinMs - (now - acceptedAt), intervals.forEffectMs),
      }),
    };
  }
  const earlier = [...(ownStatus(situation)?.notApplied ?? []), ...(last ? [last] : [])];
  const isWithoutEffect = earlier.some(
    (each) => each.operation === change.operation && each.wanted === wanted && each.from === from && each.generation === generation,
  );
  if (isWithoutEffect) {
    const message = `the cloud accepted to ${request} but still shows ${from}: look at the ${noun} there; the operator retries when the spec or the cloud changes`;
    return { step: stall('NotApplied', message), blockedForMs: intervals.nowAndThenMs };
  }
  const refused = refusedEarlier(situation, change.operation, wanted);
  return refused ?? { step: call({ type: 'change', change, from, wanted, request, remedy }, { reason, message: progress }) };
}
