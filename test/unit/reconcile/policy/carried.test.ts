import { describe, expect, test } from 'vitest';
import { initialOrigin, rotationOrigin } from '../../../../src/reconcile/step/password-origin.ts';
import type { Step } from '../../../../src/reconcile/step/step.ts';
import type { Attempt } from '../../../../src/reconcile/record/record.ts';
import { annotations } from '../../../../src/resources/annotations.ts';
import { creates } from '../../../support/policy-rows.ts';
import { decideVpc } from '../../../../src/reconcile/kinds/vpc/kind.ts';
import { decideReplicaSet } from '../../../../src/reconcile/kinds/replica-set/kind.ts';
import { connection, connectionSecret, ourSecret } from '../../../support/our-secret.ts';
import { decided } from '../../../support/decided.ts';
import { rotate, secretWith } from '../../../support/passwords.ts';
import { chosenAttempt, firstOf, notCreated, recordOf, type GivenService } from '../../../support/situation.ts';
import { replicaSecret, replicaSetSituation, vpcSituation } from '../../../support/situation-of-others.ts';

/** All that an action says: it is carried out without another look at what was decided upon. */
type Row = readonly [sentence: string, given: GivenService, action: object];

const secret = { name: 'orders-db', pendingName: 'orders-db-pending', id: 'svc-1', projectId: 'prj-1', labels: {}, annotations: {} };
const asked = { connectionSecret: { labels: { team: 'a' }, annotations: { note: 'b' } } };
const absent = { name: 'orders-db', pending: undefined, pendingBlocked: undefined, state: 'absent' } as const;
const deleted = ourSecret({ metadata: { deletionTimestamp: '2026-11-21T11:59:00Z' } });
const aboutTheSecret: readonly Row[] = [
  [
    'the Secret is stored for the resource, with the connection and what the user wants on it',
    { secret: ourSecret({ consistent: false }), spec: asked },
    { type: 'storeConnection', secret: { ...secret, ...asked.connectionSecret }, connection, passwordFrom: undefined },
  ],
  ['the Secret is made again for the resource', { secret: deleted }, { type: 'remakeConnection', secret }],
  [
    'the Secret moves: the record names both until the old one is gone',
    { nextSecret: { ...absent, name: 'mine' } },
    {
      type: 'moveConnection',
      to: 'mine',
      secret: { ...secret, pendingName: 'mine-pending' },
      connection,
      passwordFrom: undefined,
      record: recordOf('svc-1', { secretName: 'mine', previousSecretName: 'orders-db' }),
    },
  ],
  [
    'the move that was begun is over with it',
    { nextSecret: { ...absent, name: 'mine' }, record: { nextSecretName: 'mine' } },
    {
      type: 'moveConnection',
      to: 'mine',
      secret: { ...secret, pendingName: 'mine-pending' },
      connection,
      passwordFrom: undefined,
      record: recordOf('svc-1', { secretName: 'mine', previousSecretName: 'orders-db' }),
    },
  ],
  [
    'the Secret of a move that was taken back goes, and the record forgets it',
    { record: { nextSecretName: 'mine' } },
    { type: 'dropConnection', name: 'mine', secret, record: recordOf('svc-1') },
  ],
  [
    'the old Secret goes, and the record forgets it',
    { record: { previousSecretName: 'before' } },
    { type: 'dropConnection', name: 'before', secret, record: recordOf('svc-1') },
  ],
];
const aboutThePassword: readonly Row[] = [
  [
    'the origin of the password is noted in the Secret',
    secretWith(undefined),
    { type: 'notePassword', origin: 'as found', secret, connection, passwordFrom: undefined },
  ],
  [
    'a password of ours is set: the record says so already',
    { ...rotate, ...secretWith('rotation r0') },
    {
      type: 'setPassword',
      id: 'svc-1',
      origin: rotationOrigin('r1'),
      source: undefined,
      secret,
      connection,
      record: undefined,
    },
  ],
  [
    'a password that is on its way arrives from its Secret, though that has the name of an earlier connection',
    secretWith('initial', {}, { pending: connectionSecret({ metadata: { name: 'before-pending' } }) }),
    {
      type: 'setPassword',
      id: 'svc-1',
      origin: initialOrigin,
      source: undefined,
      secret: { ...secret, pendingName: 'before-pending' },
      connection,
      record: undefined,
    },
  ],
  [
    'a password that was not ours is set: the record says so afterwards',
    { ...rotate, ...secretWith('rotation r0'), record: { password: 'unmanaged', replaces: 'svc-0' } },
    {
      type: 'setPassword',
      id: 'svc-1',
      origin: rotationOrigin('r1'),
      source: undefined,
      secret,
      connection,
      record: recordOf('svc-1', { password: 'managed', replaces: 'svc-0' }),
    },
  ],
];

const passwordTo = {
  secret: { name: 'orders-db', pendingName: 'orders-db-pending', id: undefined, projectId: 'prj-1', labels: {}, annotations: {} },
  connection,
  origin: initialOrigin,
};
const requested = { deletion: { requested: true } };
const begun = recordOf('svc-1', { deletionStarted: 'svc-1 uid' });
const toItsEnd: readonly Row[] = [
  ['the password of a new service goes into its Secret', notCreated, creates({ passwordTo })],
  [
    'the first password answers the first rotation, and the Secret has what the user wants on it',
    { ...notCreated, spec: { ...asked, password: { rotation: 'r1' } } },
    creates({ passwordTo: { ...passwordTo, secret: { ...passwordTo.secret, ...asked.connectionSecret }, origin: rotationOrigin('r1') } }),
  ],
  [
    'what is made in the place of a lost service has a Secret that does not name the lost one',
    { cloud: { state: 'absent' }, annotations: { [annotations.allowRecreate]: 'svc-1' } },
    creates({ record: recordOf('svc-1'), passwordTo }),
  ],
  [
    'a deletion is written down first',
    requested,
    { type: 'delete', id: 'svc-1', operation: 'deleteService', args: ['svc-1'], record: begun, isUnshown: false, isCalledDeleted: false },
  ],
  [
    'a deletion that was begun is asked for again',
    { deletion: { requested: true, started: true }, record: { deletionStarted: 'svc-1 uid' } },
    {
      type: 'delete',
      id: 'svc-1',
      operation: 'deleteService',
      args: ['svc-1'],
      record: undefined,
      isUnshown: false,
      isCalledDeleted: false,
    },
  ],
  [
    'a deletion that makes sure of an absence says so',
    { ...requested, cloud: { state: 'absent' } },
    { type: 'delete', id: 'svc-1', operation: 'deleteService', args: ['svc-1'], record: begun, isUnshown: true, isCalledDeleted: false },
  ],
  [
    'a deletion of what the cloud calls deleted says so',
    { ...requested, cloud: { state: 'absent', word: 'DELETED' } },
    { type: 'delete', id: 'svc-1', operation: 'deleteService', args: ['svc-1'], record: begun, isUnshown: true, isCalledDeleted: true },
  ],
];

describe('an action of a service carries all that is done', () => {
  test.each([...aboutTheSecret, ...aboutThePassword, ...toItsEnd])('%s', (_, given, action) => {
    expect(actionOf(decided(given))).toEqual(action);
  });
});

const ofReplicaSet = {
  name: 'reads-replicas-db',
  pendingName: 'reads-replicas-db-pending',
  id: 'rs-1',
  projectId: 'prj-1',
  labels: {},
  annotations: {},
};

describe('an action of a replica set carries all that is done', () => {
  test('the Secret is stored with the password of its service', () => {
    const step = decideReplicaSet(replicaSetSituation({ secret: replicaSecret({ consistent: false }), parentSecret: connectionSecret() }));
    expect(actionOf(step)).toMatchObject({ type: 'storeConnection', secret: ofReplicaSet, passwordFrom: 'orders-db' });
  });
  test('a leftover goes, and the record stays as it is', () => {
    const pending = connectionSecret({ metadata: { name: 'reads-replicas-db-pending' } });
    const step = decideReplicaSet(replicaSetSituation({ secret: replicaSecret({}, { pending }) }));
    expect(actionOf(step)).toEqual({ type: 'dropConnection', name: 'reads-replicas-db-pending', secret: ofReplicaSet, record: undefined });
  });
});

describe('a replica set and a VPC are deleted by', () => {
  test('the id of the replica set and that of its service', () => {
    expect(actionOf(decideReplicaSet(replicaSetSituation(requested)))).toMatchObject({
      type: 'delete',
      id: 'rs-1',
      operation: 'deleteReplicaSet',
      args: ['svc-1', 'rs-1'],
      record: { deletionStarted: 'rs-1 uid' },
    });
  });
  test('the id of the VPC', () => {
    expect(actionOf(decideVpc(vpcSituation(requested)))).toMatchObject({
      type: 'delete',
      id: 'vpc-1',
      operation: 'deleteVpc',
      args: ['vpc-1'],
      record: { deletionStarted: 'vpc-1 uid' },
    });
  });
});

const about = { ids: ['svc-1'], attempt: undefined };
const deletedAs = (wanted: string) => ({ lastOperation: { operation: 'delete', wanted, at: 0 } });
const gone = {
  deletion: { ...requested.deletion, started: true },
  cloud: { state: 'absent', word: 'DELETED' },
  ...deletedAs('svc-1'),
} as const;
const retain = { ...requested, spec: { deletionPolicy: 'Retain' } };
const isMade: Attempt = { ...chosenAttempt, id: 'open' };

describe('of an object that goes, the Secrets', () => {
  test.each<[sentence: string, given: GivenService, released: object]>([
    ['go with what is gone from the cloud', gone, { released: { id: 'svc-1', secretName: 'orders-db', keepsSecrets: false, about } }],
    ['stay with what stays in the cloud', retain, { released: { id: 'svc-1', secretName: 'orders-db', keepsSecrets: true, about } }],
    [
      'stay where the resource is somebody else’s',
      { ...requested, claim: { state: 'another', owner: firstOf('shop') } },
      { released: { id: 'svc-1', secretName: 'orders-db', keepsSecrets: true, about } },
    ],
    [
      'go also where they are about what a recreation replaced',
      { ...gone, record: { replaces: 'svc-0' } },
      { released: { secretName: 'orders-db', keepsSecrets: false, about: { ids: ['svc-0', 'svc-1'], attempt: undefined } } },
    ],
    [
      'go also where they are about what a refused create would have made',
      { ...notCreated, ...requested, record: { ...notCreated.record, attempt: isMade } },
      { released: { id: undefined, secretName: 'orders-db', keepsSecrets: false, about: { ids: [], attempt: 'open' } } },
    ],
  ])('%s', (_, given, released) => {
    expect(decided(given)).toMatchObject({ type: 'release', ...released });
  });
  test('are none of a VPC', () => {
    expect(decideVpc(vpcSituation({ ...gone, ...deletedAs('vpc-1') }))).toMatchObject({
      type: 'release',
      released: { secretName: undefined },
    });
  });
});

function actionOf(step: Step): unknown {
  return 'action' in step ? step.action : step;
}
