import { decidingProblem, type SpecProblem } from '../../../resources/spec-problem.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { stall } from '../../step/step.ts';

/** Whether and with which key something may be changed or deleted is not known: nothing is called, also for a deletion. */
export const rejectUndecided: Rule<Situation> = ({ object }) => {
  const problem = decidingProblem(object.problems);
  return (
    problem && stall('Rejected', `${told(problem)}: correct it; until then nothing is called for this object, nor is anything deleted`)
  );
};

/** A spec that was stored under an older schema, or past it, may hold what cannot be read: nothing is created or changed from it. */
export const rejectSpec: Rule<Situation> = ({ object }) => {
  const [first, ...others] = object.problems;
  if (!first) return undefined;
  const more = others.length === 0 ? '' : ` (also ${others.map(({ path }) => path).join(', ')})`;
  return stall('Rejected', `${told(first)}${more}: correct it; until then nothing is created or changed for this object`);
};

function told({ path, value, expectation }: SpecProblem): string {
  return `${path} cannot be read: it is ${value} (${expectation})`;
}
