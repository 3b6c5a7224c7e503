import { describe, expect, test } from 'vitest';
import { CloudError, type CloudErrorKind } from '../../../../src/cloud/cloud-error.ts';
import type { ReplicaSet } from '../../../../src/cloud/wire/replica-set.ts';
import type { Service } from '../../../../src/cloud/wire/service.ts';
import { vpcId, type Vpc } from '../../../../src/cloud/wire/vpc.ts';
import { lookAgain } from '../../../../src/reconcile/act/look-again.ts';
import { replicaSetKind } from '../../../../src/reconcile/kinds/replica-set/kind.ts';
import { serviceKind } from '../../../../src/reconcile/kinds/service/kind.ts';
import { vpcKind } from '../../../../src/reconcile/kinds/vpc/kind.ts';
import { cloudService, serviceSituation, type GivenService } from '../../../support/situation.ts';
import { replicaSetSituation, vpcSituation } from '../../../support/situation-of-others.ts';
import { noSources } from '../../../support/visit.ts';
import { usableAccount } from '../../../support/usable-account.ts';

/** Right before a change, the operator reads the resource alone: a list may lag. (docs/safety.md, Changing) */

const overtaken = { type: 'conflict', step: { type: 'keep' } };

/** An account whose reads of a single resource give this answer. @returns also the answers that went into the snapshots */
function answering(answer: Service | Vpc | readonly ReplicaSet[] | CloudError) {
  const { account } = usableAccount();
  const put: unknown[] = [];
  const list = {
    put: (_: string, item: unknown) => void put.push(item),
    unreadable: () => undefined,
  };
  const read = () =>
    answer instanceof CloudError ? Promise.reject(answer) : Promise.resolve(answer);
  const project = { ...account.project, getService: read, getVpc: read, listReplicaSets: read };
  const observer = { ...account.observer, services: list, vpcs: list, replicaSets: () => list };
  return {
    put,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts that a second look uses
    account: {
      state: 'usable',
      secret: undefined,
      account: { ...account, project, observer },
    } as never,
  };
}

/** A service that a list shows as in the row, with the step that is decided for it; a read of the service alone shows `really`. */
async function look(row: GivenService, really: Partial<Service> | CloudError) {
  const { put, account } = answering(
    really instanceof CloudError ? really : cloudService({ ...row.seen, ...really }),
  );
  const situation = serviceSituation(row);
  const step = serviceKind.decide(situation);
  const sources = { ...noSources, account };
  const outcome = await lookAgain(serviceKind, step, situation, { facts: situation, sources });
  return { outcome, step, put: put.length };
}

const sized = (cpu: number) => ({
  resources: [{ id: '1', spec: { cpu_millis: cpu, memory_gbs: 4 } }],
});
const inVpc = (id: string) => ({ vpcEndpoint: { host: 'h', port: 1, vpc_id: vpcId.parse(id) } });
const bigger = { spec: { cpuMillis: 2000, memoryGbs: 4 }, seen: sized(1000) };
const moving: GivenService = {
  vpc: { state: 'found', id: vpcId.parse('vpc-2') },
  record: { vpcAttachment: 'vpc-2' },
};

describe('a change of a service is sent', () => {
  test.each<[sentence: string, row: GivenService, really: Partial<Service>]>([
    ['if a read of the service alone shows the same', bigger, {}],
    [
      'if only a value that the spec does not name differs',
      bigger,
      { metadata: { environment: 'PROD' } },
    ],
    [
      'if the answer lacks a part that status has',
      { ...bigger, status: { service: { haReplicas: { replicaCount: 1 } } } },
      {},
    ],
    [
      'if it is a password, and the service is READY',
      { password: { state: 'rotated', origin: 'rotation 1' } },
      {},
    ],
  ])('%s', async (_, row, really) => {
    const { outcome, step, put } = await look(row, really);
    expect(step.type).toBe('call');
    expect([outcome, put]).toEqual([undefined, 1]);
  });
});

describe('a change of a service is not sent, and the answer goes into the snapshot,', () => {
  test.each<[sentence: string, row: GivenService, really: Partial<Service>]>([
    ['if the service has the wanted size', bigger, sized(2000)],
    ['if the service has a third size', bigger, sized(4000)],
    ['if the service is in another state', bigger, { status: 'CONFIGURING' }],
    ['if the service is in the wanted VPC', { ...moving, seen: inVpc('vpc-1') }, inVpc('vpc-2')],
    ['if the service is in the wanted VPC, and the list shows it in none', moving, inVpc('vpc-2')],
    [
      'if it is a password, and the service is stopped',
      { password: { state: 'rotated', origin: 'rotation 1' } },
      { status: 'PAUSED' },
    ],
  ])('%s', async (_, row, really) => {
    const { outcome, step, put } = await look(row, really);
    expect(step.type).toBe('call');
    expect(outcome).toMatchObject(overtaken);
    expect(put).toBe(1);
  });
});

test.each<[CloudErrorKind, string, string]>([
  ['server', 'wait', 'CloudUnavailable'],
  ['timeout', 'wait', 'CloudUnavailable'],
  ['notFound', 'wait', 'WaitingForCloud'],
  ['forbidden', 'stall', 'Unauthorized'],
])(
  'no change is sent if the read of the service alone fails (%s): that is reported at once, and counts as no answer to the change',
  async (kind, type, reason) => {
    const { outcome, put } = await look(
      bigger,
      new CloudError({ operation: 'getService', kind, sent: true, fromApi: false }),
    );
    expect(outcome).toMatchObject({ type: 'conflict', step: { type, reason } });
    expect(outcome).not.toHaveProperty('error');
    expect(put).toBe(0);
  },
);

test('a service at rest is not read alone', async () => {
  const { step, put } = await look({}, {});
  expect([step.type, put]).toEqual(['done', 0]);
});

const toBeDeleted = { requested: true, started: false };

test.each<
  [
    sentence: string,
    row: GivenService,
    really: Partial<Service>,
    expected: 'conflict' | undefined,
    reads: number,
  ]
>([
  ['is sent if a read of the service alone shows the same environment', {}, {}, undefined, 1],
  [
    'is not sent if a read of the service alone shows that the environment is PROD by now',
    {},
    { metadata: { environment: 'PROD' } },
    'conflict',
    1,
  ],
  [
    'needs no read if the spec says that the service is not protected',
    { spec: { deletionProtection: false } },
    { metadata: { environment: 'PROD' } },
    undefined,
    0,
  ],
])('the first DELETE %s', async (_, row, really, expected, reads) => {
  const { outcome, step, put } = await look({ ...row, deletion: toBeDeleted }, really);
  expect([step.type, put, outcome?.type]).toEqual(['call', reads, expected]);
});

test('a service whose deletion is decided is not read alone', async () => {
  const { step, put } = await look({ deletion: { requested: true, started: true } }, {});
  expect([step.type, put]).toEqual(['call', 0]);
});

test.each([
  ['is sent if a fresh list of its service shows the old size', 1000, undefined],
  ['is not sent if a fresh list of its service shows the new size', 2000, 'conflict'],
])('a resize of a replica set %s', async (_, cpu, expected) => {
  const shown = { spec: { cpuMillis: 2000, memoryGbs: 4 } };
  const { cloud } = replicaSetSituation(shown);
  const set = cloud.state === 'present' ? [{ ...cloud.resource, cpu_millis: cpu }] : [];
  const situation = replicaSetSituation(shown);
  const sources = { ...noSources, account: answering(set).account };
  const step = replicaSetKind.decide(situation);
  const outcome = await lookAgain(replicaSetKind, step, situation, { facts: situation, sources });
  expect(outcome?.type).toBe(expected);
});

test('no change of a replica set is sent if a fresh list of its service lacks it', async () => {
  const { account, put } = answering([]);
  const situation = replicaSetSituation({ spec: { cpuMillis: 2000, memoryGbs: 4 } });
  const sources = { ...noSources, account };
  const step = replicaSetKind.decide(situation);
  expect(
    await lookAgain(replicaSetKind, step, situation, { facts: situation, sources }),
  ).toMatchObject(overtaken);
  expect(put).toEqual([]);
});

test.each([
  ['is sent if the VPC has its old name', 'prod', undefined],
  ['is not sent if the VPC has its new name', 'two', 'conflict'],
])('a rename of a VPC %s', async (_, name, expected) => {
  const shown = { spec: { name: 'two' } };
  const { cloud } = vpcSituation(shown);
  const { account } = answering({
    id: vpcId.parse('vpc-1'),
    ...(cloud.state === 'present' ? cloud.resource : {}),
    name,
  });
  const situation = vpcSituation(shown);
  const sources = { ...noSources, account };
  const outcome = await lookAgain(vpcKind, vpcKind.decide(situation), situation, {
    facts: situation,
    sources,
  });
  expect(outcome?.type).toBe(expected);
});
