import { vpcId } from '../../../../cloud/wire/ids.ts';
import { call } from '../../../step/step.ts';
import { refusedEarlier, type Change } from '../../../decide/pending-change.ts';
import { keyOfPeering, peeringKey } from '../peering-key.ts';
import type { ShownVpc } from '../situation.ts';

/** Requests the missing peerings of the spec, one at a time. An existing peering is used as it is. A refused one does not hold up the others. */
export const createPeerings: Change<ShownVpc> = {
  pending(situation) {
    const { object, peerings, id, record } = situation;
    if (peerings.state !== 'read') return undefined;
    const present = new Set(peerings.peerings.map(keyOfPeering));
    const missing = (object.spec.peerings ?? []).filter(
      (peering) => !present.has(peeringKey(peering)) && !record.peerings?.[peeringKey(peering)],
    );
    const refusalOf = (peering: (typeof missing)[number]) => refusedEarlier(situation, 'createPeering', peeringKey(peering));
    const next = missing.find((peering) => !refusalOf(peering)) ?? missing[0];
    if (!next) return undefined;
    const name = 'peerings';
    const refused = refusalOf(next);
    if (refused) return { name, ...refused };
    const key = peeringKey(next);
    const step = call(
      {
        type: 'createPeering',
        vpcId: vpcId.parse(id),
        key,
        request: { peer_account_id: next.peerAccountId, peer_region_code: next.peerRegionCode, peer_vpc_id: next.peerVpcId },
        record,
      },
      { reason: 'PeeringPending', message: `asking for the peering with ${key}` },
    );
    return { name, step };
  },
};
