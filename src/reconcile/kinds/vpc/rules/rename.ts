import { vpcId } from '../../../../cloud/wire/ids.ts';
import { changeTo, type ChangeRule } from '../../../decide/pending-change.ts';
import type { VpcSituation } from '../situation.ts';

/** Gives the VPC the name in the spec. */
export const rename: ChangeRule<VpcSituation> = (situation) => {
  const { object, cloud, identity } = situation;
  const wanted = object.spec.name;
  if (cloud.state !== 'present' || identity.state !== 'known' || wanted === undefined || cloud.resource.name === wanted) return undefined;
  const from = cloud.resource.name ?? 'none';
  return changeTo(situation, {
    name: 'name',
    field: 'name',
    change: { operation: 'renameVpc', id: vpcId.parse(identity.id), name: wanted },
    from,
    wanted,
    reason: 'Renaming',
    words: `renaming the VPC from "${from}" to "${wanted}"`,
  });
};
