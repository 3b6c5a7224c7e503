import type { Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { keep, wait } from '../../step/step.ts';
import { unreadableCloud } from './unreadable-cloud.ts';

/** The object goes when the cloud has proven that the resource is gone, and not before. */
export const confirmGone: Rule<Situation> = (situation) => {
  const { deletion, cloud, words, now } = situation;
  if (!deletion.requested) return undefined;
  switch (cloud.state) {
    case 'absent':
    case 'none':
      return { type: 'release', message: `the ${words.noun} is gone from the cloud` };
    case 'missing':
      return wait('Deleting', `making sure that the ${words.noun} is gone from the cloud`, { afterMs: Math.max(cloud.again - now, 0) });
    case 'present':
      return keep(wait('Deleting', `the ${words.noun} is still there`));
    case 'unknown':
      return unreadableCloud(situation, cloud.error);
  }
};
