import { annotations } from '../../../resources/annotations.ts';
import { annotateCommand } from '../../situation/commands.ts';
import { isObserved } from '../../situation/management-policy.ts';
import { mayBeReplaced } from '../../situation/recreation.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { stall, wait } from '../../step/step.ts';
import { unreadableCloud } from './unreadable-cloud.ts';

/** A resource that somebody else removed is reported, and made again only when a person says so. */
export const reportLost: Rule<Situation> = (situation) => {
  const { identity, cloud, words, object, now, policy } = situation;
  if (identity.state !== 'known') return undefined;
  switch (cloud.state) {
    case 'absent':
      if (mayBeReplaced(object, identity.id)) return undefined;
      // Who only looks makes nothing.
      return stall(
        'Lost',
        `${words.noun} ${identity.id} is gone from the cloud (${cloud.word ?? '404'}) and was not deleted by this operator; restore it there, or delete this object${isObserved(object, policy) ? '' : `, or have a new, empty one created: ${annotateCommand(object, `${annotations.allowRecreate}=${identity.id}`)}`}`,
      );
    case 'missing':
      return wait('WaitingForCloud', `the cloud does not show ${words.noun} ${identity.id} yet`, {
        afterMs: Math.max(cloud.again - now, 0),
      });
    case 'unknown':
    case 'none':
      return unreadableCloud(situation, cloud.state === 'unknown' ? cloud.error : undefined);
    case 'present':
      return undefined;
  }
};
