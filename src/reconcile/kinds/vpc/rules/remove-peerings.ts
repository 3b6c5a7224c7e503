import type { ReconcilingReason } from '../../../../resources/condition.ts';
import { peeringId } from '../../../../cloud/wire/peering.ts';
import { vpcId } from '../../../../cloud/wire/vpc.ts';
import type { MadePeering } from '../../../record/record.ts';
import { withoutRemoved, withPeering } from '../../../record/record-changes.ts';
import { refusedEarlier, withNextVisitIn, type Change } from '../../../decide/pending-change.ts';
import type { PendingChange } from '../../../situation/situation.ts';
import type { DeletePeeringAction } from '../../../step/action.ts';
import { call, wait, write } from '../../../step/step.ts';
import { isAwaitingEffect, isDeleteAnswered, type LastOperation } from '../../../situation/last-operation.ts';
import { mayHaveKey, peeringKey } from '../peerings.ts';
import type { ShownVpc, DeletingVpc, ObservedPeerings, VpcSituation } from '../situation.ts';
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
  // A peering that is shown without its whole address may be the wanted one.
  const isWanted = (object.spec.peerings ?? []).map(peeringKey).some((each) => each === key || (shown && mayHaveKey(shown, each)));
  if (isWanted && removalAskedAt === undefined) return undefined;
  if (!shown && isDeleteAnswered(last, id, 'deletePeering')) {
    return {
      name,
      step: write({ type: 'writeRecord', record: withoutRemoved(record, key, made) }, `the peering with ${key} is removed`),
    };
  }
  // The deletion has had no effect yet.
  if (isWanted && shown && !isAwaitingEffect(last, 'deletePeering', id, peerings.asOf)) return undefined;
  const asked = { ...made, removalAskedAt: new Date(now).toISOString() };
  const noted = removalAskedAt === undefined ? withPeering(record, key, asked) : undefined;
  return { name, ...removeOne(situation, peerings.asOf, 'PeeringPending', { key, id, isUnshown: !shown, record: noted }) };
}

/**
 * Asks the cloud to remove a peering, unless it is still at that or has refused it just now. One that it does not show is asked for, too, as a resource of its
 * own is: lists and a GET may all be wrong.
 */
function removeOne(
  situation: ShownVpc | DeletingVpc,
  asOf: number,
  reason: ReconcilingReason,
  { key, id, isUnshown, record }: Removal,
): Pick<PendingChange, 'step' | 'blockedForMs'> {
  const last = lastRemoval(situation, id);
  const message = isUnshown ? `making sure that the peering with ${key} is gone from the cloud` : `removing the peering with ${key}`;
  if (!isUnshown && isAwaitingEffect(last, 'deletePeering', id, asOf))
    return { step: wait(reason, message, { inProgressSince: last?.at ?? situation.now, afterMs: intervals.forCloudMs }) };
  const refused = refusedEarlier(situation, 'deletePeering', id);
  if (refused) return refused;
  const inVain = deletedInVain({ ...situation, lastOperation: last }, 'deletePeering', id, `the peering with ${key}`);
  const of = { vpcId: vpcId.parse(situation.id), key, id: peeringId.parse(id) };
  return { step: call({ type: 'deletePeering', ...of, record, inVain, isUnshown }, { reason, message }) };
}

type Removal = Pick<DeletePeeringAction, 'key' | 'isUnshown' | 'record'> & { readonly id: string };

/** The removal of this peering that the cloud accepted. Other changes may have been accepted since; a new process knows the last one alone. */
function lastRemoval(
  { lastOperation: last, removals }: Pick<VpcSituation, 'lastOperation' | 'removals'>,
  id: string,
): LastOperation | undefined {
  const at = removals.get(id);
  return at === undefined ? last : { operation: 'deletePeering', wanted: id, at };
}

/**
 * Before the VPC is deleted, deletes the peerings that this object created, and no others. The DELETEs do not wait for each other: each takes as long as lists
 * lag.
 */
export const removePeerings: Rule<Unheld<DeletingVpc>> = (situation) => {
  const { deletion, id: vpc, peerings, record } = situation;
  const unresolved = resolvePeerings(situation) ?? openRequest(situation);
  if (unresolved) return unresolved;
  const { shown, asOf } = shownIn(peerings);
  const made = Object.entries(record.peerings ?? {}).flatMap(([key, peering]) =>
    'id' in peering && shown.has(peering.id) ? { key, id: peering.id } : [],
  );
  if (made.length > 0 && !deletion.started) {
    const begun = deletionRecord(situation, vpc);
    return write({ type: 'startDeletion', id: vpc, record: begun }, `the deletion of the VPC ${vpc} begins`);
  }
  const removals = made.map((each) => removeOne(situation, asOf, 'Deleting', { ...each, isUnshown: false, record: undefined }));
  const next = removals.find(({ step }) => step.type === 'call');
  if (next) return next.step;
  const [first] = removals;
  const missing = peerings.state === 'unknown' ? peerings.missing : undefined;
  const message = `making sure that the peering ${missing?.join(', ')} is gone from the cloud`;
  const waits = missing ? wait('Deleting', message, { afterMs: intervals.forCloudMs }) : awaitPeerings(situation);
  if (waits || !first) return waits;
  return first.blockedForMs === undefined ? first.step : withNextVisitIn(first.step, first.blockedForMs);
};

/** The ids that the last list shows, though others may be missing from it. */
function shownIn(peerings: ObservedPeerings): { readonly shown: ReadonlySet<string>; readonly asOf: number } {
  if (peerings.state === 'read') return { shown: new Set(peerings.peerings.flatMap(({ id }) => id ?? [])), asOf: peerings.asOf };
  const list = peerings.state === 'unknown' ? peerings.shown : undefined;
  return { shown: new Set(list?.items.keys()), asOf: list?.begunAt ?? 0 };
}
