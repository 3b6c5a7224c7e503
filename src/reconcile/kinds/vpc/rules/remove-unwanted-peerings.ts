import { peeringId, vpcId } from '../../../../cloud/wire/ids.ts';
import { withPeering } from '../../../record/record-changes.ts';
import { refusedEarlier, type PendingChange, type Change } from '../../../decide/pending-change.ts';
import { call, wait, write } from '../../../step/step.ts';
import { isSettling } from '../../../situation/last-operation.ts';
import { peeringKey } from '../peering-key.ts';
import type { VpcSituation } from '../situation.ts';
import { lookAgain } from '../../../step/intervals.ts';

const name = 'peerings';

/** Removes peerings that this object made and the spec no longer names. One that was there before is left; one that was refused lets the others pass. */
export const removeUnwantedPeerings: Change<VpcSituation> = {
  pending(situation) {
    const removals = Object.entries(situation.record.peerings ?? {}).flatMap(([key, recorded]) => {
      const removal = 'id' in recorded ? removalOf(situation, key, recorded.id) : undefined;
      return removal ? [removal] : [];
    });
    return removals.find(({ passForMs }) => passForMs === undefined) ?? removals[0];
  },
};

/** A removal that the cloud accepted is seen through, also where the spec names the peering again: it is asked for anew once it is gone. */
function removalOf(situation: VpcSituation, key: string, id: string): PendingChange | undefined {
  const { object, identity, peerings, record, now, lastOperation: last } = situation;
  if (identity.state !== 'known' || peerings.state !== 'read') return undefined;
  const isWanted = (object.spec.peerings ?? []).some((peering) => peeringKey(peering) === key);
  const isAccepted = last?.operation === 'deletePeering' && last.wanted === id;
  if (isWanted && !isAccepted) return undefined;
  if (!peerings.peerings.some((peering) => peering.id === id)) {
    return {
      name,
      step: write({ type: 'writeRecord', record: withPeering(record, key, undefined) }, `the peering with ${key} is removed`),
    };
  }
  const message = `removing the peering with ${key}`;
  if (isSettling(last, 'deletePeering', id, peerings.asOf))
    return { name, step: wait('PeeringPending', message, { inProgressSince: last?.at ?? now, afterMs: lookAgain.forCloudMs }) };
  if (isWanted) return undefined; // its removal came to nothing
  const refused = refusedEarlier(situation, 'deletePeering', id);
  if (refused) return { name, ...refused };
  const step = call(
    { type: 'deletePeering', vpcId: vpcId.parse(identity.id), key, id: peeringId.parse(id) },
    { reason: 'PeeringPending', message },
  );
  return { name, step };
}
