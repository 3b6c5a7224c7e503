import { describe, expect, test } from 'vitest';
import { decideReplicaSet } from '../../../../../src/reconcile/kinds/replica-set/kind.ts';
import { absent, connection, current, outdated } from '../../../../support/our-secret.ts';
import {
  replicaSecret,
  replicaSetSituation,
  type GivenReplicaSet,
} from '../../../../support/situation-of-others.ts';
import { listFacts, noon } from '../../../../support/situation.ts';
import { stepLike, type ExpectedStep } from '../../../../support/step-like.ts';

type Row = readonly [sentence: string, given: GivenReplicaSet, expected: ExpectedStep];

const requested = { deletion: { requested: true } } as const;
const started = { deletion: { requested: true, started: true } } as const;
const deleteIt = {
  type: 'call',
  reason: 'Deleting',
  action: { type: 'delete', id: 'rs-1' },
} as const;
const deleted = (agoMs: number, id = 'rs-1') => ({
  lastOperation: { operation: 'delete', wanted: id, at: noon - agoMs },
});
const missing = { cloud: { state: 'missing', again: noon + 5_000 } } as const;
const unlisted = {
  type: 'wait',
  reason: 'Deleting',
  afterMs: 5_000,
  message: 'making sure that the replica set is gone from the cloud',
} as const;
const askAgain = {
  ...deleteIt,
  message: 'making sure that the replica set rs-1 is gone from the cloud',
} as const;

describe('a replica set that is being deleted', () => {
  test.each<Row>([
    [
      'gets a DELETE',
      requested,
      { ...deleteIt, message: 'the cloud is deleting the replica set rs-1' },
    ],
    [
      'is waited for once the cloud has accepted the DELETE',
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
      'is waited for while the cloud shows deleting',
      { ...started, ...deleted(60_000), seen: { status: 'deleting' } },
      {
        type: 'wait',
        reason: 'Deleting',
        inProgressSince: noon - 60_000,
        message: 'the cloud is deleting',
      },
    ],
    [
      'and that the list lacks gets a second DELETE, since the cloud has no GET',
      { ...started, ...missing },
      askAgain,
    ],
    [
      'and that the list lacks is waited for during ten seconds after each DELETE',
      { ...started, ...missing, ...deleted(9_999) },
      unlisted,
    ],
    [
      'and that the list lacks gets a further DELETE ten seconds after the last',
      { ...started, ...missing, ...deleted(10_000) },
      askAgain,
    ],
    [
      'and that the list lacks gets no further DELETE after a 404',
      { ...started, ...missing, ...deleted(10_000), list: denied },
      unlisted,
    ],
    [
      'and that the list lacks gets a DELETE right after the DELETE of a second replica set',
      { ...started, ...missing, ...deleted(1_000, 'rs-0') },
      askAgain,
    ],
    [
      'and that the list lacks gets a DELETE right after a different operation',
      {
        ...started,
        ...missing,
        lastOperation: { operation: 'resizeReplicaSet', wanted: 'rs-1', at: noon },
      },
      askAgain,
    ],
    [
      'and whose environment in the cloud is PROD is protected',
      { ...requested, seen: { metadata: { environment: 'PROD' } } },
      {
        type: 'stall',
        reason: 'DeletionProtected',
        retryAfterMs: 60_000,
        message: 'because its environment is PROD',
      },
    ],
    [
      'and whose last seen environment is PROD is protected',
      { ...requested, ...missing, status: { replicaSet: { metadata: { environment: 'PROD' } } } },
      {
        type: 'stall',
        reason: 'DeletionProtected',
        retryAfterMs: 60_000,
        message: 'because its environment is PROD',
      },
    ],
    [
      'and whose spec changes the environment from PROD is not protected',
      { ...requested, spec: { environment: 'DEV' }, seen: { metadata: { environment: 'PROD' } } },
      { ...deleteIt, message: 'the cloud is deleting the replica set rs-1' },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideReplicaSet(replicaSetSituation(given))).toEqual(stepLike(expected));
  });
});

const stores = (message: string) =>
  ({
    type: 'write',
    action: { type: 'storeConnection', isEdited: false },
    message: `Secret "reads-replicas-db" ${message}`,
  }) as const;
const available = { type: 'done', reason: 'Available' } as const;
const withoutPassword = { ...replicaSecret, password: undefined };
const notKept = 'its password may be old, since no ManagedService in this namespace has it';

describe('the connection Secret of a replica set', () => {
  test.each<Row>([
    ['is created if it is absent', { secret: absent(replicaSecret) }, stores('is missing')],
    [
      'is updated if it is outdated',
      { secret: outdated(false, replicaSecret) },
      stores('is brought up to date'),
    ],
    [
      'is updated although the ledger has no password',
      { secret: outdated(false, withoutPassword) },
      stores('is brought up to date'),
    ],
    [
      'has the password of the service',
      {},
      {
        ...available,
        message:
          'the replica set is available at reads.example.com:5432; Secret "reads-replicas-db" has the connection',
      },
    ],
    [
      'has a password that may be old if the ledger has none',
      { secret: current(withoutPassword, [], true) },
      { ...available, message: notKept },
    ],
    [
      'has no password if the ledger has none, and the message calls no password old',
      { secret: current(withoutPassword) },
      {
        ...available,
        message: 'has the connection; no ManagedService in this namespace has its password',
      },
    ],
    [
      'stays as it is, and is not complete, while the cloud has never named the endpoint',
      {
        seen: { endpoint: undefined },
        secret: outdated(false, { connection: { ...connection, direct: undefined } }),
      },
      {
        type: 'wait',
        reason: 'WaitingForCloud',
        message: 'the cloud has not named the endpoint of the replica set yet',
        afterMs: 30_000,
      },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideReplicaSet(replicaSetSituation(given))).toEqual(stepLike(expected));
  });
});

/** A list of a cloud that answered the DELETE of the replica set with 404. */
const denied = listFacts({ isDenied: true });

test('a lost replica set raises no doubt about the key if it was the last of its service', () => {
  const step = decideReplicaSet(
    replicaSetSituation({ cloud: { state: 'absent' }, list: listFacts({ isEmpty: true }) }),
  );
  expect(step).toMatchObject({ type: 'stall', reason: 'Lost' });
  expect('message' in step && step.message).not.toContain('check API key');
});
