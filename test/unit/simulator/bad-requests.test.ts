import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Route, routes } from '../../../src/simulator/api-server.ts';
import { missingAndUnknown, none } from '../missing-and-unknown.ts';
import {
  bodyOf,
  idOf,
  inProcessCloud,
  type InProcessCloud,
  newReplicaSet,
  newService,
  refusalOf,
  request,
} from './in-process-cloud.ts';

let cloud: InProcessCloud;
/** The values of path parameters such as `:vpc_id`. */
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  cloud = await inProcessCloud();
  const [vpc, service] = [await cloud.vpc(), await cloud.serviceIn('READY')];
  const set = idOf(await cloud.call('POST', `/services/${service}/replicaSets`, newReplicaSet));
  await cloud.force('replicaSet', set, 'active');
  ids = { vpc_id: vpc, service_id: service, replica_set_id: set };
});

afterAll(async () => {
  await cloud[Symbol.asyncDispose]();
});

const at = (path: string) => path.replaceAll(/:(\w+)/gu, (_, name: string) => ids[name] ?? 'none');

/** Endpoints with special fields: a valid body, and the invalid values of its fields. */
const special: readonly (readonly [
  path: string,
  right: Readonly<Record<string, unknown>>,
  wrong: Readonly<Record<string, readonly unknown[]>>,
])[] = [
  [
    '/services',
    newService,
    {
      name: [undefined, '', 7, null],
      addons: ['ai', ['postgis'], [7]],
      cpu_millis: [500, '0', '-1', '1.5', 'a lot', 'shared', ''],
      memory_gbs: [2, '0', '4GB', 'shared'],
      environment_tag: ['TEST', 'dev', null],
      region_code: ['', 7],
      replica_count: ['2', -1, 1.5],
    },
  ],
  [
    '/services/:service_id/updatePassword',
    { password: 'long enough' },
    { password: [undefined, 'short', 'x'.repeat(129), 12_345_678] },
  ],
];

const takesBody = ({ method }: Pick<Route, 'method'>) => method === 'POST';
const methodOf = (path: string) =>
  routes.find((route) => route.path === path && takesBody(route))?.method ?? 'POST';

/** In the bodies of all other endpoints, no field may be null or a list. */
const bodies = [
  ...special,
  ...routes
    .filter((route) => takesBody(route))
    .filter(({ path }) => !special.some(([other]) => other === path))
    .flatMap(({ path, operation }) => {
      const body = bodyOf(operation);
      return body
        ? [
            [
              path,
              body,
              Object.fromEntries(Object.keys(body).map((field) => [field, [null, []]])),
            ] as const,
          ]
        : [];
    }),
];

const wrongFields = bodies.flatMap(([path, right, wrong]) =>
  Object.entries(wrong).flatMap(([field, values]) =>
    values.map((value) => ({ path, field, value, body: { ...right, [field]: value } })),
  ),
);

test('every endpoint that looks at its body has a row', async () => {
  const looking: string[] = [];
  for (const { method, path } of routes.filter(takesBody)) {
    // of something that does not exist: who looks at no body says 404
    const { status } = await cloud.call(method, path.replaceAll(/:\w+/gu, 'none'), 'no object');
    if (status === 400) looking.push(path);
  }
  const rows = bodies.map(([path]) => path);
  expect(missingAndUnknown(rows, looking)).toEqual(none);
});

test.each(wrongFields)(
  '$path with $field: $value is 400 and names the field',
  async ({ path, field, body }) => {
    const answer = await cloud.call(methodOf(path), at(path), body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_argument' } });
    expect(refusalOf(answer).message).toContain(field);
  },
);

describe.each(bodies)('%s', (path, right) => {
  test.each([undefined, null, [], 'text', 7, true])('with the body %j is 4xx', async (body) => {
    const answer = await cloud.call(methodOf(path), at(path), body);
    expect(answer.status).toBe(400);
    refusalOf(answer);
  });

  test.each([
    '{',
    '{"name": }',
    'name=orders',
    '\u0000',
    '{"a":1}}',
    '{"__proto__": {"name": "x"}}',
  ])('with %j, which is not valid JSON, is 400', async (raw) => {
    const answer = await sendRaw(path, raw, 'application/json');
    expect(answer.status).toBe(400);
    refusalOf(answer);
  });

  test.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'nonsense',
    undefined,
  ])('with content type %s is 400 or 415', async (type) => {
    const answer = await sendRaw(path, JSON.stringify(right), type);
    expect(answer.status).toBeOneOf([400, 415]);
    refusalOf(answer);
  });

  test('with more than 64 KiB is 413', async () => {
    const answer = await cloud.call(methodOf(path), at(path), {
      ...right,
      more: 'x'.repeat(65_536),
    });
    expect(answer.status).toBe(413);
    refusalOf(answer);
  });

  test('with a field that no document describes is taken', async () => {
    const { status } = await cloud.call(methodOf(path), at(path), { ...right, colour: 'red' });
    expect(status).not.toBe(400);
    await cloud.force('service', at(':service_id'), 'READY');
    await cloud.force('replicaSet', at(':replica_set_id'), 'active');
  });
});

const sendRaw = (path: string, content: string, type: string | undefined) =>
  request(methodOf(path), `${cloud.simulator.url}/projects/prj1${at(path)}`, {
    raw: { text: content, type },
    apiKey: 'key-1',
  });

test.each([
  ['GET', '/'],
  ['GET', '/projects'],
  ['GET', '/projects/prj1'],
  ['GET', '/projects/prj1/databases'],
  ['PUT', '/projects/prj1/services'],
  ['PATCH', '/projects/prj1/vpcs'],
  ['OPTIONS', '/projects/prj1/vpcs'],
  ['GET', '/projects/prj1/services/x/start'],
  ['POST', '/projects/prj1/services/x/y/z'],
  ['GET', '/projects/prj1/services/x/replicaSets/y'],
  ['GET', '/_simulator/nothing'],
  ['GET', `/${'x'.repeat(5_000)}`],
])('%s %s is 404, and says what there is not', async (method, path) => {
  const answer = await request(method, `${cloud.simulator.url}${path}`, { apiKey: 'key-1' });
  expect(answer.status).toBe(404);
  expect(refusalOf(answer).message.length).toBeLessThan(300);
});

test.each([
  '..',
  '%2e%2e%2f',
  '__proto__',
  'constructor',
  '%00',
  '%F0%9F%92%A9',
  "'%20OR%201=1",
  'x'.repeat(100),
])('the id %s is 404 and no more than that', async (id) => {
  const [vpc, service] = [
    await cloud.call('GET', `/vpcs/${id}/peerings`),
    await cloud.call('GET', `/services/${id}/replicaSets`),
  ];
  expect([vpc.status, service.status]).toEqual([404, 404]);
  expect([refusalOf(vpc).code, refusalOf(service).code]).toEqual(['not_found', 'not_found']);
});

test('an id of more than 100 characters is 414', async () => {
  const answer = await cloud.call('GET', `/vpcs/${'x'.repeat(101)}`);
  expect(answer.status).toBe(414);
  refusalOf(answer);
});

test.each(['%', '%zz', '%E0%A4%A'])('the path %s, which is no text, is 400', async (id) => {
  const answer = await cloud.call('GET', `/vpcs/${id}`);
  expect(answer.status).toBe(400);
  expect(refusalOf(answer).message).toBe(
    `'/projects/prj1/vpcs/${id}' is not a valid url component`,
  );
});

test.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400],
  ['a header of 40 KB', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
])('%s is refused, and the simulator goes on', async (_what, sent, status) => {
  const { hostname, port } = new URL(cloud.simulator.url);
  const socket = createConnection(Number(port), hostname);
  socket.end(sent);
  expect(await text(socket)).toContain(`HTTP/1.1 ${status} `);
  expect((await cloud.call('GET', '/vpcs')).status).toBe(200);
});
