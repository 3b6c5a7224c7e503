import { peeringId, vpcId } from '../../../cloud/wire/ids.ts';
import { withPeering } from '../../record-changes.ts';
import { refusedEarlier, type WishRule } from '../../wish.ts';
import { call, wait, write } from '../../step.ts';
import { isSettling } from '../../last-operation.ts';
import { peeringKey } from '../peering-key.ts';
import type { VpcSituation } from '../situation.ts';

const name = 'peerings';
const lookAgainMs = 5_000;

/** Removes peerings that this object made and the spec no longer names. One that was there before is left. */
export const removeUnwantedPeerings: WishRule<VpcSituation> = (situation) => {
  const { object, identity, peerings, record, now } = situation;
  if (identity.state !== 'known' || peerings.state !== 'read') return undefined;
  const wanted = new Set((object.spec.peerings ?? []).map(peeringKey));
  for (const [key, recorded] of Object.entries(record.peerings ?? {})) {
    if (wanted.has(key) || !('id' in recorded)) continue;
    if (!peerings.peerings.some(({ id }) => id === recorded.id)) {
      return {
        name,
        step: write({ type: 'writeRecord', record: withPeering(record, key, undefined) }, `the peering with ${key} is removed`),
      };
    }
    const message = `removing the peering with ${key}`;
    if (isSettling(situation.lastOperation, 'deletePeering', recorded.id, peerings.asOf))
      return { name, step: wait('PeeringPending', message, { inProgressSince: situation.lastOperation?.at ?? now, afterMs: lookAgainMs }) };
    const refused = refusedEarlier(situation, 'deletePeering', recorded.id);
    if (refused) return { name, ...refused };
    const step = call(
      { type: 'deletePeering', vpcId: vpcId.parse(identity.id), key, id: peeringId.parse(recorded.id) },
      { reason: 'PeeringPending', message },
    );
    return { name, step };
  }
  return undefined;
};
