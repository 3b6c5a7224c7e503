import { expect, test } from 'vitest';
import { serviceId } from '../../../../../src/cloud/wire/service.ts';
import { vpcId } from '../../../../../src/cloud/wire/vpc.ts';
import { annotations } from '../../../../../src/resources/annotations.ts';
import { notCreated, recordOf, type GivenService } from '../../../../support/situation.ts';
import { decided, type Row } from '../../../../support/decided.ts';
import { actionLike } from '../../../../support/step-like.ts';
import { available, saying } from '../../../../support/steps.ts';

/** The request that creates a service, and the conditions for which it waits. */

const claim = { projectId: 'prj-1' };
const created = (creation: object, more: object = {}, message = 'creating the service') => ({
  type: 'call',
  action: actionLike({
    type: 'create',
    creation,
    name: { kind: 'ours', prefix: 'orders' },
    sameNameIds: [],
    record: claim,
    recordOnSuccess: {},
    ...more,
  }),
  reason: 'Creating',
  message,
});
const createService = (body: object) => ({ operation: 'createService', ids: [], body });
const isNew: GivenService = {
  ...notCreated,
  status: { ...notCreated.status, observedGeneration: undefined },
};
const parent: GivenService = { forkSource: { state: 'found', id: serviceId.parse('svc-9') } };
const toVpc: GivenService = { vpc: { state: 'found', id: vpcId.parse('vpc-1') } };

const asks: readonly Row[] = [
  ['an empty spec: the cloud chooses', isNew, created(createService({}))],
  [
    'all that the request can say',
    {
      ...isNew,
      spec: {
        cpuMillis: 2000,
        memoryGbs: 8,
        environment: 'PROD',
        regionCode: 'eu-central-1',
        addons: ['ai'],
        highAvailability: { replicaCount: 2, syncReplicaCount: 1 },
      },
    },
    created(
      createService({
        cpu_millis: '2000',
        memory_gbs: '8',
        environment_tag: 'PROD',
        region_code: 'eu-central-1',
        addons: ['ai'],
        replica_count: 2,
      }),
    ),
  ],
  [
    'a shared size',
    { ...isNew, spec: { cpuMillis: 'shared', memoryGbs: 'shared' } },
    created(createService({ cpu_millis: 'shared', memory_gbs: 'shared' })),
  ],
  [
    'settings that a create request cannot contain are set later',
    {
      ...isNew,
      spec: {
        connectionPooler: { enabled: true },
        powerState: 'Stopped',
        highAvailability: { syncReplicaCount: 1 },
      },
    },
    created(createService({})),
  ],
  [
    'a name that the user chose',
    { ...isNew, spec: { name: 'orders' } },
    created(createService({}), { name: { kind: 'given', name: 'orders' } }),
  ],
  [
    'the record says that the object will attach the service to the VPC',
    { ...isNew, ...toVpc },
    created(createService({}), { recordOnSuccess: { vpcAttachment: 'vpc-1' } }),
  ],
  [
    'a fork, of another size',
    {
      ...isNew,
      ...parent,
      spec: {
        fork: { serviceId: 'svc-9', strategy: 'NOW' },
        cpuMillis: 2000,
        memoryGbs: 8,
        environment: 'DEV',
      },
    },
    created(
      {
        operation: 'forkService',
        ids: ['svc-9'],
        body: { fork_strategy: 'NOW', cpu_millis: '2000', memory_gbs: '8', environment_tag: 'DEV' },
      },
      {},
      'forking service svc-9',
    ),
  ],
  [
    'a fork of a point in time',
    {
      ...isNew,
      ...parent,
      spec: { fork: { serviceId: 'svc-9', strategy: 'PITR', targetTime: '2026-11-21T09:30:00Z' } },
    },
    created(
      {
        operation: 'forkService',
        ids: ['svc-9'],
        body: { fork_strategy: 'PITR', target_time: '2026-11-21T09:30:00Z' },
      },
      {},
      'forking service svc-9',
    ),
  ],
];

const waiting = (words: string) => ({ state: 'waiting', message: `${words} not found` }) as const;
const refused = (words: string) =>
  ({ state: 'refused', message: `${words} may be anything` }) as const;
const waits = (words: string) => ({
  type: 'wait',
  reason: 'WaitingForReference',
  message: `${words} not found`,
  afterMs: 30_000,
});
const notAllowed = (words: string) => ({
  type: 'stall',
  reason: 'NotAllowed',
  message: `${words} may be anything`,
});
const isLost: GivenService = { cloud: { state: 'absent' } };
const mayBeMadeAgain: GivenService = {
  ...isLost,
  annotations: { [annotations.allowRecreate]: 'svc-1' },
};

const references: readonly Row[] = [
  [
    'a new service waits for a missing fork source',
    { ...isNew, forkSource: waiting('fork') },
    waits('fork'),
  ],
  [
    'a new service stalls if its fork source may not be named',
    { ...isNew, forkSource: refused('fork') },
    notAllowed('fork'),
  ],
  ['a new service waits for a missing VPC', { ...isNew, vpc: waiting('vpc') }, waits('vpc')],
  [
    'a new service stalls if its VPC may not be named',
    { ...isNew, vpc: refused('vpc') },
    notAllowed('vpc'),
  ],
  [
    'a new service with a missing fork source and a refused VPC reports the fork source',
    { ...isNew, forkSource: waiting('fork'), vpc: refused('vpc') },
    waits('fork'),
  ],
  [
    'an existing service does not wait for its fork source',
    { forkSource: waiting('fork') },
    available,
  ],
  [
    'an existing service needs no right to name its fork source',
    { forkSource: refused('fork') },
    available,
  ],
  [
    'an existing service waits for its VPC after all other changes',
    { vpc: waiting('vpc') },
    waits('vpc'),
  ],
  [
    'an existing service stalls if its VPC may not be named',
    { vpc: refused('vpc') },
    notAllowed('vpc'),
  ],
  [
    'a service to recreate waits for a missing fork source',
    { ...mayBeMadeAgain, forkSource: waiting('fork') },
    waits('fork'),
  ],
  [
    'a lost service with a missing fork source waits for the permission to recreate',
    { ...isLost, forkSource: waiting('fork') },
    { type: 'stall', reason: 'Lost', message: saying('for an empty service') },
  ],
];

const again: readonly Row[] = [
  [
    'the annotation allow-recreate creates a new service under the record of the lost service',
    mayBeMadeAgain,
    created(createService({}), { record: recordOf('svc-1', claim) }),
  ],
];

test.each(asks)('a new service: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(references)('%s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(again)('a lost service: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test('the record says that an earlier object created the lost service until another service takes its place', () => {
  const step = decided({ ...mayBeMadeAgain, record: recordOf('svc-1', { isRestored: true }) });
  const record = { id: 'svc-1', isRestored: true };
  expect(step).toMatchObject({ type: 'call', action: { type: 'create', record } });
});
