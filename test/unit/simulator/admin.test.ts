import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  idOf,
  inProcessCloud,
  latencyMs,
  newPeering,
  newReplicaSet,
  newService,
  request,
  type InProcessCloud,
} from './in-process-cloud.ts';

let cloud: InProcessCloud;
let root: string;

beforeAll(async () => {
  cloud = await inProcessCloud();
  root = `${cloud.simulator.url}/_simulator`;
});

afterAll(async () => {
  await cloud[Symbol.asyncDispose]();
});

test.each(['', '/'])('GET /_simulator%s explains every endpoint in plain text', async (slash) => {
  const answer = await request('GET', `${root}${slash}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('text/plain');
  const paths = ['/created', '/calls', '/force', '/check-password', '/faults'];
  expect(paths.filter((path) => !answer.text.includes(path))).toEqual([]);
});

describe('projects', () => {
  test('are listed with their keys', async () => {
    expect(await request('GET', `${root}/projects`)).toMatchObject({
      status: 200,
      body: [{ id: 'prj1', apiKey: 'key-1', latencyMs }],
    });
  });

  test('are made with the settings that are given', async () => {
    const body = { id: 'made', apiKey: 'key-made', latencyMs: 7, listLagMs: 9 };
    expect(await request('POST', `${root}/projects`, { body })).toMatchObject({
      status: 201,
      body: { id: 'made', apiKey: 'key-made' },
    });
    expect(cloud.simulator.project('made')).toMatchObject({ latencyMs: 7, listLagMs: 9 });
    expect(
      (await request('GET', `${cloud.simulator.url}/projects/made/vpcs`, { apiKey: 'key-made' }))
        .status,
    ).toBe(200);
  });

  test('get an id and a key of their own when none is given', async () => {
    const [first, second] = [
      await request('POST', `${root}/projects`),
      await request('POST', `${root}/projects`, { body: {} }),
    ];
    expect(first.status).toBe(201);
    expect(idOf(first)).toMatch(/^prj[a-z0-9]{6}$/u);
    expect(second.body).not.toEqual(first.body);
  });

  test('have ids and keys of their own', async () => {
    expect(await request('POST', `${root}/projects`, { body: { id: 'prj1' } })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    expect(await request('POST', `${root}/projects`, { body: { apiKey: 'key-1' } })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
  });

  test('are emptied, and keep their key and their settings', async () => {
    await cloud.serviceIn('READY');
    await cloud.vpc();
    cloud.project.faults.add({ kind: 'dropBefore', operation: '*' });
    expect(await cloud.admin('DELETE', '')).toMatchObject({ status: 204, text: '' });
    expect((await cloud.admin('GET', '/created')).body).toEqual([]);
    expect((await cloud.admin('GET', '/calls')).body).toEqual({ calls: {}, commits: {} });
    expect((await cloud.admin('GET', '/faults')).body).toEqual([]);
    expect((await cloud.call('GET', '/services')).body).toEqual([]);
    expect((await cloud.call('GET', '/vpcs')).body).toEqual([]);
    expect(cloud.project.latencyMs).toBe(latencyMs);
  });

  test('change their latency from then on', async () => {
    expect(await cloud.admin('PATCH', '', { latencyMs: 50 })).toMatchObject({
      status: 204,
      text: '',
    });
    const id = idOf(await cloud.call('POST', '/services', newService));
    cloud.advance(50);
    expect((await cloud.call('GET', `/services/${id}`)).body).toMatchObject({ status: 'READY' });
    await cloud.admin('PATCH', '', { latencyMs });
  });
});

test('created remembers everything, with its parent and when it came and went', async () => {
  await cloud.admin('DELETE', '');
  const [vpc, service] = [await cloud.vpc(), await cloud.serviceIn('READY')];
  const peering = idOf(await cloud.call('POST', `/vpcs/${vpc}/peerings`, newPeering));
  const set = idOf(await cloud.call('POST', `/services/${service}/replicaSets`, newReplicaSet));
  const madeAt = new Date(cloud.clock.now()).toISOString();
  await cloud.call('DELETE', `/services/${service}/replicaSets/${set}`);
  await cloud.call('DELETE', `/vpcs/${vpc}`);
  const goneAt = new Date(cloud.clock.now() + latencyMs).toISOString();
  cloud.advance(latencyMs);
  expect((await cloud.admin('GET', '/created')).body).toEqual([
    { kind: 'vpc', id: vpc, name: 'net', createdAt: madeAt, deletedAt: madeAt },
    { kind: 'service', id: service, name: 'orders', createdAt: madeAt },
    { kind: 'peering', id: peering, parentId: vpc, createdAt: madeAt, deletedAt: madeAt },
    {
      kind: 'replicaSet',
      id: set,
      name: 'reads',
      parentId: service,
      createdAt: madeAt,
      deletedAt: goneAt,
    },
  ]);
});

test('calls counts what arrived, and what was carried out', async () => {
  await cloud.admin('DELETE', '');
  await cloud.call('GET', '/services');
  await cloud.call('POST', '/services', newService);
  await cloud.call('POST', '/services', {});
  await cloud.call('POST', '/services/none/stop');
  expect((await cloud.admin('GET', '/calls')).body).toEqual({
    calls: { listServices: 1, createService: 2, stopService: 1 },
    commits: { createService: 1 },
  });
});

describe('force', () => {
  test.each(['UNSTABLE', 'UPGRADING', 'OPTIMIZING', 'DELETED', 'A_STATE_NOBODY_KNOWS'])(
    'puts a service into %s, and what was planned is off',
    async (status) => {
      const id = idOf(await cloud.call('POST', '/services', newService));
      expect(await cloud.admin('POST', '/force', { kind: 'service', id, status })).toMatchObject({
        status: 204,
        text: '',
      });
      cloud.advance(latencyMs);
      expect((await cloud.call('GET', `/services/${id}`)).body).toMatchObject({ status });
    },
  );

  test('puts a replica set into error', async () => {
    const service = await cloud.serviceIn('READY');
    const id = idOf(await cloud.call('POST', `/services/${service}/replicaSets`, newReplicaSet));
    await cloud.admin('POST', '/force', { kind: 'replicaSet', id, status: 'error' });
    cloud.advance(latencyMs);
    expect((await cloud.call('GET', `/services/${service}/replicaSets`)).body).toMatchObject([
      { id, status: 'error' },
    ]);
  });

  test('takes a service, a replica set, a peering or a VPC away', async () => {
    const [vpc, service] = [await cloud.vpc(), await cloud.serviceIn('READY')];
    const peering = idOf(await cloud.call('POST', `/vpcs/${vpc}/peerings`, newPeering));
    const set = idOf(await cloud.call('POST', `/services/${service}/replicaSets`, newReplicaSet));
    const left = async (path: string, id: string) =>
      (await cloud.call('GET', path)).text.includes(id);
    for (const [kind, id, list] of [
      ['replicaSet', set, `/services/${service}/replicaSets`],
      ['service', service, '/services'],
      ['peering', peering, `/vpcs/${vpc}/peerings`],
      ['vpc', vpc, '/vpcs'],
    ] as const) {
      expect(await left(list, id)).toBe(true);
      expect(await cloud.admin('DELETE', `/force/${kind}/${id}`)).toMatchObject({
        status: 204,
        text: '',
      });
      expect(await left(list, id)).toBe(false);
      expect((await cloud.admin('DELETE', `/force/${kind}/${id}`)).status, 'gone already').toBe(
        404,
      );
    }
    const gone = cloud.project.everCreated.filter(({ id }) =>
      [vpc, service, peering, set].includes(id),
    );
    expect(
      gone.every(({ deletedAt }) => deletedAt === new Date(cloud.clock.now()).toISOString()),
    ).toBe(true);
  });

  test('brings back what was about to be deleted', async () => {
    const id = await cloud.serviceIn('READY');
    await cloud.call('DELETE', `/services/${id}`);
    await cloud.force('service', id, 'READY');
    cloud.advance(latencyMs);
    expect((await cloud.call('GET', `/services/${id}`)).body).toMatchObject({ status: 'READY' });
    expect(cloud.project.everCreated.find((each) => each.id === id)?.deletedAt).toBeUndefined();
  });

  test.each(['service', 'replicaSet', 'peering'])(
    'of a %s that does not exist is 404',
    async (kind) => {
      expect(await cloud.admin('POST', '/force', { kind, id: '1', status: 'x' })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    },
  );
});

test('check-password knows the right one from a wrong one', async () => {
  const id = await cloud.serviceIn('READY');
  await cloud.call('POST', `/services/${id}/updatePassword`, { password: 'the right one' });
  const matches = async (serviceId: string, password: string) =>
    (await cloud.admin('POST', '/check-password', { serviceId, password })).body;
  expect(await matches(id, 'the right one')).toEqual({ matches: true });
  expect(await matches(id, 'another')).toEqual({ matches: false });
  expect(await matches('none', 'the right one')).toEqual({ matches: false });
});

test('faults are listed as they were set up, and cleared', async () => {
  await cloud.admin('POST', '/faults', { kind: 'rateLimit', operation: 'listVpcs' });
  expect((await cloud.admin('GET', '/faults')).body).toEqual([
    { kind: 'rateLimit', operation: 'listVpcs', retryAfterSeconds: 1 },
  ]);
  expect(await cloud.admin('DELETE', '/faults')).toMatchObject({ status: 204, text: '' });
  expect((await cloud.admin('GET', '/faults')).body).toEqual([]);
});

test.each([
  ['POST', '/projects', { id: '' }],
  ['POST', '/projects', { apiKey: 7 }],
  ['POST', '/projects', { latencyMs: -1 }],
  ['POST', '/projects', { latencyMs: 86_400_001 }],
  ['POST', '/projects', { listLagMs: 600_001 }],
  ['POST', '/projects', { colour: 'red' }],
  ['POST', '/projects', []],
  ['PATCH', '/projects/prj1', { latencyMs: 1.5 }],
  ['PATCH', '/projects/prj1', { latencyMs: Number.MAX_SAFE_INTEGER }],
  ['PATCH', '/projects/prj1', { listLagMs: '5' }],
  ['PATCH', '/projects/prj1', { includeReplicaSets: 'no' }],
  ['PATCH', '/projects/prj1', { apiKey: 'another' }],
  ['POST', '/projects/prj1/force', undefined],
  ['POST', '/projects/prj1/force', { kind: 'vpc', id: '1', status: 'x' }],
  ['POST', '/projects/prj1/force', { kind: 'service', id: '1' }],
  ['POST', '/projects/prj1/force', { kind: 'service', id: '1', status: '' }],
  ['DELETE', '/projects/prj1/force/database/1', undefined],
  ['POST', '/projects/prj1/check-password', { serviceId: 'x' }],
  ['POST', '/projects/prj1/faults', undefined],
  ['POST', '/projects/prj1/faults', { kind: 'fire', operation: '*' }],
  ['POST', '/projects/prj1/faults', { kind: 'dropBefore' }],
  ['POST', '/projects/prj1/faults', { kind: 'dropBefore', operation: '' }],
  ['POST', '/projects/prj1/faults', { kind: 'dropBefore', operation: '*', times: 0 }],
  ['POST', '/projects/prj1/faults', { kind: 'dropBefore', operation: '*', often: true }],
  ['POST', '/projects/prj1/faults', { kind: 'errorBefore', operation: '*', status: 200 }],
  ['POST', '/projects/prj1/faults', { kind: 'errorAfter', operation: '*', status: 600 }],
  ['POST', '/projects/prj1/faults', { kind: 'delay', operation: '*' }],
  ['POST', '/projects/prj1/faults', { kind: 'delayReply', operation: '*', delayMs: 600_001 }],
  ['POST', '/projects/prj1/faults', { kind: 'rateLimit', operation: '*', retryAfterSeconds: -1 }],
  ['POST', '/projects/prj1/faults', { kind: 'staleList', operation: '*', ageMs: 600_001 }],
  ['POST', '/projects/prj1/faults', { kind: 'truncatedList', operation: '*', drop: 0 }],
  ['POST', '/projects/prj1/faults', { kind: 'malformed', operation: '*', as: 'poem' }],
])('%s /_simulator%s with %j is refused with 400', async (method, path, body) => {
  expect(await request(method, `${root}${path}`, { body })).toMatchObject({
    status: 400,
    body: { code: 'invalid_argument' },
  });
  expect(cloud.project.faults.list()).toEqual([]);
});

test.each([
  ['DELETE', '', undefined],
  ['PATCH', '', {}],
  ['GET', '/created', undefined],
  ['GET', '/calls', undefined],
  ['POST', '/force', { kind: 'service', id: '1', status: 'x' }],
  ['DELETE', '/force/service/1', undefined],
  ['POST', '/check-password', { serviceId: '1', password: 'x' }],
  ['GET', '/faults', undefined],
  ['POST', '/faults', { kind: 'dropBefore', operation: '*' }],
  ['DELETE', '/faults', undefined],
])('%s /_simulator/projects/none%s is 404', async (method, path, body) => {
  const answer = await request(method, `${root}/projects/none${path}`, { body });
  expect(answer).toMatchObject({
    status: 404,
    body: { code: 'not_found', message: 'project none does not exist' },
  });
});
