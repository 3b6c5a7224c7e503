import type { Step } from '../step/step.ts';

/** One rule of the policy: its step, or undefined if it does not apply. Pure: no I/O, no clock, no logger. */
export type Rule<S> = (situation: S) => Step | undefined;

/** A list of rules, of which the first that applies decides. */
export function inOrder<S>(...rules: readonly Rule<S>[]): Rule<S> {
  return (situation) => {
    for (const rule of rules) {
      const step = rule(situation);
      if (step) return step;
    }
    return undefined;
  };
}
