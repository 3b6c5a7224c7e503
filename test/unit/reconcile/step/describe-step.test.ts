import { describe, expect, test } from 'vitest';
import { peeringId } from '../../../../src/cloud/wire/peering.ts';
import { replicaSetId } from '../../../../src/cloud/wire/replica-set.ts';
import { serviceId } from '../../../../src/cloud/wire/service.ts';
import { vpcId } from '../../../../src/cloud/wire/vpc.ts';
import {
  type CloudAction,
  type ClusterAction,
  describeStep,
  call,
  keep,
  stall,
  wait,
  write,
  type Step,
} from '../../../../src/reconcile/step/step.ts';
import type { ConnectionWrite } from '../../../../src/reconcile/step/connection.ts';
import { connection } from '../../../support/our-secret.ts';
import { creates } from '../../../support/policy-rows.ts';
import { recordOf } from '../../../support/situation.ts';

const connectionWrite: ConnectionWrite = {
  name: 'orders-db',
  resource: 'hash',
  labels: { team: 'a' },
  annotations: {},
  connection,
  password: { entry: 'managedservice-uid', id: 'svc-1', number: 2 },
};
const record = recordOf('svc-1');
const service = serviceId.parse('svc-1');
const vpc = vpcId.parse('vpc-1');

/** Each action, and the words that its line must have. A missing action does not compile. */
type Lines<A extends CloudAction | ClusterAction> = {
  readonly [Type in A['type']]: readonly [
    action: Extract<A, { type: Type }>,
    says: readonly string[],
  ];
};
const cloudActions: Lines<CloudAction> = {
  create: [
    creates({
      creation: { operation: 'createService', ids: [], body: { cpu_millis: '500' } },
      firstPassword: { requested: 'rotation 1', connection: connectionWrite },
    }),
    [
      'createService',
      '"cpu_millis":"500"',
      '"prefix":"orders"',
      '"requested":"rotation 1"',
      '"team":"a"',
    ],
  ],
  delete: [
    {
      type: 'delete',
      id: 'rs-1',
      operation: 'deleteReplicaSet',
      args: [service, replicaSetId.parse('rs-1')],
      record: undefined,
      isUnshown: true,
    },
    ['deleteReplicaSet', '"args":["svc-1","rs-1"]', '"id":"rs-1"', '"isUnshown":true'],
  ],
  change: [
    {
      type: 'change',
      change: { operation: 'setServiceEnvironment', args: [service, { environment: 'DEV' }] },
      from: 'none',
      wanted: 'DEV',
      request: 'set the environment',
      remedy: 'change spec.environment',
    },
    ['setServiceEnvironment', '"args":["svc-1",{"environment":"DEV"}]', '"from":"none"'],
  ],
  createPeering: [
    {
      type: 'createPeering',
      vpcId: vpc,
      key: '1/eu/a',
      request: { peer_account_id: '1', peer_region_code: 'eu', peer_vpc_id: 'a' },
      record,
    },
    ['"vpcId":"vpc-1"', '"peer_vpc_id":"a"'],
  ],
  deletePeering: [
    { type: 'deletePeering', vpcId: vpc, id: peeringId.parse('p-1') },
    ['p-1', 'vpc-1'],
  ],
  setPassword: [
    {
      type: 'setPassword',
      id: service,
      origin: 'rotation 2',
      source: undefined,
      supersedes: true,
      write: connectionWrite,
    },
    ['rotation 2', '"supersedes":true', 'orders-db'],
  ],
};
const clusterActions: Lines<ClusterAction> = {
  writeRecord: [{ type: 'writeRecord', record }, ['svc-1', 'prj-1']],
  adopt: [
    { type: 'adopt', noun: 'service', id: 'svc-7', record },
    ['svc-7', '"outcome":"created"'],
  ],
  holdCredentials: [{ type: 'holdCredentials', secret: 'cloud-key' }, ['cloud-key']],
  rebind: [{ type: 'rebind', entry: 'managedservice-old' }, ['managedservice-old']],
  hold: [{ type: 'hold' }, ['hold']],
  dropEntries: [{ type: 'dropEntries', names: ['managedservice-old'] }, ['managedservice-old']],
  dropAnnotations: [
    { type: 'dropAnnotations', names: ['managed-db.io/allow-recreate'] },
    ['"names":["managed-db.io/allow-recreate"]'],
  ],
  storeConnection: [
    { type: 'storeConnection', write: connectionWrite, isEdited: true },
    ['orders-db', 'db.example.com', '"number":2', '"isEdited":true'],
  ],
  dropConnections: [
    { type: 'dropConnections', write: connectionWrite, names: ['before'] },
    ['before', 'orders-db'],
  ],
  watchPasswordSource: [
    { type: 'watchPasswordSource', source: { name: 'mine', key: 'password' } },
    ['"name":"mine"', '"key":"password"'],
  ],
};

const words = 'words\nfor people';

describe('an action is told on one line, with all that it does', () => {
  test.each([
    ...Object.values(cloudActions).map(
      ([action, says]) => [call(action, { reason: 'Creating', message: words }), says] as const,
    ),
    ...Object.values(clusterActions).map(([action, says]) => [write(action, words), says] as const),
  ])('$0.action.type', (step, says) => {
    const line = describeStep(step);
    const type = 'action' in step ? step.action.type : '';
    expect(line).toMatch(
      new RegExp(`^${step.type} ${type} \\{.*words\\\\\\\\u000afor people`, 'u'),
    );
    expect(line.split('\n')).toHaveLength(1);
    for (const part of says) expect(line).toContain(part);
  });
});

const waits = wait('Creating', 'the cloud is at it', { afterMs: 5_000, inProgressSince: 7 });
const released = { id: 'svc-1', projectId: 'prj-1', fate: 'retained' } as const;

/** Each other step, and its line. A missing step does not compile. */
const others: {
  readonly [Type in Exclude<Step['type'], 'call' | 'write'>]: readonly [
    step: Extract<Step, { type: Type }>,
    line: string,
  ];
} = {
  wait: [
    waits,
    'wait {"message":"the cloud is at it","reason":"Creating","afterMs":5000,"inProgressSince":7}',
  ],
  stall: [
    stall('Lost', 'it is gone', 9),
    'stall {"message":"it is gone","reason":"Lost","retryAfterMs":9}',
  ],
  done: [
    { type: 'done', reason: 'Available', message: 'it is there' },
    'done {"message":"it is there","reason":"Available"}',
  ],
  held: [
    { type: 'held', reason: 'WaitingForWindow', message: 'it waits', opensInMs: 9 },
    'held {"message":"it waits","reason":"WaitingForWindow","opensInMs":9}',
  ],
  suspended: [{ type: 'suspended', message: 'as asked' }, 'suspended {"message":"as asked"}'],
  keep: [
    keep(wait('Deleting', 'not read')),
    'keep, and say once it has lasted: wait {"message":"not read","reason":"Deleting"}',
  ],
  release: [
    { type: 'release', message: 'it stays', released },
    'release {"message":"it stays","released":{"id":"svc-1","projectId":"prj-1","fate":"retained"}}',
  ],
};

test.each(Object.entries(others).map(([type, [step, line]]) => [type, step, line] as const))(
  'a step that changes nothing in the cloud is told on one line: %s',
  (_, step, line) => {
    expect(describeStep(step)).toBe(line);
  },
);
