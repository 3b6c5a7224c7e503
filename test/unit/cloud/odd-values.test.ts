import { expect, test } from 'vitest';
import { type CallObservation, cloudClient } from '../../../src/cloud/cloud-client.ts';
import { projectObserver } from '../../../src/cloud/project-observer.ts';
import { projectId } from '../../../src/cloud/wire/account.ts';
import { serviceId } from '../../../src/cloud/wire/service.ts';
import { vpcId } from '../../../src/cloud/wire/vpc.ts';
import { cloudErrorOf } from './cloud-error-of.ts';
import { manualClock } from './manual-clock.ts';
import { json, scriptedPeer } from './scripted-peer.ts';

/** A value that the document of the API does not allow concerns only its own resource. (docs/safety.md, Creating exactly once) */

const id = projectId.parse('prj7');
const good = {
  service_id: 'good',
  name: 'good',
  status: 'READY',
  metrics: { memory_mb: 1, storage_mb: 2 },
};
const set = { id: 'set', name: 'reads', status: 'active' };
const peering = {
  id: '31',
  peer_account_id: '1',
  peer_region_code: 'eu',
  peer_vpc_id: 'v',
  status: 'active',
};

/** The client of a cloud that always gives this reply, and the calls that it reports. */
async function replying(reply: unknown) {
  const calls: CallObservation[] = [];
  const peer = await scriptedPeer(json(200, reply));
  const client = cloudClient({
    baseUrl: peer.url,
    apiKey: 'key',
    onCall: (call) => void calls.push(call),
  });
  return {
    client,
    api: client.project(id),
    odd: () => calls.at(-1)?.odd,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await peer[Symbol.asyncDispose]();
    },
  };
}

test.each([
  [
    'a usage figure that is a text',
    { metrics: { memory_mb: '812', storage_mb: 5 } },
    { metrics: { storage_mb: 5 } },
    'metrics.memory_mb of s: expected number',
  ],
  ['usage figures that are a text', { metrics: 'n/a' }, {}, 'metrics of s: expected object'],
  [
    'a replica set that cannot be read, so that its service lists its sets by themselves',
    { read_replica_sets: [set, { ...set, nodes: '2' }] },
    {},
    'read_replica_sets[1].nodes of s: expected number',
  ],
])('the operator drops %s, and needs nothing else', async (_what, odd, read, reported) => {
  await using cloud = await replying([good, { service_id: 's', ...odd }]);
  expect(await cloud.api.listServices()).toEqual([good, { service_id: 's', ...read }]);
  expect(cloud.odd()).toEqual([reported]);
});

test.each([
  ['status', { status: 7 }, {}, 'status of s: expected string'],
  ['name', { name: ['s'], status: 'READY' }, { status: 'READY' }, 'name of s: expected string'],
  [
    'endpoint',
    { endpoint: { host: 'h', port: '5432' } },
    { endpoint: { host: 'h' } },
    'endpoint.port of s: expected number',
  ],
  [
    'vpcEndpoint',
    { vpcEndpoint: { host: 'h', vpc_id: '' } },
    { vpcEndpoint: { host: 'h' } },
    'vpcEndpoint.vpc_id of s: expected another value',
  ],
  ['resources', { resources: [{ id: '1' }, 'x'] }, {}, 'resources[1] of s: expected object'],
  ['forked_from', { forked_from: 'x', metrics: 1 }, {}, 'forked_from of s: expected object'],
])(
  'a service whose %s cannot be read is in the list without it, marked with its id',
  async (field, odd, read, first) => {
    await using cloud = await replying([{ service_id: 's', ...odd }, good]);
    expect(await cloud.api.listServices()).toEqual([
      { service_id: 's', ...read, unreadable: { fields: [field], first } },
      good,
    ]);
  },
);

test.each([
  [
    'service without its id',
    'listServices',
    [good, { name: 'orders' }],
    'service_id of the item named "orders": expected string',
  ],
  [
    'service with an odd id',
    'listServices',
    [good, { service_id: 7, name: 'or\n\u202eders' }],
    'service_id of the item named "or ders": expected string',
  ],
  [
    'service without id and name',
    'listServices',
    [good, {}],
    'service_id of item 2 of the list: expected string',
  ],
  ['service that is no object', 'listServices', [good, 7], 'item 2 of the list: expected object'],
  [
    'VPC without its id',
    'listVpcs',
    [{ name: 'prod' }],
    'id of the item named "prod": expected string',
  ],
] as const)('a %s makes the whole list unreadable', async (_what, operation, reply, field) => {
  await using cloud = await replying(reply);
  expect(await cloudErrorOf(cloud.api[operation]())).toMatchObject({ kind: 'unreadable', field });
});

test('a peering without its address makes the whole list unreadable, and the error names its id', async () => {
  await using cloud = await replying([peering, { ...peering, id: '32', peer_vpc_id: 5 }]);
  const error = await cloudErrorOf(cloud.api.listPeerings(vpcId.parse('8801')));
  expect(error).toMatchObject({ kind: 'unreadable', field: 'peer_vpc_id of 32: expected string' });
});

test.each([
  ['usage figure', { metrics: { memory_mb: 'x' } }, undefined],
  ['endpoint', { endpoint: 'soon' }, 'endpoint of s: expected object'],
  [
    'replica count',
    { ha_replicas: { replica_count: '1' } },
    'ha_replicas.replica_count of s: expected number',
  ],
])(
  'the answer to a create with an odd %s still has the id and the first password',
  async (_field, odd, first) => {
    await using cloud = await replying({ service_id: 's', initial_password: 'the-secret', ...odd });
    const created = await cloud.api.createService({ name: 's' });
    expect(created).toMatchObject({ service_id: 's', initial_password: 'the-secret' });
    expect(created.unreadable?.first).toBe(first);
  },
);

test('the answer to a create with a password that cannot be read still has the id, and the error never has the password', async () => {
  await using cloud = await replying({ service_id: 's', initial_password: 77_123 });
  const created = await cloud.api.createService({ name: 's' });
  expect(created).toEqual({
    service_id: 's',
    unreadable: { fields: ['initial_password'], first: 'initial_password of s: expected string' },
  });
});

test.each([
  ['empty text', ''],
  ['blank', ' '],
  ['line break', '\n'],
  ['text with a line break at its end', 'long-enough\n'],
  ['text with a control character', 'long\u0000enough'],
  ['text with half of a character', 'long-enough\ud83d'],
  ['text that is too short', '7-chars'],
  ['text that is too long', 'x'.repeat(1_025)],
])('an %s as the first password counts as no password', async (_what, password) => {
  await using cloud = await replying({ service_id: 's', initial_password: password });
  for (const call of [
    cloud.api.createService({ name: 's' }),
    cloud.api.forkService(serviceId.parse('source'), { name: 's', fork_strategy: 'NOW' }),
  ]) {
    const created = await call;
    expect(created).toEqual({
      service_id: 's',
      unreadable: {
        fields: ['initial_password'],
        first: 'initial_password of s: expected another value',
      },
    });
    expect(cloud.odd()).toEqual(['initial_password of s: expected another value']);
  }
});

test.each(['8-chars!', 'x'.repeat(1_024), 'pass wörd 🔑'])(
  'a first password with permitted characters is kept as it is: %s',
  async (password) => {
    await using cloud = await replying({ service_id: 's', initial_password: password });
    const created = await cloud.api.createService({ name: 's' });
    expect(created).toEqual({ service_id: 's', initial_password: password });
  },
);

test('a read of a single service needs no usage figures, and an error names id and field', async () => {
  await using cloud = await replying({ ...good, metrics: { memory_mb: [] } });
  expect(await cloud.api.getService(serviceId.parse('good'))).toEqual({ ...good, metrics: {} });
  await using other = await replying({ ...good, status: 7 });
  const error = await cloudErrorOf(other.api.getService(serviceId.parse('good')));
  expect(error).toMatchObject({ kind: 'unreadable', field: 'status of good: expected string' });
  await using third = await replying({ ...good, vpcEndpoint: { vpc_id: '' } });
  expect(await cloudErrorOf(third.api.getService(serviceId.parse('good')))).toMatchObject({
    kind: 'unreadable',
    field: 'vpcEndpoint.vpc_id of good: expected another value',
  });
});

test('an API key needs only its project: odd words about its owner stop nothing', async () => {
  await using cloud = await replying({
    type: 5,
    apiKey: { created: 17, issuing_user: 'me', project: { id: 'prj7', plan_type: 2 } },
  });
  expect((await cloud.client.getCredentialsInfo()).apiKey.project.id).toBe('prj7');
});

/** The lists of a project whose services list has this reply. */
async function observed(reply: unknown) {
  const cloud = await replying(reply);
  const clock = manualClock();
  const observer = projectObserver({ api: cloud.client, projectId: id, clock, random: () => 0 });
  return {
    services: observer.services,
    async until<R>(promise: Promise<R>): Promise<R> {
      const state = { isOver: false };
      const end = () => void (state.isOver = true);
      promise.then(end, end);
      while (!state.isOver) await clock.advance(100);
      return promise;
    },
    async [Symbol.asyncDispose]() {
      observer.stop();
      await cloud[Symbol.asyncDispose]();
    },
  };
}

test('a service that cannot be read is neither found nor missing, and all others are found', async () => {
  await using cloud = await observed([good, { service_id: 'odd', status: 7 }]);
  const find = (each: string) =>
    cloud.until(cloud.services.find(each, { notBefore: 0, absentFrom: 0 }));
  expect(await find('good')).toMatchObject({ state: 'present', resource: { status: 'READY' } });
  expect(await cloudErrorOf(find('odd'))).toMatchObject({
    kind: 'unreadable',
    field: 'status of odd: expected string',
  });
  expect([...(cloud.services.latest?.listed ?? [])]).toEqual(['good', 'odd']);
});
