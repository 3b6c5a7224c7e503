import { describe, expect, test } from 'vitest';
import { decideReplicaSet } from '../../../../src/reconcile/kinds/replica-set/kind.ts';
import { decides } from '../../../support/policy-rows.ts';
import { replicaSetSituation } from '../../../support/situation-of-others.ts';
import { chosenAttempt, known, noon, notCreated, recordOf } from '../../../support/situation.ts';
import { stepLike } from '../../../support/step-like.ts';
import { usableAccount } from '../../../support/usable-account.ts';

const deletion = { requested: true };
const noKey = { account: { state: 'missing', message: 'no key' } } as const;

describe('a record that was lost', () => {
  const writesBack = (record: object = restored) =>
    ({ type: 'write', action: { type: 'writeRecord', record }, message: 'the record of svc-1 was lost and is written back' }) as const;
  const lost = { ...notCreated, cloud: { state: 'unknown', error: undefined } } as const;
  const byStatus = { ...lost, identity: known({ by: 'status' }) };
  const byLedger = { ...lost, identity: known({ by: 'ledger' }) };
  const ownKey = { account: usableAccount({ operatorsOwn: true }) };
  const restored = recordOf('svc-1', { claimedAt: new Date(noon).toISOString(), outcome: 'adopted' });
  decides([
    ['is written back from status', byStatus, writesBack()],
    ['is written back from status before a deletion', { ...byStatus, deletion }, writesBack()],
    ['is written back from status without a key', { ...byStatus, ...noKey }, writesBack()],
    ["is written back from status also with the operator's key", { ...byStatus, ...ownKey }, writesBack()],
    [
      'is written back with what else is known',
      { ...byStatus, status: { vpcManaged: true, vpcId: 'vpc-1' } },
      writesBack({ ...restored, vpcAttachment: 'vpc-1' }),
    ],
    [
      'is in the project of the key if nothing else says so',
      { ...byStatus, identity: known({ by: 'status', projectId: undefined }), account: usableAccount({ project: 'prj-2' }) },
      writesBack({ ...restored, projectId: 'prj-2' }),
    ],
    [
      'is in no project that is known without a key',
      { ...byStatus, identity: known({ by: 'status', projectId: undefined }), ...noKey },
      writesBack({ ...restored, projectId: undefined }),
    ],
    [
      'closes a create that is older than what status knows',
      { ...byStatus, record: { ...lost.record, attempt: chosenAttempt } },
      writesBack(),
    ],
    ['is written back from the ledger', byLedger, writesBack()],
    ['is written back from the ledger before a deletion', { ...byLedger, deletion }, writesBack()],
    ['is written back from the ledger without a key', { ...byLedger, ...noKey }, writesBack()],
    ["is written back from the ledger with the operator's key", { ...byLedger, ...ownKey }, writesBack()],
  ]);

  test('of a replica set is not written back before it is known where it hangs', () => {
    const given = { record: { id: undefined }, identity: { ...known(), by: 'status' }, now: noon } as const;
    expect(decideReplicaSet(replicaSetSituation({ ...given, parent: { state: 'waiting', message: 'not yet' } }))).toEqual(
      stepLike({ type: 'wait', reason: 'WaitingForCloud', afterMs: 15_000, message: 'it is not known yet where the replica set hangs' }),
    );
    expect(decideReplicaSet(replicaSetSituation(given))).toMatchObject({
      type: 'write',
      action: { record: { id: 'svc-1', parentServiceId: 'svc-1' } },
    });
  });
});
