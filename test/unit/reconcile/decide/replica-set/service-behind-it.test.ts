import { describe, expect, test } from 'vitest';
import { serviceId } from '../../../../../src/cloud/wire/service.ts';
import { decideReplicaSet } from '../../../../../src/reconcile/kinds/replica-set/kind.ts';
import { unread } from '../../../../support/our-secret.ts';
import {
  notMade,
  replicaSetSituation,
  type GivenReplicaSet,
} from '../../../../support/situation-of-others.ts';
import { cloudError, noon, recordOf } from '../../../../support/situation.ts';
import { stepLike, type ExpectedStep } from '../../../../support/step-like.ts';
import { usableKey } from '../../../../support/usable-account.ts';

type Row = readonly [sentence: string, given: GivenReplicaSet, expected: ExpectedStep];

const never = { ...notMade, secret: { ...unread, name: 'reads-replicas-db' } } as const;
const waiting = { state: 'waiting', message: 'ManagedService "orders" is not READY' } as const;
const onNewOne = { state: 'found', id: serviceId.parse('svc-2') } as const;
const allowed = { annotations: { 'managed-db.io/allow-recreate': 'rs-1' } } as const;
const body = { nodes: 1, cpu_millis: 1000, memory_gbs: 4 };
const created = {
  type: 'create',
  creation: { operation: 'createReplicaSet', ids: ['svc-1'], body },
  name: { kind: 'ours', prefix: 'reads' },
  sameNameIds: [],
  record: { projectId: 'prj-1' },
  recordOnSuccess: {},
} as const;
const creating = {
  type: 'call',
  reason: 'Creating',
  action: created,
  message: 'creating the replica set on service svc-1',
} as const;
const wholeRecord = recordOf('rs-1', { parentServiceId: 'svc-1' });
const waits = { type: 'wait', reason: 'WaitingForReference', afterMs: 30_000 } as const;

describe('a replica set that was never created', () => {
  test.each<Row>([
    ['is created on its service', never, creating],
    [
      'is created under the name of its spec',
      { ...never, spec: { name: 'r' } },
      { ...creating, action: { ...created, name: { kind: 'given', name: 'r' } } },
    ],
    [
      'waits for its service',
      { ...never, parent: waiting },
      { ...waits, message: 'ManagedService "orders" is not READY' },
    ],
    [
      'stalls if its service may not be named',
      { ...never, parent: { state: 'refused', message: 'set spec.credentialsRef' } },
      { type: 'stall', reason: 'NotAllowed', message: 'set spec.credentialsRef' },
    ],
    [
      'waits if the spec names no service',
      { ...never, parent: { state: 'none' } },
      { ...waits, message: 'neither spec.serviceRef nor spec.serviceId is set: set either' },
    ],
    [
      'is adopted with the service that shows the replica set',
      { ...never, adoption: { state: 'found', id: 'rs-9' } },
      {
        type: 'write',
        reason: 'Adopting',
        action: {
          type: 'adopt',
          noun: 'replica set',
          id: 'rs-9',
          record: {
            id: 'rs-9',
            outcome: 'adopted',
            projectId: 'prj-1',
            parentServiceId: 'svc-1',
          },
        },
        message: 'taking over replica set rs-9',
      },
    ],
    [
      'waits for its service before an adoption',
      { ...never, parent: waiting, adoption: { state: 'unknown', id: 'rs-9', error: undefined } },
      { ...waits, message: 'is not READY' },
    ],
    [
      'is released without its service',
      { ...never, parent: waiting, deletion: { requested: true } },
      { type: 'release', message: 'no replica set was created' },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideReplicaSet(replicaSetSituation(given))).toEqual(stepLike(expected));
  });
});

describe('an existing replica set whose service', () => {
  const available = { type: 'done', reason: 'Available' } as const;
  test.each<Row>([
    [
      'is not READY, is Available',
      { parent: waiting },
      { ...available, message: 'has the connection' },
    ],
    [
      'may not be named any more, is Available',
      { parent: { state: 'refused', message: 'no' } },
      { ...available, message: 'has the connection' },
    ],
    [
      'is in a second project, stalls without a key of the project',
      {
        account: usableKey({ project: 'prj-2' }),
        cloud: { state: 'unknown', error: undefined },
      },
      { type: 'stall', reason: 'ForeignProject', message: 'use a key of prj-1' },
    ],
    [
      'exists without a list of replica sets, keeps its status',
      { cloud: { state: 'unknown', error: cloudError('notFound', { status: 404 }) } },
      {
        type: 'keep',
        delayedReport: { type: 'wait', reason: 'WaitingForCloud', afterMs: 5_000 },
        message: 'the operator retries',
      },
    ],
    [
      'does not show the replica set any more, is looked for again',
      { cloud: { state: 'missing', again: noon + 4_000 } },
      {
        type: 'wait',
        reason: 'WaitingForCloud',
        afterMs: 4_000,
        message: 'the cloud does not show replica set rs-1 yet',
      },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideReplicaSet(replicaSetSituation(given))).toEqual(stepLike(expected));
  });
});

describe('an absent replica set', () => {
  const gone = { cloud: { state: 'absent' } } as const;
  const lost = { type: 'stall', reason: 'Lost' } as const;
  test.each<Row>([
    [
      'is Lost, with its service or without',
      gone,
      { ...lost, message: 'replica set rs-1 is gone from the cloud (404)' },
    ],
    [
      'is Lost also when its service was recreated',
      { ...gone, parent: onNewOne },
      { ...lost, message: 'allow-recreate=rs-1' },
    ],
    [
      'is Lost also when allow-recreate names a different id',
      { ...gone, annotations: { 'managed-db.io/allow-recreate': 'rs-0' } },
      { ...lost, message: 'or correct the annotation to managed-db.io/allow-recreate=rs-1' },
    ],
    [
      'is recreated on its service with allow-recreate, and keeps its record until then',
      { ...gone, ...allowed },
      { ...creating, action: { ...created, record: wholeRecord } },
    ],
    [
      'is recreated on the service that replaced its own, and keeps its record until then',
      { ...gone, ...allowed, parent: onNewOne },
      {
        ...creating,
        action: {
          ...created,
          creation: { ...created.creation, ids: ['svc-2'] },
          record: wholeRecord,
        },
        message: 'creating the replica set on service svc-2',
      },
    ],
    [
      'with allow-recreate waits for the service that replaces its own',
      { ...gone, ...allowed, parent: waiting },
      { ...waits, message: 'is not READY' },
    ],
    [
      'with allow-recreate stalls if its service may not be named',
      { ...gone, ...allowed, parent: { state: 'refused', message: 'no' } },
      { type: 'stall', reason: 'NotAllowed', message: 'no' },
    ],
    [
      'gets a DELETE if the operator has sent none',
      { ...gone, deletion: { requested: true } },
      {
        type: 'call',
        reason: 'Deleting',
        action: { type: 'delete', id: 'rs-1' },
        message: 'making sure that the replica set is gone',
      },
    ],
    [
      'is released when the cloud answered its DELETE, also while its service is not READY',
      {
        ...gone,
        parent: waiting,
        deletion: { requested: true, started: true },
        lastOperation: { operation: 'delete', wanted: 'rs-1', at: noon - 5_000 },
      },
      { type: 'release', message: 'the replica set is gone from the cloud' },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideReplicaSet(replicaSetSituation(given))).toEqual(stepLike(expected));
  });
});
