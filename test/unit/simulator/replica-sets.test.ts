import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  idOf,
  inProcessCloud,
  itemsOf,
  latencyMs,
  newReplicaSet,
  type InProcessCloud,
} from './in-process-cloud.ts';

let cloud: InProcessCloud;
/** The parent, READY, and where its replica sets are. */
let parent: string;
let sets: string;

beforeAll(async () => {
  cloud = await inProcessCloud();
});

beforeEach(async () => {
  parent = await cloud.serviceIn('READY');
  sets = `/services/${parent}/replicaSets`;
});

afterAll(async () => {
  await cloud[Symbol.asyncDispose]();
});

const create = async () => idOf(await cloud.call('POST', sets, newReplicaSet));
const createActive = async () => {
  const id = await create();
  cloud.advance(latencyMs);
  return id;
};
/** The API has no GET for a single replica set, only the list. */
const read = async (id: string) =>
  itemsOf(await cloud.call('GET', sets)).find((set) => set['id'] === id);

test('a new replica set is creating, with its endpoint, then active', async () => {
  const created = await cloud.call('POST', sets, newReplicaSet);
  const endpoint = { host: `${idOf(created)}.replicas.db.example`, port: 5432 };
  const body = { ...newReplicaSet, status: 'creating', metadata: { environment: 'DEV' }, endpoint };
  expect(created).toMatchObject({ status: 202, body });
  cloud.advance(latencyMs - 1);
  expect(await read(idOf(created))).toMatchObject({ status: 'creating' });
  cloud.advance(1);
  expect(await read(idOf(created))).toMatchObject({ status: 'active', endpoint });
});

test('without endpointAtOnce the endpoint of a replica set comes when it is active', async () => {
  await cloud.admin('PATCH', '', { endpointAtOnce: false });
  const created = await cloud.call('POST', sets, newReplicaSet);
  await cloud.admin('PATCH', '', { endpointAtOnce: true });
  expect(created.body).not.toHaveProperty('endpoint');
  cloud.advance(latencyMs);
  expect(await read(idOf(created))).toHaveProperty('endpoint');
});

test('a resized replica set is resizing, then active with the new size', async () => {
  const id = await createActive();
  const answer = await cloud.call('POST', `${sets}/${id}/resize`, {
    cpu_millis: '2000',
    memory_gbs: '8',
  });
  expect(answer).toMatchObject({ status: 202, body: { message: 'done' } });
  expect(await read(id)).toMatchObject({ status: 'resizing', cpu_millis: 500, memory_gbs: 2 });
  cloud.advance(latencyMs - 1);
  expect(await read(id)).toMatchObject({ status: 'resizing' });
  cloud.advance(1);
  expect(await read(id)).toMatchObject({ status: 'active', cpu_millis: 2_000, memory_gbs: 8 });
});

test('a replica set has no shared size', async () => {
  const id = await createActive();
  const answer = await cloud.call('POST', `${sets}/${id}/resize`, {
    cpu_millis: 'shared',
    memory_gbs: 'shared',
  });
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
});

test('a deleted replica set is deleting, then gone', async () => {
  const id = await createActive();
  expect((await cloud.call('DELETE', `${sets}/${id}`)).status).toBe(202);
  expect(await read(id)).toMatchObject({ status: 'deleting' });
  cloud.advance(latencyMs - 1);
  expect(await read(id)).toMatchObject({ status: 'deleting' });
  cloud.advance(1);
  expect(await read(id)).toBeUndefined();
  expect((await cloud.call('DELETE', `${sets}/${id}`)).status).toBe(404);
});

test('its pooler and its environment change at once', async () => {
  const id = await createActive();
  expect((await cloud.call('POST', `${sets}/${id}/enablePooler`)).body).toEqual({
    message: 'done',
  });
  expect(
    (await cloud.call('POST', `${sets}/${id}/setEnvironment`, { environment: 'PROD' })).status,
  ).toBe(200);
  expect(await read(id)).toMatchObject({
    status: 'active',
    connection_pooler: { endpoint: { host: `${id}.replicas.pooler.db.example`, port: 6432 } },
    metadata: { environment: 'PROD' },
  });
  expect((await cloud.call('POST', `${sets}/${id}/disablePooler`)).status).toBe(200);
  expect(await read(id)).not.toHaveProperty('connection_pooler');
});

test('sizes are numbers at creation and strings afterwards, and nothing else is taken', async () => {
  expect((await cloud.call('POST', sets, { ...newReplicaSet, cpu_millis: '500' })).status).toBe(
    400,
  );
  const id = await createActive();
  expect(
    (await cloud.call('POST', `${sets}/${id}/resize`, { cpu_millis: 2_000, memory_gbs: 8 })).status,
  ).toBe(400);
});

test('a replica set is found below its own service and below no other', async () => {
  const id = await createActive();
  const other = await cloud.serviceIn('READY');
  expect((await cloud.call('DELETE', `/services/${other}/replicaSets/${id}`)).status).toBe(404);
  expect((await cloud.call('GET', `/services/${other}/replicaSets`)).body).toEqual([]);
});

test('when a service is taken away, its replica sets are out of reach', async () => {
  const id = await createActive();
  await cloud.admin('DELETE', `/force/service/${parent}`);
  expect((await cloud.call('GET', sets)).status).toBe(404);
  expect((await cloud.call('DELETE', `${sets}/${id}`)).status).toBe(404);
});
