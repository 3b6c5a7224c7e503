import type { Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { stall } from '../../step/step.ts';

/** The key now belongs to another project: a 404 there would mean nothing, so nothing is asked. */
export const refuseForeignProject: Rule<Situation> = ({ account, pinnedProject, words }) => {
  if (account.state !== 'usable' || !pinnedProject || pinnedProject === account.account.projectId) return undefined;
  return stall(
    'ForeignProject',
    `the ${words.noun} is in project ${pinnedProject}, the credentials are of project ${account.account.projectId}: use a key of ${pinnedProject}`,
  );
};
