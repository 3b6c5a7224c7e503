import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../../src/simulator/api-server.ts';
import {
  fitsAll,
  inProcessCloud,
  type InProcessCloud,
  newReplicaSet,
  request,
} from './in-process-cloud.ts';

let cloud: InProcessCloud;

beforeAll(async () => {
  cloud = await inProcessCloud();
});

afterAll(async () => {
  await cloud[Symbol.asyncDispose]();
});

const endpoints = [
  { method: 'GET', path: '/auth/info' },
  ...routes.map(({ method, path }) => ({
    method,
    path: `/projects/prj1${path.replaceAll(/:\w+/gu, 'none')}`,
  })),
];

test.each(endpoints)('$method $path without a key is 401', async ({ method, path }) => {
  const answer = await request(method, `${cloud.simulator.url}${path}`);
  expect(answer).toMatchObject({
    status: 401,
    body: {
      code: 'unauthorized',
      message: 'the header Authorization: Bearer <API key> is missing',
    },
  });
});

test.each(endpoints)('$method $path with a wrong key is 401', async ({ method, path }) => {
  const answer = await request(method, `${cloud.simulator.url}${path}`, { apiKey: 'key-2' });
  expect(answer).toMatchObject({
    status: 401,
    body: { code: 'unauthorized', message: 'the API key is not valid' },
  });
});

test.each([
  'Basic key-1',
  'Bearer',
  'Bearer ',
  'key-1',
  'bearer key-1',
  'Bearer key-1 more',
  'Bearer KEY-1',
])('Authorization: %s is 401', async (authorization) => {
  const { status } = await fetch(`${cloud.simulator.url}/auth/info`, {
    headers: { authorization },
  });
  expect(status).toBe(401);
});

test.each(endpoints.slice(1))(
  '$method $path with the key of another project is 403',
  async ({ method, path }) => {
    const { apiKey } = cloud.simulator.addProject();
    const answer = await request(method, `${cloud.simulator.url}${path}`, { apiKey });
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  },
);

test('a project that does not exist is 403, so that callers do not learn which projects exist', async () => {
  const answer = await request('GET', `${cloud.simulator.url}/projects/prj99/vpcs`, {
    apiKey: 'key-1',
  });
  expect(answer.status).toBe(403);
});

const ofOne = endpoints.filter(({ path }) => path.includes('none'));

test.each(ofOne)(
  '$method $path of something that does not exist is 404',
  async ({ method, path }) => {
    const body = path.endsWith('/replicaSets') ? newReplicaSet : fitsAll;
    const answer = await request(method, `${cloud.simulator.url}${path}`, {
      apiKey: 'key-1',
      ...(method === 'POST' ? { body } : {}),
    });
    expect(answer, `the answer was ${answer.text}`).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  },
);

test('/auth/info says whose the key is', async () => {
  const answer = await request('GET', `${cloud.simulator.url}/auth/info`, { apiKey: 'key-1' });
  expect(answer).toMatchObject({
    status: 200,
    body: { type: 'apiKey', apiKey: { project: { id: 'prj1' }, public_key: 'pk-prj1' } },
  });
});

test('projects are isolated from each other', async () => {
  const other = cloud.simulator.addProject({ id: 'prj2', apiKey: 'key-of-2' });
  const own = await cloud.serviceIn('READY');
  cloud.project.faults.add({ kind: 'errorBefore', operation: '*' });
  const base = `${cloud.simulator.url}/projects/prj2`;
  expect((await request('GET', `${base}/services`, { apiKey: 'key-of-2' })).body).toEqual([]);
  expect((await request('GET', `${base}/services/${own}`, { apiKey: 'key-of-2' })).status).toBe(
    404,
  );
  expect(other.everCreated).toEqual([]);
  expect([...other.commits.keys()]).toEqual([]);
  expect((await cloud.call('GET', '/services')).status).toBe(500);
  cloud.project.faults.clear();
});
