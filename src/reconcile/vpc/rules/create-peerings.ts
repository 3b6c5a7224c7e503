import { vpcId } from '../../../cloud/wire/ids.ts';
import type { Rule } from '../../rule.ts';
import { call } from '../../step.ts';
import { unreadableCloud } from '../../rules/unreadable-cloud.ts';
import { keyOfPeering, peeringKey } from '../peering-key.ts';
import type { VpcSituation } from '../situation.ts';

/** Asks for the peerings of the spec that are not there yet, one at a time. One that was there before is used as it is. */
export const createPeerings: Rule<VpcSituation> = (situation) => {
  const { object, peerings, identity, record } = situation;
  if (identity.state !== 'known' || peerings.state === 'unneeded') return undefined;
  if (peerings.state === 'unknown') return unreadableCloud(situation, peerings.error, undefined);
  const present = new Set(peerings.peerings.map(keyOfPeering));
  const missing = (object.spec.peerings ?? []).find(
    (peering) => !present.has(peeringKey(peering)) && !record.peerings?.[peeringKey(peering)],
  );
  if (!missing) return undefined;
  const key = peeringKey(missing);
  return call(
    {
      type: 'createPeering',
      vpcId: vpcId.parse(identity.id),
      key,
      request: { peer_account_id: missing.peerAccountId, peer_region_code: missing.peerRegionCode, peer_vpc_id: missing.peerVpcId },
    },
    { reason: 'PeeringPending', message: `asking for the peering with ${key}` },
  );
};
