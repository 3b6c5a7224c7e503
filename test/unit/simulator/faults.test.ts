import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FaultInput } from '../../../src/simulator/faults.ts';
import { until } from '../../support/until.ts';
import {
  inProcessCloud,
  itemsOf,
  newService,
  newVpc,
  request,
  type Answer,
  type InProcessCloud,
} from './in-process-cloud.ts';

let cloud: InProcessCloud;

beforeAll(async () => {
  cloud = await inProcessCloud();
});

beforeEach(async () => {
  await cloud.admin('DELETE', '');
});

afterAll(async () => {
  await cloud[Symbol.asyncDispose]();
});

const create = (name = 'orders') => cloud.call('POST', '/services', { ...newService, name });
const set = async (fault: FaultInput) =>
  expect((await cloud.admin('POST', '/faults', fault)).status).toBe(204);
const servicesMade = () => cloud.project.everCreated.length;
/** The caller's result when the connection breaks. */
const outcome = (answer: Promise<Answer>) =>
  answer.then(
    ({ status }) => status,
    () => 'no answer',
  );
/** The malformed answer to a create that the simulator carries out. */
const answerAs = async (as: Extract<FaultInput, { kind: 'malformed' }>['as']) => {
  await set({ kind: 'malformed', operation: 'createService', as });
  const answer = await create();
  expect(servicesMade()).toBe(1);
  return answer;
};

test('errorBefore answers with status and body without carrying the request out', async () => {
  await set({
    kind: 'errorBefore',
    operation: 'createService',
    status: 503,
    body: { code: 'busy', message: 'come back' },
  });
  expect(await create()).toMatchObject({
    status: 503,
    body: { code: 'busy', message: 'come back' },
  });
  expect(servicesMade()).toBe(0);
});

test('errorAfter carries the request out and answers with status and body', async () => {
  await set({
    kind: 'errorAfter',
    operation: 'createService',
    status: 502,
    body: { message: 'too late' },
  });
  expect(await create()).toMatchObject({
    status: 502,
    body: { code: 'fault', message: 'too late' },
  });
  expect(servicesMade()).toBe(1);
});

test('an error without status and body is a 500 that says what it is', async () => {
  await set({ kind: 'errorBefore', operation: 'createService' });
  expect(await create()).toMatchObject({
    status: 500,
    body: { code: 'fault', message: 'a fault that was asked for' },
  });
});

test('dropBefore ends the connection without carrying the request out', async () => {
  await set({ kind: 'dropBefore', operation: 'createService' });
  expect(await outcome(create())).toBe('no answer');
  expect(servicesMade()).toBe(0);
});

test('ignored answers with success without carrying the request out', async () => {
  await set({ kind: 'ignored', operation: 'createService' });
  expect((await create()).status).toBe(202);
  expect(servicesMade()).toBe(0);
});

test('replyLost carries the request out and ends the connection', async () => {
  await set({ kind: 'replyLost', operation: 'createService' });
  expect(await outcome(create())).toBe('no answer');
  expect(servicesMade()).toBe(1);
});

test('delay carries the request out later', async () => {
  await set({ kind: 'delay', operation: 'createService', delayMs: 300 });
  const answer = create();
  await until('the call', () => cloud.project.calls.has('createService'));
  expect(servicesMade()).toBe(0);
  expect((await answer).status).toBe(202);
  expect(servicesMade()).toBe(1);
});

test('delay carries the request out later, even if the caller has closed the connection', async () => {
  await set({ kind: 'delay', operation: 'createService', delayMs: 300 });
  const impatient = new AbortController();
  const url = `${cloud.simulator.url}/projects/prj1/services`;
  const answer = request('POST', url, {
    body: newService,
    apiKey: 'key-1',
    signal: impatient.signal,
  });
  await until('the call', () => cloud.project.calls.has('createService'));
  impatient.abort();
  expect(await outcome(answer)).toBe('no answer');
  expect(servicesMade()).toBe(0);
  await until('the change', () => servicesMade() === 1);
});

test('delayReply carries the request out at once and answers later', async () => {
  await set({ kind: 'delayReply', operation: 'createService', delayMs: 300 });
  const seen: number[] = [];
  const answer = create().then(({ status }) => seen.push(status));
  await until('the change', () => servicesMade() === 1);
  expect(seen).toEqual([]);
  await answer;
  expect(seen).toEqual([202]);
});

test('rateLimit is a 429 that says when to come again', async () => {
  await set({ kind: 'rateLimit', operation: 'createService', retryAfterSeconds: 17 });
  const answer = await create();
  expect(answer).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect(answer.headers.get('retry-after')).toBe('17');
  expect(servicesMade()).toBe(0);
});

test('staleList shows the list of a while ago, once', async () => {
  await create('old');
  cloud.advance(10_000);
  await create('new');
  await set({ kind: 'staleList', operation: 'listServices', ageMs: 5_000, times: 1 });
  const names = async () =>
    itemsOf(await cloud.call('GET', '/services')).map((service) => service['name']);
  expect(await names()).toEqual(['old']);
  expect(await names()).toEqual(['old', 'new']);
});

test('staleList reaches back ten minutes, also over changes', async () => {
  await create();
  cloud.advance(1_000);
  const id = cloud.project.everCreated[0]?.id ?? '';
  for (let minute = 0; minute < 30; minute++) {
    await cloud.call('POST', `/services/${id}/setEnvironment`, {
      environment: minute % 2 === 0 ? 'PROD' : 'DEV',
    });
    cloud.advance(60_000);
  }
  await set({ kind: 'staleList', operation: 'listServices', ageMs: 600_000 });
  expect(itemsOf(await cloud.call('GET', '/services'))).toMatchObject([
    { metadata: { environment: 'PROD' } },
  ]);
});

test('staleList shows what was made long ago as it was before the change of a moment ago', async () => {
  const id = await cloud.serviceIn('READY');
  cloud.advance(3_600_000);
  await cloud.call('POST', `/services/${id}/setEnvironment`, { environment: 'PROD' });
  await set({ kind: 'staleList', operation: 'listServices', ageMs: 600_000 });
  expect(itemsOf(await cloud.call('GET', '/services'))).toMatchObject([
    { service_id: id, metadata: { environment: 'DEV' } },
  ]);
});

test('notYet hides what is young from lists, GETs and DELETEs, and from nothing else', async () => {
  const old = await cloud.serviceIn('READY');
  cloud.advance(10_000);
  const young = await cloud.serviceIn('READY');
  await cloud.call('POST', `/services/${old}/replicaSets`, {
    name: 'reads',
    nodes: 1,
    cpu_millis: 1_000,
    memory_gbs: 4,
  });
  await set({ kind: 'notYet', operation: '*', ageMs: 5_000 });
  const listed = itemsOf(await cloud.call('GET', '/services'));
  expect(listed.map(({ service_id: id, read_replica_sets: sets }) => [id, sets])).toEqual([
    [old, []],
  ]);
  const statuses = await Promise.all(
    [old, young].flatMap((id) => [
      cloud.call('GET', `/services/${id}`),
      cloud.call('POST', `/services/${id}/stop`),
    ]),
  );
  expect(statuses.map(({ status }) => status)).toEqual([200, 202, 404, 202]);
  expect((await cloud.call('DELETE', `/services/${young}`)).status).toBe(404);
  cloud.advance(5_000);
  expect(itemsOf(await cloud.call('GET', '/services'))).toHaveLength(2);
  expect((await cloud.call('DELETE', `/services/${young}`)).status).toBe(202);
});

test('truncatedList leaves the last items out', async () => {
  for (const name of ['a', 'b', 'c']) await create(name);
  await set({ kind: 'truncatedList', operation: 'listServices', drop: 2, times: 1 });
  expect(itemsOf(await cloud.call('GET', '/services')).map((service) => service['name'])).toEqual([
    'a',
  ]);
  await set({ kind: 'truncatedList', operation: 'listServices', drop: 100 });
  expect(itemsOf(await cloud.call('GET', '/services'))).toEqual([]);
});

test('truncatedList leaves alone what is no list', async () => {
  const id = await cloud.serviceIn('READY');
  await set({ kind: 'truncatedList', operation: '*', drop: 1 });
  expect((await cloud.call('GET', `/services/${id}`)).body).toMatchObject({ service_id: id });
});

describe('malformed does what was asked and answers with something else:', () => {
  test('html', async () => {
    const answer = await answerAs('html');
    expect(answer).toMatchObject({ status: 202, text: '<html><body>gateway</body></html>' });
    expect(answer.headers.get('content-type')).toContain('text/html');
  });

  test('notJson', async () => {
    const answer = await answerAs('notJson');
    expect(answer).toMatchObject({ status: 202, text: '{"service_id": ' });
    expect(answer.headers.get('content-type')).toContain('application/json');
  });

  test('wrongType, of an object', async () => {
    expect(await answerAs('wrongType')).toMatchObject({
      status: 202,
      body: { service_id: 7, id: 7 },
    });
  });

  test('unknownField, of an object', async () => {
    expect(await answerAs('unknownField')).toMatchObject({
      status: 202,
      body: { name: 'orders', launched_by: 'a field that no document describes' },
    });
  });

  test('empty', async () => {
    expect(await answerAs('empty')).toMatchObject({ status: 202, text: '' });
  });

  test('redirect', async () => {
    const answer = await answerAs('redirect');
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('/elsewhere');
  });

  test('wrongType and unknownField, of a list', async () => {
    await create();
    await set({ kind: 'malformed', operation: 'listServices', as: 'wrongType', times: 1 });
    expect((await cloud.call('GET', '/services')).body).toMatchObject({
      items: [{ name: 'orders' }],
    });
    await set({ kind: 'malformed', operation: 'listServices', as: 'unknownField' });
    expect((await cloud.call('GET', '/services')).body).toMatchObject([
      { launched_by: 'a field that no document describes' },
    ]);
  });
});

test('a fault with times strikes so often, then no more', async () => {
  await set({ kind: 'errorBefore', operation: 'createService', status: 500, times: 2 });
  const statuses = [];
  for (let call = 0; call < 4; call++) statuses.push((await create()).status);
  expect(statuses).toEqual([500, 500, 202, 202]);
  expect((await cloud.admin('GET', '/faults')).body).toEqual([]);
});

test('a fault without times strikes until it is cleared', async () => {
  await set({ kind: 'errorBefore', operation: 'createService', status: 500 });
  for (let call = 0; call < 5; call++) expect((await create()).status).toBe(500);
  await cloud.admin('DELETE', '/faults');
  expect((await create()).status).toBe(202);
});

test('a fault with a name strikes only requests with this name, and only they count', async () => {
  await set({ kind: 'errorBefore', operation: 'createService', name: 'orders', times: 1 });
  expect((await create('others')).status).toBe(202);
  expect((await create('orders')).status).toBe(500);
  expect((await create('orders')).status).toBe(202);
});

test('a fault strikes its operation alone; * is all, /auth/info too', async () => {
  await set({ kind: 'errorBefore', operation: 'createVpc' });
  expect((await create()).status).toBe(202);
  expect((await cloud.call('POST', '/vpcs', newVpc)).status).toBe(500);
  await set({ kind: 'errorBefore', operation: '*', status: 503 });
  expect((await create()).status).toBe(503);
  expect(
    (await request('GET', `${cloud.simulator.url}/auth/info`, { apiKey: 'key-1' })).status,
  ).toBe(503);
});

test('of several faults the first that fits is used', async () => {
  await set({ kind: 'errorBefore', operation: '*', status: 501, times: 1 });
  await set({ kind: 'errorBefore', operation: 'createService', status: 502, times: 1 });
  expect([(await create()).status, (await create()).status, (await create()).status]).toEqual([
    501, 502, 202,
  ]);
});

test('a call without a valid key uses up no fault', async () => {
  await set({ kind: 'errorBefore', operation: '*', times: 1 });
  await request('GET', `${cloud.simulator.url}/auth/info`, { apiKey: 'wrong' });
  expect((await create()).status).toBe(500);
});
