import type { Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { wait } from '../../step/step.ts';

/** The user said so: nothing is changed, whatever else is the case. What the cloud shows is still reported. */
export const suspended: Rule<Situation> = ({ object, deletion, cloud, words }) => {
  if (object.spec.suspend !== true) return undefined;
  if (deletion.requested) {
    return wait(
      'DeletionBlocked',
      'deletion waits because spec.suspend is true: set it to false to go on, or set spec.deletionPolicy to Retain as well to keep the cloud resource',
    );
  }
  const isGone = cloud.state === 'absent';
  const gone = isGone ? `the ${words.noun} is gone from the cloud; ` : '';
  return {
    type: 'suspended',
    isGone,
    message: gone + 'spec.suspend is true: the operator changes nothing for this object; set it to false to go on',
  };
};
