import type { Step } from '../step/step.ts';

/** One line of the policy: the step it asks for, or undefined when it does not apply. Pure: no I/O, no clock, no logger. */
export type Rule<S> = (situation: S) => Step | undefined;

/** The policy: the first rule that applies decides. The last one must always apply. */
export function firstApplicable<S>(...rules: readonly Rule<S>[]): (situation: S) => Step {
  return (situation) => {
    for (const rule of rules) {
      const step = rule(situation);
      if (step) return step;
    }
    throw new Error('no rule applies: the last rule of a policy must always apply');
  };
}
