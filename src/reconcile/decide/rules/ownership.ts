import type { ResourceRecord } from '../../../resources/ledger-entry.ts';
import { annotations } from '../../../resources/annotations.ts';
import { deleteCommand, externalIdOf, nameFor } from '../../situation/neighbours.ts';
import type { Situation } from '../../situation/situation.ts';
import { intervals } from '../../step/intervals.ts';
import { stall, write, type Step } from '../../step/step.ts';
import type { ManagedObject } from '../../../resources/managed-object.ts';
import type { Rule } from '../rule.ts';
import { release, releaseAs } from './deletion.ts';

/** An object that is not bound to a resource only reports, and is deleted without an effect on the cloud. */
export const ownsResource: Rule<Situation> = (situation) => {
  const { claim, deletion, object, noun, identity, record } = situation;
  const thing = identity.state === 'known' ? `${noun} ${identity.id}` : `the ${noun}`;
  switch (claim.state) {
    case 'ours':
      if (!record.isShared || deletion.requested) return undefined;
      return write({ type: 'writeRecord', record: sharing(record, undefined) }, `${thing} has one owner again`);
    case 'rebind':
      return undefined;
    case 'contested':
      if (deletion.requested) return release(situation, `${thing} has another owner and stays`);
      if (!record.isShared) return write({ type: 'writeRecord', record: sharing(record, true) }, `${thing} has two owners`);
      return stall('NotBound', `${thing} belongs to ${nameFor(object, claim.rival)}, too: ${adviceToDelete(object)}`, {
        retryAfterMs: intervals.forPersonMs,
      });
    case 'elsewhere':
      if (deletion.requested)
        return abandon(
          situation,
          object.status?.id,
          `belongs to another cluster and stays; apply this object again with the operator's --accept-objects-of-cluster ${claim.clusterUid}`,
        );
      return stall(
        'OwnedElsewhere',
        `the ${noun} belongs to another cluster: when that no longer manages it, start the operator with --accept-objects-of-cluster ${claim.clusterUid}`,
      );
    case 'unlabelled':
      return stall('NotBound', `ledger entry ${claim.entry} lost its label: ${claim.label}`, {
        retryAfterMs: intervals.forPersonMs,
      });
    case 'unbound': {
      const again = `apply it again with ${externalIdOf(claim.id === undefined ? [] : [claim.id])}`;
      if (deletion.requested) return abandon(situation, claim.id, `may still be in the cloud, and ${claim.why}; ${again}`);
      return stall('NotBound', `${claim.why}: restore it, or annotate ${waysOut(claim.id)}`, {
        retryAfterMs: intervals.forPersonMs,
      });
    }
  }
};

/** Releases the object with an event about its resource, which no object stands for any more. */
function abandon(situation: Situation, shownId: string | undefined, words: string): Step {
  const { identity, record, object, noun } = situation;
  const id = identity.state === 'known' ? identity.id : shownId;
  const projectId = record.projectId ?? object.status?.projectId;
  const thing = `${id === undefined ? `the ${noun}` : `${noun} ${id}`}${projectId === undefined ? '' : ` in project ${projectId}`}`;
  return releaseAs('abandoned', situation, `${thing} ${words}`);
}

/**
 * Each owner reports that its deletion has no effect on the cloud. If both are deleted at once, the last is
 * then the only owner, and must know that.
 */
function sharing({ isShared: _before, ...rest }: ResourceRecord, isShared: true | undefined): ResourceRecord {
  return isShared ? { ...rest, isShared } : rest;
}

/** The annotations that bind an object again: to the resource in its status, or to a new resource. */
function waysOut(id: string | undefined): string {
  const create = id === undefined ? `remove ${annotations.ledger}` : `${annotations.createAnyway}=${id}`;
  return `${externalIdOf(id === undefined ? [] : [id])} to adopt, or ${create} for another`;
}

/** The advice for two objects with the same resource: a user must delete either object. */
export function adviceToDelete(object: ManagedObject): string {
  return `delete this object, which keeps it in the cloud: ${deleteCommand(object)}`;
}

/** Ensures ledger entry and finalizer (after a restore, `kubectl replace`) before any other work, also while the object is suspended. */
export const hold: Rule<Situation> = ({ claim, record, hasFinalizer, hasPointer, deletion, noun }) => {
  if (claim.state === 'rebind')
    return write({ type: 'rebind', entry: claim.entry }, `the object takes over the ledger entry of its ${noun}`);
  const isNeeded = record.id !== undefined || record.attempt !== undefined;
  if (!isNeeded || deletion.requested || (hasFinalizer && hasPointer)) return undefined;
  return write({ type: 'hold' }, `the ${hasFinalizer ? 'ledger pointer' : 'finalizer'} was lost and is written back`);
};

/** A single entry is about a resource: entries of earlier objects are deleted once their passwords are in the entry of this object. */
export const dropLeftEntries: Rule<Situation> = ({ leftEntries: names }) =>
  names.length === 0
    ? undefined
    : write({ type: 'dropEntries', names }, `ledger entry ${names.join(', ')} of an earlier object is deleted`);
