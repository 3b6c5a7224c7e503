import { describe, expect, test } from 'vitest';
import { initialOrigin, rotationOrigin } from '../../../../src/reconcile/step/connection.ts';
import type { Step } from '../../../../src/reconcile/step/step.ts';
import { annotations } from '../../../../src/resources/annotations.ts';
import { creates } from '../../../support/policy-rows.ts';
import { decideVpc } from '../../../../src/reconcile/kinds/vpc/kind.ts';
import { decideReplicaSet } from '../../../../src/reconcile/kinds/replica-set/kind.ts';
import {
  absent,
  connectionWrite,
  current,
  outdated,
  wantedSecret,
} from '../../../support/our-secret.ts';
import { decided } from '../../../support/decided.ts';
import { rotate, unknown } from '../../../support/passwords.ts';
import {
  chosenAttempt,
  firstOf,
  notCreated,
  recordOf,
  type GivenService,
} from '../../../support/situation.ts';
import {
  replicaSecret,
  replicaSetSituation,
  vpcSituation,
} from '../../../support/situation-of-others.ts';

/** All fields of an action: the operator carries it out without a second look at the situation. */
type Row = readonly [sentence: string, given: GivenService, action: object];

const asked = { connectionSecret: { labels: { team: 'a' }, annotations: { note: 'b' } } };
const aboutTheSecret: readonly Row[] = [
  [
    'the missing connection Secret is written from its inputs',
    { secret: absent(asked.connectionSecret) },
    { type: 'storeConnection', write: connectionWrite(asked.connectionSecret), isEdited: false },
  ],
  [
    'the edited connection Secret is written from its inputs',
    { secret: outdated(true) },
    { type: 'storeConnection', write: connectionWrite(), isEdited: true },
  ],
  [
    'a connection Secret of an earlier name is deleted for the present one',
    { secret: current({}, ['before']) },
    { type: 'dropConnections', write: connectionWrite(), names: ['before'] },
  ],
];
const setsPassword = { type: 'setPassword', id: 'svc-1', source: undefined, supersedes: false };
const aboutThePassword: readonly Row[] = [
  [
    'a password is set with the inputs of the connection Secret that will have it',
    rotate,
    { ...setsPassword, origin: rotationOrigin('r1'), write: connectionWrite() },
  ],
  [
    'a password is set that no Secret has yet',
    unknown,
    { ...setsPassword, origin: initialOrigin, write: connectionWrite({ password: undefined }) },
  ],
];

const firstPassword = { connection: wantedSecret, requested: undefined };
const requested = { deletion: { requested: true } };
const begun = recordOf('svc-1', { deletionStarted: { id: 'svc-1', generation: 1 } });
const toItsEnd: readonly Row[] = [
  [
    'the first password of a new service has the inputs of its connection Secret',
    notCreated,
    creates({ firstPassword }),
  ],
  [
    'the first password answers the first rotation',
    {
      ...notCreated,
      spec: { password: { rotation: 'r1' } },
      wantedSecret: { ...wantedSecret, ...asked.connectionSecret },
    },
    creates({
      firstPassword: {
        connection: { ...wantedSecret, ...asked.connectionSecret },
        requested: rotationOrigin('r1'),
      },
    }),
  ],
  [
    'the service that replaces a lost service has a first password, too',
    { cloud: { state: 'absent' }, annotations: { [annotations.allowRecreate]: 'svc-1' } },
    creates({ record: recordOf('svc-1'), firstPassword }),
  ],
  [
    'a deletion is written down first',
    requested,
    {
      type: 'delete',
      id: 'svc-1',
      operation: 'deleteService',
      args: ['svc-1'],
      record: begun,
      isUnshown: false,
    },
  ],
  [
    'a deletion that was begun is asked for again',
    { deletion: { requested: true, started: true }, record: { deletionStarted: { id: 'svc-1' } } },
    {
      type: 'delete',
      id: 'svc-1',
      operation: 'deleteService',
      args: ['svc-1'],
      record: undefined,
      isUnshown: false,
    },
  ],
  [
    'a deletion that makes sure of an absence says so',
    { ...requested, cloud: { state: 'absent' } },
    {
      type: 'delete',
      id: 'svc-1',
      operation: 'deleteService',
      args: ['svc-1'],
      record: recordOf('svc-1', {
        deletionStarted: { id: 'svc-1', generation: 1, shown: ['resource svc-1'] },
      }),
      isUnshown: true,
    },
  ],
];

describe('an action of a service carries all that is done', () => {
  test.each([...aboutTheSecret, ...aboutThePassword, ...toItsEnd])('%s', (_, given, action) => {
    expect(actionOf(decided(given))).toEqual(action);
  });
});

describe('an action of a replica set carries all that is done', () => {
  test('the connection Secret is written with the password of the service', () => {
    const step = decideReplicaSet(replicaSetSituation({ secret: outdated(false, replicaSecret) }));
    const write = {
      name: 'reads-replicas-db',
      password: { entry: 'managedservice-uid', id: 'svc-1', number: 1 },
    };
    expect(actionOf(step)).toMatchObject({ type: 'storeConnection', write, isEdited: false });
  });
});

describe('a replica set and a VPC are deleted by', () => {
  test('the id of the replica set and that of its service', () => {
    expect(actionOf(decideReplicaSet(replicaSetSituation(requested)))).toMatchObject({
      type: 'delete',
      id: 'rs-1',
      operation: 'deleteReplicaSet',
      args: ['svc-1', 'rs-1'],
      record: { deletionStarted: { id: 'rs-1' } },
    });
  });
  test('the id of the VPC', () => {
    expect(actionOf(decideVpc(vpcSituation(requested)))).toMatchObject({
      type: 'delete',
      id: 'vpc-1',
      operation: 'deleteVpc',
      args: ['vpc-1'],
      record: { deletionStarted: { id: 'vpc-1' } },
    });
  });
});

const deletedAs = (wanted: string) => ({ lastOperation: { operation: 'delete', wanted, at: 0 } });
const gone = {
  deletion: { ...requested.deletion, started: true },
  cloud: { state: 'absent' },
  ...deletedAs('svc-1'),
} as const;
const retain = { ...requested, spec: { deletionPolicy: 'Retain' } };
const ours = { id: 'svc-1', projectId: 'prj-1' };

describe('an object is released', () => {
  test.each<[sentence: string, given: GivenService, released: object]>([
    [
      'with its connection Secret and entry when the resource is gone from the cloud',
      gone,
      { ...ours, fate: 'gone' },
    ],
    [
      'without its connection Secret and entry when the resource stays in the cloud',
      retain,
      { ...ours, fate: 'retained' },
    ],
    [
      'without its connection Secret and entry when the resource belongs to another object',
      { ...requested, claim: { state: 'contested', rival: firstOf('shop') } },
      { ...ours, fate: 'foreign' },
    ],
    [
      'with its entry when the cloud refused its create',
      { ...notCreated, ...requested, record: { ...notCreated.record, attempt: chosenAttempt } },
      { id: undefined, projectId: undefined, fate: 'gone' },
    ],
  ])('%s', (_, given, released) => {
    expect(decided(given)).toMatchObject({ type: 'release', released });
  });
  test('with the id of its VPC', () => {
    const released = { id: 'vpc-1', projectId: 'prj-1', fate: 'gone' };
    expect(decideVpc(vpcSituation({ ...gone, ...deletedAs('vpc-1') }))).toMatchObject({
      type: 'release',
      released,
    });
  });
});

function actionOf(step: Step): unknown {
  return 'action' in step ? step.action : step;
}
