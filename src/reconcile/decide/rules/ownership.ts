import { withoutAttempt } from '../../record/record-changes.ts';
import type { ResourceRecord } from '../../record/record.ts';
import type { ManagedObject } from '../../../resources/managed-object.ts';
import { release, releaseAs } from './deletion.ts';
import type { Rule } from '../rule.ts';
import { createOfAnother } from '../../situation/identity.ts';
import { deleteCommand } from '../../situation/commands.ts';
import { isInSameNamespace, nameFor } from '../../situation/neighbours.ts';
import type { Claimant, Identity, Situation } from '../../situation/situation.ts';
import { claimedThing, takeOverCommand } from '../../situation/take-over.ts';
import { stall, type Step, wait, write } from '../../step/step.ts';
import { intervals } from '../../step/intervals.ts';

/**
 * Nothing is called while the object's own data name two things, nor is the object let go: of the two, another object owns one at most, and who is told to
 * delete this object would leave the other behind unnamed. What was restored into another cluster only looks: mended there, its record would be written back
 * as one of this cluster, and a deletion would be that of the other cluster's resource.
 */
export const contradiction: Rule<Situation> = (situation) => {
  const { claim, identity, idBeside } = situation;
  if (claim.state === 'elsewhere') return undefined;
  if (identity.state === 'conflict') return stall('RecordConflict', `${whoHasIt(situation)}${identity.message}`);
  // What came of a create is found out by the object that began it, and never by this one.
  if (claim.state === 'ours' || claim.state === 'restored' || idBeside === undefined) return undefined;
  return stall('RecordConflict', `${whoHasIt(situation)}${createOfAnother(situation, idBeside.id)}`);
};

function whoHasIt(situation: Situation): string {
  const { claim, object } = situation;
  switch (claim.state) {
    case 'another':
      return `${claimedThing(situation)} belongs to ${nameFor(object, claim.owner)}; `;
    case 'undecided':
      return `${claimedThing(situation)} is claimed by ${nameFor(object, claim.rival)} with the same record; `;
    case 'ours':
    case 'restored':
    case 'elsewhere':
      return '';
  }
}

/** A resource has one owner. Another object only reports, and is deleted without an effect on the cloud. */
export const yieldToOwner: Rule<Situation> = (situation) => {
  const { claim, deletion, object, noun, identity } = situation;
  if (claim.state === 'ours') return undefined;
  if (claim.state === 'restored') {
    // A copy whose original is gone looks like a restored object: only an object that became the owner while it lived deletes the resource.
    if (!deletion.requested || identity.state !== 'known') return undefined;
    const message = `the ${noun} ${identity.id} stays in the cloud: this copied or restored object was deleted before it became the owner; adopt it with the annotation managed-db.io/external-id=${identity.id}`;
    return releaseAs('abandoned', situation, message);
  }
  if (deletion.requested) return release(situation, `the ${noun} belongs to somebody else and stays`);
  const thing = claimedThing(situation);
  const takeOver = takeOverCommand(object, situation);
  switch (claim.state) {
    case 'another': {
      const advice = adviceToDeleteOne(object, claim.owner);
      return stall('OwnedByAnother', `${thing} belongs to ${nameFor(object, claim.owner)}: ${advice}`, {
        retryAfterMs: intervals.forPersonMs,
      });
    }
    case 'undecided':
      return stall(
        'OwnedByAnother',
        `${thing} is claimed by ${nameFor(object, claim.rival)} with the same record, and nobody acts for it: delete the one that is a copy, or say that this one counts: ${takeOver}`,
        { retryAfterMs: intervals.forPersonMs },
      );
    case 'elsewhere':
      return stall('OwnedElsewhere', `${thing} belongs to an object in ${claim.where}; once that one no longer manages it: ${takeOver}`);
  }
};

/** The advice for two objects with one resource: one of them must be deleted. */
export function adviceToDeleteOne(object: ManagedObject, owner: Claimant): string {
  const other = isInSameNamespace(object, owner)
    ? 'or that one with spec.deletionPolicy Retain'
    : 'or ask whoever runs the operator, whose log names that one';
  return `delete this object, which deletes nothing in the cloud, ${other}: ${deleteCommand(object)}`;
}

export type PartsOf<S> = (situation: S) => Partial<ResourceRecord> | undefined;

/**
 * Restores a lost record or finalizer (`kubectl replace`, a restore) before any other work, also of a suspended object.
 * @param partsOf the parts of the record beside the id, mostly from status; undefined while a necessary part is unknown
 */
export function restoreRecord<S extends Situation>(partsOf: PartsOf<S>): Rule<S> {
  return (situation) => {
    const { identity, record, object, attempt, hasRecord, isRecordLost, hasFinalizer, clusterUid, deletion, claim } = situation;
    // What came of a create is recorded by its own rule, even where Kubernetes does not keep the lost record. Suspend holds that rule back.
    if (isRecordLost && !(isResolved(attempt) && object.spec.suspend !== true))
      return write({ type: 'writeRecord', record }, 'the record was taken away and is written back');
    if (identity.state === 'known' && identity.by !== 'record') return restoreLost(situation, identity, partsOf);
    if (claim.state === 'restored') {
      return write(
        { type: 'writeRecord', record: { ...record, clusterUid, objectUid: object.metadata.uid } },
        'the object was restored: its record is renewed',
      );
    }
    if (hasRecord && !hasFinalizer && !deletion.requested && claim.state === 'ours') {
      return write({ type: 'writeRecord', record }, 'the finalizer was lost and is written back');
    }
    return undefined;
  };
}

/** Whether it is known what came of a create, without a word of a person. */
function isResolved(attempt: Situation['attempt']): boolean {
  return attempt?.state === 'judged' && ['one', 'none'].includes(attempt.verdict.kind);
}

/** Restores a record from status or the ledger, which know the id. An attempt that the record still has was refused. */
function restoreLost<S extends Situation>(
  situation: S,
  { id, projectId: known }: Extract<Identity, { state: 'known' }>,
  partsOf: PartsOf<S>,
): Step | undefined {
  const { record, object, clusterUid, now, account, noun } = situation;
  const parts = partsOf(situation);
  if (!parts) {
    const message = `the record of ${id} was lost, and it is not known yet where the ${noun} hangs: looking for it in the cloud`;
    return wait('WaitingForCloud', message, { afterMs: intervals.forTraceMs });
  }
  const projectId = known ?? (account.state === 'usable' ? account.account.projectId : undefined);
  const restored: ResourceRecord = {
    ...withoutAttempt(record),
    id,
    // Nobody knows whether the operator chose its password.
    outcome: 'adopted',
    ...(projectId === undefined ? {} : { projectId }),
    clusterUid,
    objectUid: object.metadata.uid,
    claimedAt: new Date(now).toISOString(),
    ...parts,
  };
  return write({ type: 'writeRecord', record: restored }, `the record of ${id} was lost and is written back`);
}
