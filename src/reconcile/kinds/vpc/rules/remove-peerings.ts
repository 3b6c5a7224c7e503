import { peeringId } from '../../../../cloud/wire/peering.ts';
import { vpcId } from '../../../../cloud/wire/vpc.ts';
import type { MadePeering } from '../../../record/record.ts';
import { withoutRemoved, withPeering } from '../../../record/record-changes.ts';
import { refusedEarlier, withNextVisitIn, type Change } from '../../../decide/pending-change.ts';
import type { PendingChange } from '../../../situation/situation.ts';
import { call, wait, write } from '../../../step/step.ts';
import { isAwaitingEffect, isDeleteAnswered, type LastOperation } from '../../../situation/last-operation.ts';
import { mayHaveKey, peeringKey } from '../peerings.ts';
import type { ShownVpc, DeletingVpc, VpcSituation } from '../situation.ts';
import { intervals } from '../../../step/intervals.ts';
import { deletedInVain, deletionRecord } from '../../../decide/rules/deletion.ts';
import type { Rule, Unheld } from '../../../decide/rule.ts';
import { awaitPeerings, openRequest, resolvePeerings } from './peerings.ts';

const name = 'peerings';

/**
 * Deletes peerings that this object created and the spec no longer names. An existing one of others is left. A refused deletion does not hold up the others.
 */
export const removeUnwantedPeerings: Change<ShownVpc> = {
  pending(situation) {
    const removals = Object.entries(situation.record.peerings ?? {}).flatMap(([key, recorded]) => {
      const removal = 'id' in recorded ? removalOf(situation, key, recorded) : undefined;
      return removal ? [removal] : [];
    });
    return removals.find(({ blockedForMs }) => blockedForMs === undefined) ?? removals[0];
  },
};

/**
 * The deletion of one peering. If the spec names it again after the removal was asked for, the cloud may still carry that out, at any time. Once it has, and a
 * DELETE was answered, the peering is requested anew: the first one is not left behind.
 */
function removalOf(situation: ShownVpc, key: string, made: MadePeering): PendingChange | undefined {
  const { object, peerings, record, now } = situation;
  const { id, removalAskedAt } = made;
  const last = lastRemoval(situation, id);
  if (peerings.state !== 'read') return undefined;
  const shown = peerings.peerings.find((peering) => peering.id === id);
  // One that is shown without its whole address may be the wanted one, whatever a restored record says.
  const isWanted = (object.spec.peerings ?? []).map(peeringKey).some((each) => each === key || (shown && mayHaveKey(shown, each)));
  if (isWanted && removalAskedAt === undefined) return undefined;
  if (!shown && isDeleteAnswered(last, id, 'deletePeering')) {
    return {
      name,
      step: write({ type: 'writeRecord', record: withoutRemoved(record, key, made) }, `the peering with ${key} is removed`),
    };
  }
  // Lists and a GET may all be wrong. So the cloud is still asked to remove it, as for a resource of its own.
  const message = shown ? `removing the peering with ${key}` : `making sure that the peering with ${key} is gone from the cloud`;
  if (shown && isAwaitingEffect(last, 'deletePeering', id, peerings.asOf))
    return { name, step: wait('PeeringPending', message, { inProgressSince: last?.at ?? now, afterMs: intervals.forCloudMs }) };
  if (isWanted && shown) return undefined; // the deletion has had no effect yet
  const refused = refusedEarlier(situation, 'deletePeering', id);
  if (refused) return { name, ...refused };
  const inVain = deletedInVain({ ...situation, lastOperation: last }, 'deletePeering', id, `the peering with ${key}`);
  const asked = { ...made, removalAskedAt: new Date(now).toISOString() };
  const noted = removalAskedAt === undefined ? withPeering(record, key, asked) : undefined;
  const step = call(
    { type: 'deletePeering', vpcId: vpcId.parse(situation.id), key, id: peeringId.parse(id), record: noted, inVain, isUnshown: !shown },
    { reason: 'PeeringPending', message },
  );
  return { name, step };
}

/** The removal of this peering that the cloud accepted. Other changes may have been accepted since; a new process knows the last one alone. */
function lastRemoval(
  { lastOperation: last, removals }: Pick<VpcSituation, 'lastOperation' | 'removals'>,
  id: string,
): LastOperation | undefined {
  const at = removals.get(id);
  return at === undefined ? last : { operation: 'deletePeering', wanted: id, at };
}

/** Before the VPC is deleted, deletes the peerings that this object created, and no others. */
export const removePeerings: Rule<Unheld<DeletingVpc>> = (situation) => {
  const { deletion, id: vpc, peerings, record, now } = situation;
  const unresolved = awaitPeerings(situation) ?? resolvePeerings(situation) ?? openRequest(situation);
  if (unresolved || peerings.state !== 'read') return unresolved;
  for (const [key, recorded] of Object.entries(record.peerings ?? {})) {
    if (!('id' in recorded) || !peerings.peerings.some(({ id }) => id === recorded.id)) continue;
    if (!deletion.started) {
      const begun = deletionRecord(situation, vpc);
      return write({ type: 'startDeletion', id: vpc, record: begun }, `the deletion of the VPC ${vpc} begins`);
    }
    const message = `removing the peering with ${key}`;
    const last = lastRemoval(situation, recorded.id);
    if (isAwaitingEffect(last, 'deletePeering', recorded.id, peerings.asOf))
      return wait('Deleting', message, { inProgressSince: last?.at ?? now, afterMs: intervals.forCloudMs });
    const refused = refusedEarlier(situation, 'deletePeering', recorded.id);
    if (refused) return withNextVisitIn(refused.step, refused.blockedForMs);
    const inVain = deletedInVain({ ...situation, lastOperation: last }, 'deletePeering', recorded.id, `the peering with ${key}`);
    const id = peeringId.parse(recorded.id);
    return call(
      { type: 'deletePeering', vpcId: vpcId.parse(vpc), key, id, record: undefined, inVain, isUnshown: false },
      { reason: 'Deleting', message },
    );
  }
  return undefined;
};
