import type { ResourceRecord } from '../record.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { stall, wait, write } from '../step.ts';

const lookAgainMs = 15_000;

/**
 * A record or a finalizer that was lost (`kubectl replace`, a restore) is written back before anything else.
 * @param partsOf what a kind knows beside the id; undefined while something that belongs into the record is not known
 */
export function restoreRecord<S extends Situation>(partsOf: (situation: S) => Partial<ResourceRecord> | undefined): Rule<S> {
  return (situation) => {
    const { identity, record, object, hasRecord, hasFinalizer, clusterUid, now, deletion, claim, account, policy, words } = situation;
    if (identity.state === 'conflict') return stall('RecordConflict', identity.message);
    const lostId = identity.state === 'known' && record.id === undefined && record.attempt === undefined;
    if (lostId) {
      // Anybody who may write Secrets can make one that names an id; status and record are the operator's alone.
      const isSecretsWordAlone = identity.by === 'secret';
      if (isSecretsWordAlone && account.state !== 'usable') return undefined;
      const isOwnKey = account.state === 'usable' && account.account.operatorsOwn && !policy.sharedProjectAdoption;
      if (isSecretsWordAlone && isOwnKey) {
        return stall(
          'NotAllowed',
          `only the connection Secret says that this object has ${identity.id}, and the operator's key reaches all that is in its project: set spec.credentialsRef to a key of your own, ask whoever runs the operator to allow adoption, or delete that Secret to have a new ${words.noun}`,
        );
      }
      const parts = partsOf(situation);
      if (!parts) {
        const message = `the record of ${identity.id} was lost, and it is not known yet where the ${words.noun} hangs: looking for it in the cloud`;
        return wait('WaitingForCloud', message, { afterMs: lookAgainMs });
      }
      const projectId = identity.projectId ?? (account.state === 'usable' ? account.account.projectId : undefined);
      return write(
        {
          type: 'writeRecord',
          record: {
            ...record,
            id: identity.id,
            outcome: 'created',
            ...(projectId === undefined ? {} : { projectId }),
            clusterUid,
            objectUid: object.metadata.uid,
            claimedAt: new Date(now).toISOString(),
            ...parts,
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
}
