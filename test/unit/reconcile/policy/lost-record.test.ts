import { describe, expect, test } from 'vitest';
import { decideReplicaSet } from '../../../../src/reconcile/kinds/replica-set/kind.ts';
import { defaultOptions } from '../../../support/default-options.ts';
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
  const bySecret = { ...lost, identity: known({ by: 'secret' }) };
  const ownKey = { account: usableAccount({ operatorsOwn: true }) };
  const restored = recordOf('svc-1', { claimedAt: new Date(noon).toISOString(), password: 'unmanaged' });
  const notAllowed = {
    type: 'stall',
    reason: 'NotAllowed',
    message: 'only the connection Secret says that this object has svc-1',
  } as const;
  const held = { type: 'stall', reason: 'SecretConflict', message: 'example.com/backup holds Secret "orders-db"' } as const;
  decides([
    ['is written back from status', byStatus, writesBack()],
    ['is written back from status before a deletion', { ...byStatus, deletion }, writesBack()],
    ['is written back from status without a key', { ...byStatus, ...noKey }, writesBack()],
    ["is written back from status also with the operator's key", { ...byStatus, ...ownKey }, writesBack()],
    [
      'is written back with what else is known',
      { ...byStatus, status: { passwordManaged: true } },
      writesBack({ ...restored, password: 'managed' }),
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
    ['is written back from the Secret', bySecret, writesBack()],
    [
      'is written back from the Secret with a key only',
      { ...bySecret, ...noKey },
      { type: 'wait', reason: 'WaitingForCredentials', afterMs: 15_000, message: 'no key' },
    ],
    ["is not written back from the Secret with the operator's key", { ...bySecret, ...ownKey }, notAllowed],
    [
      "is not written back from a Secret that somebody holds while it is deleted, and tells who does, with the operator's key, too",
      {
        ...bySecret,
        ...ownKey,
        secret: { name: 'orders-db', state: 'unusable', why: held, pending: undefined, pendingBlocked: undefined },
      },
      held,
    ],
    [
      "is not written back from the Secret with the operator's key, nor is anything deleted",
      { ...bySecret, ...ownKey, deletion },
      notAllowed,
    ],
    [
      "is written back from the Secret with the operator's key where adoption is allowed",
      { ...bySecret, ...ownKey, options: { ...defaultOptions, sharedProjectAdoption: true } },
      writesBack(),
    ],
  ]);

  test.each([
    ['to a new one', {}, 'have a new one instead'],
    ['out of its deletion', { deletion }, 'let this object go, and leave what may be there'],
  ])('of a replica set that only its Secret knows is told with a way %s that works whoever holds the Secret', (_, given, aim) => {
    const identity = known({ by: 'secret' });
    const parent = { state: 'waiting', message: 'not yet' } as const;
    expect(decideReplicaSet(replicaSetSituation({ record: { id: undefined }, identity, parent, now: noon, ...given }))).toEqual(
      stepLike({
        type: 'wait',
        reason: 'WaitingForCloud',
        afterMs: 15_000,
        message: `looking for it in the cloud; to ${aim}, choose another spec.connectionSecret.name`,
      }),
    );
  });

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
