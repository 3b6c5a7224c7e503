import type { Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { wait } from '../step.ts';

/** The object goes when the cloud has proven that the resource is gone, and not before. */
export const confirmGone: Rule<Situation> = ({ deletion, cloud, words, now }) => {
  if (!deletion.requested) return undefined;
  switch (cloud.state) {
    case 'absent':
    case 'none':
      return { type: 'release', message: `the ${words.noun} is gone from the cloud` };
    case 'missing':
      return wait('Deleting', `making sure that the ${words.noun} is gone from the cloud`, { afterMs: Math.max(cloud.again - now, 0) });
    case 'present':
    case 'unknown':
      return { type: 'keep', message: `the ${words.noun} is still there`, afterMs: 5_000 };
  }
};
