import type { Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { keep, stall, wait, write } from '../../step/step.ts';
import { orRetain, unreadableCloud } from '../unreadable-cloud.ts';
import { intervals } from '../../step/intervals.ts';

/** No decision about the cloud is made before its key is proven. */
export const awaitCredentials: Rule<Situation> = (situation) => {
  const { account, pinnedProject } = situation;
  switch (account.state) {
    case 'notAsked':
      return keep(wait('WaitingForCredentials', 'the credentials were not asked for', { afterMs: intervals.forCredentialsMs }));
    case 'missing':
      return wait('WaitingForCredentials', account.message, { afterMs: intervals.forCredentialsMs });
    case 'rejected':
      return stall('Unauthorized', account.message);
    case 'unavailable':
      return unreadableCloud(situation, account.error);
    case 'usable':
      if (account.secret?.terminating && pinnedProject === undefined) {
        const message = `Secret "${account.secret.name}" is being deleted: put the key into another Secret, and name that in spec.credentialsRef of all objects`;
        return wait('WaitingForCredentials', message, { afterMs: intervals.forCredentialsMs });
      }
      return undefined;
  }
};

/** A finalizer holds the credentials Secret before its first use: its key must stay for the deletion of the resources. */
export const holdCredentials: Rule<Situation> = ({ account, deletion }) => {
  if (account.state !== 'usable' || !account.secret || account.secret.held || account.secret.terminating || deletion.requested)
    return undefined;
  return write({ type: 'holdCredentials', secret: account.secret.name }, `Secret "${account.secret.name}" is held while it is needed`);
};

/** The key now belongs to another project. A 404 from there would prove nothing, so nothing is called. */
export const refuseForeignProject: Rule<Situation> = (situation) => {
  const { account, pinnedProject, noun } = situation;
  if (account.state !== 'usable' || !pinnedProject || pinnedProject === account.account.projectId) return undefined;
  return stall(
    'ForeignProject',
    `the ${noun} is in project ${pinnedProject}, the credentials are of project ${account.account.projectId}: use a key of ${pinnedProject}${orRetain(situation)}`,
  );
};
