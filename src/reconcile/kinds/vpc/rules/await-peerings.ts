import type { Rule } from '../../../decide/rule.ts';
import { unreadableCloud } from '../../../decide/unreadable-cloud.ts';
import type { VpcSituation } from '../situation.ts';

/** Peerings that could not be read: what needs no look at them goes on. */
export const awaitPeerings: Rule<VpcSituation> = (situation) => {
  const { peerings } = situation;
  return peerings.state === 'unknown' ? unreadableCloud(situation, peerings.error, 'show the peerings of the VPC') : undefined;
};
