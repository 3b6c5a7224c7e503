import type { ReconcilingReason } from '../../../../resources/condition.ts';
import { peeringId } from '../../../../cloud/wire/peering.ts';
import { vpcId } from '../../../../cloud/wire/vpc.ts';
import type { RecordedPeering } from '../../../record/record.ts';
import { withPeering } from '../../../record/record-changes.ts';
import { refusedEarlier, withNextVisitIn, type Change } from '../../../decide/pending-change.ts';
import type { PendingChange } from '../../../situation/situation.ts';
import { call, wait, write } from '../../../step/step.ts';
import { isAwaitingEffect } from '../../../situation/last-operation.ts';
import { peeringKey } from '../peerings.ts';
import type { ReadPeerings, ShownPeerings, ShownVpc, DeletingVpc } from '../situation.ts';
import { listed } from '../../../step/short-message.ts';
import { intervals } from '../../../step/intervals.ts';
import { deletedInVain, deletionRecord } from '../../../decide/rules/deletion.ts';
import type { Rule, Unheld } from '../../../decide/rule.ts';
import { awaitPeerings } from './peerings.ts';

/**
 * Deletes peerings that this object made and the spec no longer names, never foreign peerings. A refused
 * deletion does not hold up the rest. A peering that is gone leaves the record, so that the operator requests
 * it again if the spec names it.
 */
export const removeUnwantedPeerings: Change<ShownVpc> = {
  pending(situation) {
    const { peerings, record } = situation;
    if (peerings.state !== 'read') return undefined;
    const removals = Object.entries(record.peerings ?? {}).flatMap(
      ([key, recorded]) => removalOf(key, recorded, peerings, situation) ?? [],
    );
    return removals.find(({ blockedForMs }) => blockedForMs === undefined) ?? removals[0];
  },
};

function removalOf(key: string, recorded: RecordedPeering, seen: ReadPeerings, situation: ShownVpc): PendingChange | undefined {
  const { object, record } = situation;
  const name = 'peerings';
  const forget = (message: string, more: Parameters<typeof write>[2] = {}) => ({
    name,
    step: write({ type: 'writeRecord', record: withPeering(record, key, undefined) }, message, more),
  });
  const isWanted = (object.spec.peerings ?? []).some((each) => peeringKey(each) === key);
  if (!('id' in recorded)) {
    const isOver = !isWanted && !seen.open.includes(key);
    return isOver ? forget(`the request for the peering with ${key} is over`) : undefined;
  }
  // A recorded peering that is not shown is proven to be gone.
  if (!seen.peerings.some(({ id }) => id === recorded.id)) {
    const message = `the peering with ${key} is gone from the cloud`;
    return isWanted ? forget(`${message}: the operator requests it again`, { warns: 'PeeringPending' }) : forget(message);
  }
  return isWanted ? undefined : { name, ...removeOne(situation, seen, 'PeeringPending', { key, id: recorded.id }) };
}

/** Requests the removal of a peering, unless the cloud is still at that, or has just refused it. */
function removeOne(
  situation: ShownVpc | DeletingVpc,
  { acceptedAt, asOf }: ShownPeerings,
  reason: ReconcilingReason,
  { key, id }: { readonly key: string; readonly id: string },
): Pick<PendingChange, 'step' | 'blockedForMs'> {
  const at = acceptedAt.get(id);
  // Other changes may have been accepted since. A new process knows only the last change.
  const last = at === undefined ? situation.lastOperation : { operation: 'deletePeering', wanted: id, at };
  const message = `removing the peering with ${key}`;
  if (isAwaitingEffect(last, 'deletePeering', id, asOf))
    return { step: wait(reason, message, { inProgressSince: last?.at ?? situation.now, afterMs: intervals.forCloudMs }) };
  const refused = refusedEarlier(situation, 'deletePeering', id);
  if (refused) return refused;
  const inVain = deletedInVain({ ...situation, lastOperation: last }, 'deletePeering', id, `the peering with ${key}`);
  return {
    step: call({ type: 'deletePeering', vpcId: vpcId.parse(situation.id), id: peeringId.parse(id), inVain }, { reason, message }),
  };
}

/**
 * Before the VPC is deleted, deletes the peerings that this object made, never foreign peerings. The DELETEs do
 * not wait for each other: each takes as long as lists lag.
 */
export const removePeerings: Rule<Unheld<DeletingVpc>> = (situation) => {
  const { deletion, id: vpc, peerings, record } = situation;
  const shown = peerings.state === 'unknown' ? peerings.shown : peerings.state === 'read' ? peerings : undefined;
  if (!shown) return awaitPeerings(situation);
  const made = Object.entries(record.peerings ?? {}).flatMap(([key, peering]) =>
    'id' in peering && shown.peerings.some(({ id }) => id === peering.id) ? { key, id: peering.id } : [],
  );
  if (made.length > 0 && !deletion.started) {
    const begun = deletionRecord(situation, vpc);
    return write({ type: 'startDeletion', id: vpc, record: begun }, `the deletion of the VPC ${vpc} begins`);
  }
  const removals = made.map((each) => removeOne(situation, shown, 'Deleting', each));
  const next = removals.find(({ step }) => step.type === 'call');
  if (next) return next.step;
  const [first] = removals;
  if (first) return first.blockedForMs === undefined ? first.step : withNextVisitIn(first.step, first.blockedForMs);
  if (peerings.state !== 'unknown') return undefined;
  const message = `making sure that peering ${listed(peerings.missing ?? [])} is gone from the cloud`;
  return wait('Deleting', message, { afterMs: intervals.forCloudMs });
};
