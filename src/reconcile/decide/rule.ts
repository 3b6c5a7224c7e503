import type { Step } from '../step/step.ts';

/** One line of the policy: the step it asks for, or undefined when it does not apply. Pure: no I/O, no clock, no logger. */
export type Rule<S> = (situation: S) => Step | undefined;

/** Rules in their order: the first that applies decides. */
export function inOrder<S>(...rules: readonly Rule<S>[]): Rule<S> {
  return (situation) => {
    for (const rule of rules) {
      const step = rule(situation);
      if (step) return step;
    }
    return undefined;
  };
}
