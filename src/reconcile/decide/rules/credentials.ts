import type { Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { keep, stall, wait, write } from '../../step/step.ts';
import { unreadableCloud } from '../unreadable-cloud.ts';
import { lookAgain } from '../../step/intervals.ts';

/** Nothing is decided about the cloud before its key is proven. */
export const awaitCredentials: Rule<Situation> = (situation) => {
  const { account, pinnedProject } = situation;
  switch (account.state) {
    case 'notAsked':
      return keep(wait('WaitingForCredentials', 'the credentials were not asked for', { afterMs: lookAgain.forCredentialsMs }));
    case 'missing':
      return wait('WaitingForCredentials', account.message, { afterMs: lookAgain.forCredentialsMs });
    case 'rejected':
      return stall('Unauthorized', account.message);
    case 'unavailable':
      return unreadableCloud(situation, account.error);
    case 'usable':
      if (account.secret?.terminating && pinnedProject === undefined) {
        return wait('WaitingForCredentials', `Secret "${account.secret.name}" is being deleted: nothing new is created with it`, {
          afterMs: lookAgain.forCredentialsMs,
        });
      }
      return undefined;
  }
};

/** A credentials Secret is held by a finalizer before it is first used, so that what it made can be deleted with it. */
export const holdCredentials: Rule<Situation> = ({ account, deletion }) => {
  if (account.state !== 'usable' || !account.secret || account.secret.held || account.secret.terminating || deletion.requested)
    return undefined;
  return write({ type: 'holdCredentials', secret: account.secret.name }, `Secret "${account.secret.name}" is held while it is needed`);
};

/** The key now belongs to another project: a 404 there would mean nothing, so nothing is asked. */
export const refuseForeignProject: Rule<Situation> = ({ account, pinnedProject, words }) => {
  if (account.state !== 'usable' || !pinnedProject || pinnedProject === account.account.projectId) return undefined;
  return stall(
    'ForeignProject',
    `the ${words.noun} is in project ${pinnedProject}, the credentials are of project ${account.account.projectId}: use a key of ${pinnedProject}`,
  );
};
