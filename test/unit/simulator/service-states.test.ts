import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { serviceDrifts } from '../../support/service-values.ts';
import {
  idOf,
  inProcessCloud,
  latencyMs,
  newReplicaSet,
  newService,
  statusOf,
  type InProcessCloud,
} from './in-process-cloud.ts';

let cloud: InProcessCloud;

beforeAll(async () => {
  cloud = await inProcessCloud();
});

afterAll(async () => {
  await cloud[Symbol.asyncDispose]();
});

const read = async (id: string) => (await cloud.call('GET', `/services/${id}`)).body;
const state = async (id: string) => statusOf(await cloud.call('GET', `/services/${id}`));

/** The states at the beginning, just before the end and at the end of a change in the cloud. */
async function passes(id: string): Promise<readonly (string | undefined)[]> {
  const first = await state(id);
  cloud.advance(latencyMs - 1);
  const late = await state(id);
  cloud.advance(1);
  return [first, late, await state(id)];
}

test('a new service is QUEUED, then CONFIGURING, then READY', async () => {
  const created = await cloud.call('POST', '/services', newService);
  expect(created).toMatchObject({ status: 202, body: { status: 'QUEUED' } });
  cloud.advance(199);
  expect(await state(idOf(created))).toBe('QUEUED');
  cloud.advance(1);
  expect(await state(idOf(created))).toBe('CONFIGURING');
  cloud.advance(799);
  expect(await state(idOf(created))).toBe('CONFIGURING');
  cloud.advance(1);
  expect(await state(idOf(created))).toBe('READY');
});

test('the answer to a create has the endpoint already', async () => {
  const created = await cloud.call('POST', '/services', newService);
  expect(created.body).toMatchObject({
    status: 'QUEUED',
    endpoint: { host: `${idOf(created)}.db.example`, port: 5432 },
  });
});

test('without endpointAtOnce a service has an endpoint when it is READY, and not before', async () => {
  await using slow = await inProcessCloud({ endpointAtOnce: false });
  const created = await slow.call('POST', '/services', newService);
  expect(created.body).not.toHaveProperty('endpoint');
  slow.advance(latencyMs);
  const { body } = await slow.call('GET', `/services/${idOf(created)}`);
  expect(body).toMatchObject({ endpoint: { host: `${idOf(created)}.db.example`, port: 5432 } });
});

test('a fork goes the way of a new service and says where it comes from', async () => {
  const parent = await cloud.serviceIn('READY');
  const fork = await cloud.call('POST', `/services/${parent}/forkService`, {
    fork_strategy: 'NOW',
  });
  expect(fork).toMatchObject({
    status: 202,
    body: {
      name: 'orders-fork',
      status: 'QUEUED',
      forked_from: { is_standby: false, project_id: 'prj1', service_id: parent },
    },
  });
  expect(await passes(idOf(fork))).toEqual(['QUEUED', 'CONFIGURING', 'READY']);
});

test('a fork takes the size of its parent where it names none', async () => {
  const parent = await cloud.serviceIn('READY');
  const fork = await cloud.call('POST', `/services/${parent}/forkService`, {
    fork_strategy: 'NOW',
    memory_gbs: '16',
  });
  expect(fork.body).toMatchObject({ resources: [{ spec: { cpu_millis: 1_000, memory_gbs: 16 } }] });
});

test('a fork that shall be shared has the size of a shared service, not that of its parent', async () => {
  const parent = await cloud.serviceIn('READY');
  const shared = await cloud.call('POST', '/services', {
    name: 's',
    cpu_millis: 'shared',
    memory_gbs: 'shared',
  });
  const fork = await cloud.call('POST', `/services/${parent}/forkService`, {
    fork_strategy: 'NOW',
    cpu_millis: 'shared',
    memory_gbs: 'shared',
  });
  const spec = { cpu_millis: 500, memory_gbs: 2 };
  expect(shared.body).toMatchObject({ resources: [{ spec }] });
  expect(fork.body).toMatchObject({ resources: [{ spec }] });
});

test('a fork is DEV whatever its parent is', async () => {
  const parent = await cloud.serviceIn('READY');
  await cloud.call('POST', `/services/${parent}/setEnvironment`, { environment: 'PROD' });
  const fork = await cloud.call('POST', `/services/${parent}/forkService`, {
    fork_strategy: 'LAST_SNAPSHOT',
  });
  expect(fork.body).toMatchObject({ metadata: { environment: 'DEV' } });
});

test('a stopped service is PAUSING, then PAUSED, and stays so', async () => {
  const id = await cloud.serviceIn('READY');
  expect(await cloud.call('POST', `/services/${id}/stop`)).toMatchObject({
    status: 202,
    body: { status: 'PAUSING' },
  });
  expect(await passes(id)).toEqual(['PAUSING', 'PAUSING', 'PAUSED']);
  cloud.advance(3_600_000);
  expect(await state(id)).toBe('PAUSED');
});

test('a started service is RESUMING, then READY', async () => {
  const id = await cloud.serviceIn('PAUSED');
  expect(await cloud.call('POST', `/services/${id}/start`)).toMatchObject({
    status: 202,
    body: { status: 'RESUMING' },
  });
  expect(await passes(id)).toEqual(['RESUMING', 'RESUMING', 'READY']);
});

test.each(serviceDrifts.filter((row) => 'of' in row))(
  '$field: a change shows at once, or when the service has been CONFIGURING and is READY again',
  async ({ elsewhere: [path, body], left }) => {
    const id = await cloud.serviceIn('READY');
    const answer = await cloud.call('POST', `/services/${id}/${path}`, body);
    expect(answer.body).not.toMatchObject(left);
    expect(await passes(id)).toEqual(
      answer.status === 202 ? ['CONFIGURING', 'CONFIGURING', 'READY'] : ['READY', 'READY', 'READY'],
    );
    expect(await read(id)).toMatchObject(left);
  },
);

test('setHA leaves what its body leaves out', async () => {
  const id = await cloud.serviceIn('READY');
  for (const body of [{ replica_count: 2 }, { sync_replica_count: 1 }]) {
    await cloud.call('POST', `/services/${id}/setHA`, body);
    cloud.advance(latencyMs);
  }
  expect(await read(id)).toMatchObject({
    ha_replicas: { replica_count: 2, sync_replica_count: 1 },
  });
});

test('attach is CONFIGURING, then READY with an endpoint in the VPC; detach takes it away', async () => {
  const [id, vpc] = [await cloud.serviceIn('READY'), await cloud.vpc()];
  const attached = await cloud.call('POST', `/services/${id}/attachToVPC`, { vpc_id: vpc });
  expect(attached).toMatchObject({ status: 202, body: { message: 'done' } });
  expect(await passes(id)).toEqual(['CONFIGURING', 'CONFIGURING', 'READY']);
  expect(await read(id)).toMatchObject({
    vpcEndpoint: { host: `${id}.vpc.db.example`, port: 5432, vpc_id: vpc },
  });
  expect((await cloud.call('POST', `/services/${id}/detachFromVPC`, { vpc_id: vpc })).status).toBe(
    202,
  );
  expect(await passes(id)).toEqual(['CONFIGURING', 'CONFIGURING', 'READY']);
  expect(await read(id)).not.toHaveProperty('vpcEndpoint');
});

test('a service is attached to one VPC at most, and detached from no other', async () => {
  const [id, vpc, other] = [await cloud.serviceIn('READY'), await cloud.vpc(), await cloud.vpc()];
  expect((await cloud.call('POST', `/services/${id}/detachFromVPC`, { vpc_id: vpc })).status).toBe(
    409,
  );
  await cloud.call('POST', `/services/${id}/attachToVPC`, { vpc_id: vpc });
  cloud.advance(latencyMs);
  expect((await cloud.call('POST', `/services/${id}/attachToVPC`, { vpc_id: other })).status).toBe(
    409,
  );
  expect(
    (await cloud.call('POST', `/services/${id}/detachFromVPC`, { vpc_id: other })).status,
  ).toBe(409);
});

test('a service cannot be attached to a VPC that is not there', async () => {
  const id = await cloud.serviceIn('READY');
  expect((await cloud.call('POST', `/services/${id}/attachToVPC`, { vpc_id: '1' })).status).toBe(
    404,
  );
});

test('a deleted service is DELETING, then 404 and gone from the list', async () => {
  const id = await cloud.serviceIn('READY');
  expect(await cloud.call('DELETE', `/services/${id}`)).toMatchObject({ status: 202, text: '' });
  expect((await cloud.call('GET', '/services')).text).toContain(id);
  expect(await passes(id)).toEqual(['DELETING', 'DELETING', 'gone']);
  expect((await cloud.call('GET', '/services')).text).not.toContain(id);
  expect((await cloud.call('DELETE', `/services/${id}`)).status).toBe(404);
});

test('a service with read replica sets is not deleted until the last of them is gone', async () => {
  const id = await cloud.serviceIn('READY');
  const set = idOf(await cloud.call('POST', `/services/${id}/replicaSets`, newReplicaSet));
  expect(await cloud.call('DELETE', `/services/${id}`)).toMatchObject({
    status: 409,
    body: { code: 'conflict' },
  });
  await cloud.call('DELETE', `/services/${id}/replicaSets/${set}`);
  expect((await cloud.call('DELETE', `/services/${id}`)).status, 'while the set is deleting').toBe(
    409,
  );
  cloud.advance(latencyMs);
  expect((await cloud.call('DELETE', `/services/${id}`)).status).toBe(202);
});

test('the pooler comes and goes at once', async () => {
  const id = await cloud.serviceIn('READY');
  expect(await cloud.call('POST', `/services/${id}/enablePooler`)).toMatchObject({
    status: 200,
    body: { message: 'done' },
  });
  expect(await read(id)).toMatchObject({
    status: 'READY',
    connection_pooler: { endpoint: { host: `${id}.pooler.db.example`, port: 6432 } },
  });
  expect((await cloud.call('POST', `/services/${id}/disablePooler`)).status).toBe(200);
  expect(await read(id)).not.toHaveProperty('connection_pooler');
});

test('updatePassword answers 204 and changes the password that the creation gave, which is never shown again', async () => {
  const created = await cloud.call('POST', '/services', newService);
  const id = idOf(created);
  const { initial_password: first } = z
    .object({ initial_password: z.string() })
    .parse(created.body);
  cloud.advance(latencyMs);
  expect(await read(id)).not.toHaveProperty('initial_password');
  expect(
    (await cloud.admin('POST', '/check-password', { serviceId: id, password: first })).body,
  ).toEqual({ matches: true });
  expect(
    await cloud.call('POST', `/services/${id}/updatePassword`, { password: 'a new password' }),
  ).toMatchObject({
    status: 204,
    text: '',
  });
  const matches = async (password: string) =>
    (await cloud.admin('POST', '/check-password', { serviceId: id, password })).body;
  expect(await matches(first)).toEqual({ matches: false });
  expect(await matches('a new password')).toEqual({ matches: true });
});

test('the add-ons make the kind of service', async () => {
  for (const [addons, kind] of [
    [undefined, 'POSTGRES'],
    [[], 'POSTGRES'],
    [['ai'], 'VECTOR'],
    [['ai', 'time-series'], 'TIMESERIESDB'],
  ] as const) {
    const { body } = await cloud.call('POST', '/services', { ...newService, addons });
    expect(body).toMatchObject({ service_type: kind });
  }
});

test('with a deletion latency of 0 what is deleted is gone when that is answered, and the rest takes its time', async () => {
  await using swift = await inProcessCloud({ deleteLatencyMs: 0 });
  const created = await swift.call('POST', '/services', newService);
  expect(created.body).toMatchObject({ status: 'QUEUED' });
  await swift.call('DELETE', `/services/${idOf(created)}`);
  expect((await swift.call('GET', `/services/${idOf(created)}`)).status).toBe(404);
});

test('with a latency of 0 a change is done when it is answered', async () => {
  await using swift = await inProcessCloud();
  swift.project.latencyMs = 0;
  const created = await swift.call('POST', '/services', newService);
  expect(created.body).toMatchObject({ status: 'READY' });
  await swift.call('DELETE', `/services/${idOf(created)}`);
  expect((await swift.call('GET', `/services/${idOf(created)}`)).status).toBe(404);
});
