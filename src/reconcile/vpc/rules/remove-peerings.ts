import { peeringId, vpcId } from '../../../cloud/wire/ids.ts';
import type { Rule } from '../../rule.ts';
import { call } from '../../step.ts';
import type { VpcSituation } from '../situation.ts';
import { resolvePeerings } from './resolve-peerings.ts';

/** Before the VPC goes, its peerings go: those that this object made, and no others. */
export const removePeerings: Rule<VpcSituation> = (situation) => {
  const { deletion, identity, peerings, record } = situation;
  if (!deletion.requested || identity.state !== 'known') return undefined;
  const unresolved = resolvePeerings(situation);
  if (unresolved || peerings.state !== 'read') return unresolved;
  for (const [key, recorded] of Object.entries(record.peerings ?? {})) {
    if (!('id' in recorded) || !peerings.peerings.some(({ id }) => id === recorded.id)) continue;
    return call(
      { type: 'deletePeering', vpcId: vpcId.parse(identity.id), key, id: peeringId.parse(recorded.id) },
      { reason: 'Deleting', message: `removing the peering with ${key}` },
    );
  }
  return undefined;
};
