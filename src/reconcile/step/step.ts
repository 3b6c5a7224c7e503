import type { ReadyReason, ReconcilingReason, StalledReason } from '../../resources/condition.ts';
import type { Action } from './action.ts';

/**
 * The decision of a visit, with the message for the user. Plain data, so that rules stay pure and a plan can be printed.
 *
 * | type | meaning |
 * |---|---|
 * | `call` | at most a single change in the cloud, recorded before it is sent |
 * | `write` | a change of the operator's data in Kubernetes; another visit follows at once |
 * | `wait` | something else must happen first; the next visit is then, or after `afterMs` |
 * | `stall` | only a person can help; retried after `retryAfterMs`, or when spec or credentials change |
 * | `done` | the resource is as wanted; looked at again now and then, or after `afterMs` |
 * | `keep` | nothing was learned: the status stays unchanged, and reports the reason only if that lasts |
 * | `suspended` | nothing is called because the user suspended the object |
 * | `release` | the object can be released |
 */
export type Step =
  | { readonly type: 'call'; readonly action: Action; readonly reason: ReconcilingReason; readonly message: string }
  /** `warns`: an event and a log line say the message, since no status ever has it. */
  | { readonly type: 'write'; readonly action: Action; readonly message: string; readonly warns?: ReconcilingReason }
  | {
      readonly type: 'wait';
      readonly reason: ReconcilingReason;
      readonly message: string;
      readonly afterMs?: number;
      /** The cloud has been working since this policy time, so its state is polled. */
      readonly inProgressSince?: number;
    }
  | { readonly type: 'stall'; readonly reason: StalledReason; readonly message: string; readonly retryAfterMs?: number }
  /** `differs`: the resource is left as it is, though the spec differs; the message names the differences. */
  | { readonly type: 'done'; readonly reason: ReadyReason; readonly message: string; readonly afterMs?: number; readonly differs?: boolean }
  | { readonly type: 'keep'; readonly delayedReport: WaitOrStall }
  | { readonly type: 'suspended'; readonly message: string }
  | { readonly type: 'release'; readonly message: string; readonly released: Released };

/**
 * The fate of the resource of a released object.
 *
 * - `gone`: the absence is proven, or nothing was created; the operator deletes connection Secret and ledger entry, too
 * - `retained`: the resource stays, and its connection Secret and ledger entry with it
 * - `foreign`: another object owns it
 * - `abandoned`: the resource stays, against the spec; an event names it
 */
export type Fate = 'gone' | 'retained' | 'foreign' | 'abandoned';

/** The parts that are released with an object. */
export interface Released {
  /** The id of its resource. */
  readonly id: string | undefined;
  readonly projectId: string | undefined;
  readonly fate: Fate;
}

export type Stall = Extract<Step, { type: 'stall' }>;
export type Keep = Extract<Step, { type: 'keep' }>;

/** A step that reports a condition to wait for, or an action for a person. */
export type WaitOrStall = Extract<Step, { type: 'wait' | 'stall' }>;

export function call(action: Action, report: { reason: ReconcilingReason; message: string }): Step {
  return { type: 'call', action, ...report };
}

export function write(action: Action, message: string, more: { warns?: ReconcilingReason } = {}): Step {
  return { type: 'write', action, message, ...more };
}

export function wait(
  reason: ReconcilingReason,
  message: string,
  more: { afterMs?: number; inProgressSince?: number } = {},
): Extract<Step, { type: 'wait' }> {
  return { type: 'wait', reason, message, ...more };
}

export function stall(reason: StalledReason, message: string, more: { retryAfterMs?: number } = {}): Stall {
  return { type: 'stall', reason, message, ...more };
}

/** @param delayedReport the report if that lasts */
export function keep(delayedReport: WaitOrStall): Keep {
  return { type: 'keep', delayedReport };
}

/** A decided step on a single line, with everything that it does, for a log or a plan. Steps contain no secrets. */
export function describeStep(step: Step): string {
  if (step.type === 'keep') return `keep, and say once it has lasted: ${describeStep(step.delayedReport)}`;
  const { type, message, ...rest } = step;
  const { action, ...more } = { action: undefined, ...rest };
  const { type: name, ...data } = action ?? { type: '' };
  return [type, name, JSON.stringify({ message, ...more, ...data })].filter((part) => part !== '').join(' ');
}
