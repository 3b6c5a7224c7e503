import type { ReadyReason, ReconcilingReason, StalledReason } from '../../resources/condition.ts';
import type { Action } from './action.ts';

/**
 * What one visit does, and the words that the user reads meanwhile. Data, so that rules stay pure and a plan can be printed.
 *
 * | type | means |
 * |---|---|
 * | `call` | at most one change in the cloud, journaled |
 * | `write` | a change of our own bookkeeping in Kubernetes; another visit follows at once |
 * | `wait` | something else has to happen first; looked at again when it does, or after `afterMs` |
 * | `stall` | only a person can help; tried again after `retryAfterMs`, or when spec or credentials change |
 * | `done` | as wanted |
 * | `keep` | nothing was learned: the status stays as it is, and says what is waited for once that lasts |
 * | `suspended` | nothing is called because the user said so |
 * | `release` | the object may go |
 */
export type Step =
  | { readonly type: 'call'; readonly action: Action; readonly reason: ReconcilingReason; readonly message: string }
  | { readonly type: 'write'; readonly action: Action; readonly message: string }
  | {
      readonly type: 'wait';
      readonly reason: ReconcilingReason;
      readonly message: string;
      readonly afterMs?: number;
      /** Work goes on in the cloud, since this policy time: its state is polled. */
      readonly inProgressSince?: number;
    }
  | { readonly type: 'stall'; readonly reason: StalledReason; readonly message: string; readonly retryAfterMs?: number }
  | { readonly type: 'done'; readonly reason: ReadyReason; readonly message: string }
  | { readonly type: 'keep'; readonly told: Told }
  /** `isGone`: what was Ready is not any more. */
  | { readonly type: 'suspended'; readonly message: string; readonly isGone?: boolean }
  | { readonly type: 'release'; readonly message: string; readonly released: Released };

/** What is let go together with an object. */
export interface Released {
  /** The resource that it stood for. */
  readonly id: string | undefined;
  /** The connection Secret: looked for by its name, too, since it may have lost our label. */
  readonly secretName: string | undefined;
  /** Whether its Secrets stay, only no longer held; else they go. */
  readonly keepsSecrets: boolean;
  /** Those of another resource, which was kept earlier, are left as they are. */
  readonly about: About;
}

/** The resources that a Secret of an object may be about: those of these ids, and what this create makes. `any`: the ids contradict each other. */
export interface About {
  readonly ids: readonly string[] | 'any';
  readonly attempt: string | undefined;
}

export type Stall = Extract<Step, { type: 'stall' }>;

/** A step that says what an object waits for, or what a person has to do. */
export type Told = Extract<Step, { type: 'wait' | 'stall' }>;

export function call(action: Action, words: { reason: ReconcilingReason; message: string }): Step {
  return { type: 'call', action, ...words };
}

export function write(action: Action, message: string): Step {
  return { type: 'write', action, message };
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

/** @param told what is said once it has lasted */
export function keep(told: Told): Extract<Step, { type: 'keep' }> {
  return { type: 'keep', told };
}
