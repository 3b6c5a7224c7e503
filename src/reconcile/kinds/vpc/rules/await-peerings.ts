import type { Rule } from '../../../decide/rule.ts';
import { unreadableCloud } from '../../../decide/unreadable-cloud.ts';
import type { VpcSituation } from '../situation.ts';

/** Peerings that could not be read are waited for. Changes that do not need them come before. */
export const awaitPeerings: Rule<VpcSituation> = (situation) => {
  const { peerings } = situation;
  return peerings.state === 'unknown' ? unreadableCloud(situation, peerings.error, 'show the peerings of the VPC') : undefined;
};
