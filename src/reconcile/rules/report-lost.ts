import { mayBeReplaced } from '../recreation.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { stall, wait, type Step } from '../step.ts';
import { unreadableCloud } from './unreadable-cloud.ts';

/** A resource that somebody else removed is reported, and made again only when a person says so. */
export const reportLost: Rule<Situation> = (situation) => {
  const { identity, cloud, words, object, account, now } = situation;
  if (identity.state !== 'known') return undefined;
  switch (cloud.state) {
    case 'absent':
      return mayBeReplaced(object, identity.id) ? undefined : lost(situation, identity.id, cloud.word ?? '404');
    case 'missing':
      return wait('WaitingForCloud', `the cloud does not show ${words.noun} ${identity.id} yet`, {
        afterMs: Math.max(cloud.again - now, 0),
      });
    case 'unknown':
    case 'none':
      return unreadableCloud(
        situation,
        cloud.state === 'unknown' ? cloud.error : undefined,
        account.state === 'usable' ? account.account.troubledSince : undefined,
      );
    case 'present':
      return undefined;
  }
};

/** @param word the cloud's word for it */
export function lost({ words }: Situation, id: string, word: string): Step {
  return stall(
    'Lost',
    `${words.noun} ${id} is gone from the cloud (${word}) and was not deleted by this operator; restore it there, or annotate managed-db.io/allow-recreate=${id} to create a new, empty one, or delete this object`,
  );
}
