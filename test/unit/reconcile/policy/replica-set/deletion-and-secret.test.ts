import { describe, expect, test } from 'vitest';
import { decideReplicaSet } from '../../../../../src/reconcile/kinds/replica-set/kind.ts';
import { connectionSecret } from '../../../../support/our-secret.ts';
import { replicaSecret, replicaSetSituation, type GivenReplicaSet } from '../../../../support/situation-of-others.ts';
import { noon } from '../../../../support/situation.ts';
import { stepLike, type ExpectedStep } from '../../../../support/step-like.ts';

type Row = readonly [sentence: string, given: GivenReplicaSet, expected: ExpectedStep];

const requested = { deletion: { requested: true } } as const;
const started = { deletion: { requested: true, started: true } } as const;
const deleteIt = { type: 'call', reason: 'Deleting', action: { type: 'delete', id: 'rs-1' } } as const;
const deleted = (agoMs: number, id = 'rs-1') => ({ lastOperation: { operation: 'delete', wanted: id, at: noon - agoMs } });
const missing = { cloud: { state: 'missing', again: noon + 5_000 } } as const;
const unlisted = {
  type: 'wait',
  reason: 'Deleting',
  afterMs: 5_000,
  message: 'making sure that the replica set is gone from the cloud',
} as const;
const askAgain = { ...deleteIt, message: 'making sure that the replica set rs-1 is gone from the cloud' } as const;

describe('a replica set that is being deleted', () => {
  test.each<Row>([
    ['is deleted in the cloud', requested, { ...deleteIt, message: 'the cloud is deleting the replica set rs-1' }],
    [
      'is waited for once the cloud has accepted that',
      { ...started, ...deleted(5_000) },
      {
        type: 'wait',
        reason: 'Deleting',
        inProgressSince: noon - 5_000,
        afterMs: 25_000,
        message: 'the cloud is deleting the replica set rs-1',
      },
    ],
    [
      'is waited for while the cloud says so',
      { ...started, ...deleted(60_000), seen: { status: 'deleting' } },
      { type: 'wait', reason: 'Deleting', inProgressSince: noon - 60_000, message: 'the cloud is deleting' },
    ],
    ['and that its list lacks is deleted once more: there is no GET', { ...started, ...missing }, askAgain],
    ['and that its list lacks is given ten seconds after each DELETE', { ...started, ...missing, ...deleted(9_999) }, unlisted],
    ['and that its list lacks is deleted once more after these', { ...started, ...missing, ...deleted(10_000) }, askAgain],
    [
      'and that its list lacks is not asked for a third time once a DELETE was answered with 404',
      { ...started, ...missing, ...deleted(10_000), isNotFoundOnDelete: true },
      unlisted,
    ],
    ['and that its list lacks is deleted though another one was just now', { ...started, ...missing, ...deleted(1_000, 'rs-0') }, askAgain],
    [
      'and that its list lacks is deleted though something else was done just now',
      { ...started, ...missing, lastOperation: { operation: 'resizeReplicaSet', wanted: 'rs-1', at: noon } },
      askAgain,
    ],
    [
      'and that is in PROD in the cloud is protected',
      { ...requested, seen: { metadata: { environment: 'PROD' } } },
      { type: 'wait', reason: 'DeletionProtected', afterMs: 60_000, message: 'because its environment is PROD' },
    ],
    [
      'and that was in PROD when it was seen last is protected',
      { ...requested, ...missing, status: { replicaSet: { metadata: { environment: 'PROD' } } } },
      { type: 'wait', reason: 'DeletionProtected', afterMs: 60_000, message: 'because its environment is PROD' },
    ],
    [
      'and that is to leave PROD is not protected',
      { ...requested, spec: { environment: 'DEV' }, seen: { metadata: { environment: 'PROD' } } },
      { ...deleteIt },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideReplicaSet(replicaSetSituation(given))).toEqual(stepLike(expected));
  });
});

const place = { pending: undefined, pendingBlocked: undefined } as const;
const copy = connectionSecret({ metadata: { name: 'reads-replicas-db-pending' } });
const available = { type: 'done', reason: 'Available' } as const;
const drop = {
  type: 'write',
  action: { type: 'dropConnection', name: 'reads-replicas-db-pending' },
  message: 'is needed no more',
} as const;
const upToDate = { type: 'write', action: { type: 'storeConnection' }, message: 'is brought up to date' } as const;

describe('the connection Secret of a replica set', () => {
  test.each<Row>([
    [
      'is made where there is none',
      { secret: { ...place, name: 'reads-replicas-db', state: 'absent' } },
      { type: 'write', action: { type: 'storeConnection' }, message: 'Secret "reads-replicas-db" is missing' },
    ],
    ['is left while it could not be read', { secret: { ...place, name: 'reads-replicas-db', state: 'unread' } }, available],
    ['is written where it is not as it should be', { secret: replicaSecret({ consistent: false }) }, upToDate],
    [
      'gets another address',
      { seen: {}, connection: { ...replicaSetSituation().connection, direct: { host: 'new.example.com', port: 5432 } } },
      upToDate,
    ],
    ['has a copy of the password no longer than it needs', { secret: replicaSecret({}, { pending: copy }) }, drop],
    ['keeps the copy while it has no password itself', { secret: replicaSecret({ password: 'none' }, { pending: copy }) }, available],
    [
      'keeps the copy while it is being replaced by another Secret, which comes first',
      { secret: replicaSecret({}, { pending: copy }), record: { previousSecretName: 'old' } },
      { type: 'write', action: { type: 'dropConnection', name: 'old' }, message: 'Secret "old" is replaced' },
    ],
    [
      'keeps the copy while somebody holds it',
      {
        secret: replicaSecret(
          { metadata: { deletionTimestamp: '2026-11-21T11:59:00Z', finalizers: ['example.com/hold'] } },
          { pending: copy },
        ),
      },
      upToDate,
    ],
    [
      'is said to be where it is, without an address while there is none',
      {
        connection: { ...replicaSetSituation().connection, direct: undefined },
        secret: { ...place, name: 'reads-replicas-db', state: 'unread' },
      },
      { ...available, message: 'the replica set is available; Secret "reads-replicas-db" has the connection' },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideReplicaSet(replicaSetSituation(given))).toEqual(stepLike(expected));
  });
});
