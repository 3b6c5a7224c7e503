import type { Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { stall, write } from '../step.ts';

/** A record or a finalizer that was lost (`kubectl replace`, a restore) is written back before anything else. */
export const restoreRecord: Rule<Situation> = ({ identity, record, object, hasRecord, hasFinalizer, clusterUid, now, deletion, claim }) => {
  if (identity.state === 'conflict') return stall('RecordConflict', identity.message);
  const lostId = identity.state === 'known' && record.id === undefined && record.attempt === undefined;
  if (lostId) {
    return write(
      {
        type: 'writeRecord',
        record: {
          ...record,
          id: identity.id,
          outcome: 'created',
          ...(identity.projectId === undefined ? {} : { projectId: identity.projectId }),
          clusterUid,
          objectUid: object.metadata.uid,
          claimedAt: new Date(now).toISOString(),
        },
      },
      `the record of ${identity.id} was lost and is written back`,
    );
  }
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
