import { peeringId, vpcId } from '../../../../cloud/wire/ids.ts';
import { deletionRecord } from '../../../decide/delete-action.ts';
import type { Rule } from '../../../decide/rule.ts';
import { call, wait, write } from '../../../step/step.ts';
import { after, refusedEarlier } from '../../../decide/pending-change.ts';
import { isSettling } from '../../../situation/last-operation.ts';
import type { DeletingVpc } from '../situation.ts';
import { awaitPeerings } from './await-peerings.ts';
import { resolvePeerings } from './resolve-peerings.ts';
import { lookAgain } from '../../../step/intervals.ts';

/** Before the VPC is deleted, deletes the peerings that this object created, and no others. */
export const removePeerings: Rule<DeletingVpc> = (situation) => {
  const { deletion, id: vpc, peerings, record, now } = situation;
  const unresolved = awaitPeerings(situation) ?? resolvePeerings(situation);
  if (unresolved || peerings.state !== 'read') return unresolved;
  for (const [key, recorded] of Object.entries(record.peerings ?? {})) {
    if (!('id' in recorded) || !peerings.peerings.some(({ id }) => id === recorded.id)) continue;
    if (!deletion.started) {
      const begun = deletionRecord(situation, vpc);
      return write({ type: 'startDeletion', id: vpc, record: begun }, `the deletion of the VPC ${vpc} begins`);
    }
    const message = `removing the peering with ${key}`;
    if (isSettling(situation.lastOperation, 'deletePeering', recorded.id, peerings.asOf))
      return wait('Deleting', message, { inProgressSince: situation.lastOperation?.at ?? now, afterMs: lookAgain.forCloudMs });
    const refused = refusedEarlier(situation, 'deletePeering', recorded.id);
    if (refused) return after(refused.step, refused.passForMs);
    return call({ type: 'deletePeering', vpcId: vpcId.parse(vpc), key, id: peeringId.parse(recorded.id) }, { reason: 'Deleting', message });
  }
  return undefined;
};
