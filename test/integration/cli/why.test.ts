import { expect, test } from 'vitest';
import { readObjects } from '../../../src/cli/read/objects.ts';
import { causesOf, explain, findingsIn } from '../../../src/cli/why/cause.ts';
import type { Fault } from '../../../src/simulator/faults.ts';
import { managedDb } from '../../support/managed-db.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const apiVersion = 'managed-db.io/v1alpha1';
const vpc = {
  apiVersion,
  kind: 'ManagedVpc',
  metadata: { name: 'prod' },
  spec: { cidr: '10.0.0.0/16', regionCode: 'eu-central-1' },
};
const service = {
  apiVersion,
  kind: 'ManagedService',
  metadata: { name: 'orders' },
  spec: { cpuMillis: 1000, memoryGbs: 4, vpcRef: { name: 'prod' } },
};
const reads = {
  apiVersion,
  kind: 'ReplicaSet',
  metadata: { name: 'reads' },
  spec: { serviceRef: { name: 'orders' }, nodes: 1, cpuMillis: 500, memoryGbs: 2 },
};

async function explained(world: World, name: string) {
  const objects = await readObjects(world.kubernetes, world.namespace);
  const object = objects.find(({ metadata }) => metadata.name === name);
  return object && explain(object, await findingsIn([objects]));
}

const failures: readonly (readonly [
  title: string,
  fault: Fault,
  reason: string,
  message: RegExp,
])[] = [
  [
    'a request that the cloud refuses',
    {
      kind: 'errorBefore',
      operation: 'createVpc',
      status: 400,
      body: { message: 'cidr is taken' },
    },
    'Rejected',
    /cidr is taken/u,
  ],
  [
    'a right that the key lacks',
    { kind: 'errorBefore', operation: 'createVpc', status: 403 },
    'Unauthorized',
    /rights of the API key/u,
  ],
  [
    'a state in which the cloud takes no change',
    { kind: 'errorBefore', operation: 'createVpc', status: 409 },
    'WaitingForCloud',
    /tried again/u,
  ],
  [
    'too many requests',
    { kind: 'rateLimit', operation: 'createVpc', retryAfterSeconds: 3_000 },
    'RateLimited',
    /limits how often/u,
  ],
  [
    'a list that fails',
    { kind: 'errorBefore', operation: 'listVpcs', status: 503 },
    'CloudUnavailable',
    /HTTP 503/u,
  ],
  [
    'a list that cannot be read',
    { kind: 'malformed', operation: 'listVpcs', as: 'notJson' },
    'UnexpectedReply',
    /not JSON/u,
  ],
  [
    'a create without an answer',
    { kind: 'errorBefore', operation: 'createVpc', status: 502 },
    'ResolvingCreate',
    /nothing is created twice/u,
  ],
];

test.for(failures)(
  'why names %s as the cause of the VPC itself',
  async ([, fault, reason, message]) => {
    await using world = await startWorld({ endsRestless: 'the fault lasts' });
    world.project.faults.add(fault);
    await world.apply(vpc);
    await world.untilReason('vpc', 'prod', reason);
    const explanation = await explained(world, 'prod');
    expect(explanation).toMatchObject({ chain: [{ name: 'prod' }], reason });
    expect(explanation?.message).toMatch(message);
  },
);

test('why follows a chain of three objects to the object with the cause, and groups all three under the cause', async () => {
  await using world = await startWorld({ endsRestless: 'the create is refused again and again' });
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createVpc',
    status: 400,
    body: { message: 'cidr is taken' },
  });
  await world.apply(vpc, service, reads);
  await world.untilReason('vpc', 'prod', 'Rejected');
  await world.untilReason('replicaSet', 'reads', 'WaitingForReference');
  const objects = await readObjects(world.kubernetes, world.namespace);
  const all = await findingsIn([objects]);
  const { stdout, code } = await managedDb(world, ['why', 'rrset/reads', '-n', world.namespace]);
  expect(stdout).toMatch(/^Cause: mvpc\/prod -n \S+ Rejected:/u);
  expect(stdout).toContain('Chain: rrset/reads <- msvc/orders <- mvpc/prod');
  expect(code).toBe(2);
  const [cause, ...others] = causesOf(objects.map((object) => explain(object, all)));
  expect(others).toEqual([]);
  expect(cause).toMatchObject({
    reason: 'Rejected',
    objects: [{ name: 'prod' }, { name: 'orders' }, { name: 'reads' }],
  });
});

test('why names a lost resource as the cause of what refers to it', async () => {
  await using world = await startWorld({ endsRestless: 'the VPC is lost' });
  await world.applyUntilReady(vpc);
  world.project.stores.vpc.clear();
  await world.untilReason('vpc', 'prod', 'Lost');
  await world.apply(service);
  await until(
    'the service to wait for its VPC',
    async () => (await explained(world, 'orders'))?.reason === 'Lost',
  );
  expect(await explained(world, 'orders')).toMatchObject({
    chain: [{ name: 'orders' }, { name: 'prod' }],
    waitsFor: 'person',
  });
});

test('why says which object of a reference does not exist', async () => {
  await using world = await startWorld();
  await world.apply(reads);
  await world.untilReason('replicaSet', 'reads', 'WaitingForReference');
  expect(await explained(world, 'reads')).toMatchObject({
    chain: [{ name: 'reads' }, { name: 'orders' }],
    reason: 'NotFound',
  });
});

test('why of a deletion that waits names the dependent that holds it', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(vpc);
  await world.applyUntilReady({
    ...service,
    spec: { ...service.spec, environment: 'DEV' },
  } as typeof service);
  await world.untilSynced('service', 'orders');
  await world.kubectl(['delete', 'managedvpc', 'prod', '--wait=false']);
  await world.untilReason('vpc', 'prod', 'DeletionBlocked');
  const explanation = await explained(world, 'prod');
  expect(explanation).toMatchObject({ chain: [{ name: 'prod' }], reason: 'DeletionBlocked' });
  expect(explanation?.message).toContain('orders');
});
