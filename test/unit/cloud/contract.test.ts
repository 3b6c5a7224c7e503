import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cloudClient, type CloudClient } from '../../../src/cloud/cloud-client.ts';
import { operations } from '../../../src/cloud/wire/all.ts';
import { missingAndUnknown, none } from '../missing-and-unknown.ts';
import { cloudErrorOf } from './cloud-error-of.ts';
import { allOperations, operations as cases } from './operations.ts';
import { json, scriptedPeer, text, type Arrived, type ScriptedPeer } from './scripted-peer.ts';

type Answer = (request: Arrived, response: ServerResponse) => void;

let answer: Answer;
let peer: ScriptedPeer;
let api: CloudClient;

beforeAll(async () => {
  peer = await scriptedPeer((request, response) => answer(request, response));
  api = cloudClient({
    baseUrl: new URL('/cloud/v1/', peer.url),
    apiKey: 'key-1',
    userAgent: 'test/1',
  });
});

afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await peer[Symbol.asyncDispose]();
});

const errors = [
  [400, 'invalid'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'notFound'],
  [409, 'conflict'],
  [422, 'invalid'],
  [418, 'invalid'],
  [410, 'notFound'],
  [408, 'server'],
  [429, 'rateLimited'],
  [500, 'server'],
  [503, 'server'],
  [301, 'unreadable'],
  [302, 'unreadable'],
  [307, 'unreadable'],
] as const;

test('every operation of the client is called here', () => {
  const called = allOperations.map(([operation]) => operation);
  expect(missingAndUnknown(called, Object.keys(operations))).toEqual(none);
});

describe.each(allOperations)('%s', (operation, { call, method, path, body, reply }) => {
  test('sends one request as the document describes it, and gives back the reply', async () => {
    answer = json(200, reply ?? { message: 'done' });
    const before = peer.arrived.length;
    const result = await call(api);
    expect(result).toEqual(reply);
    const arrived = peer.arrived.slice(before);
    expect(arrived).toHaveLength(1);
    const [request] = arrived;
    expect(request).toMatchObject({ method, path: `/cloud/v1${path}` });
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer key-1',
      accept: 'application/json',
      'user-agent': 'test/1',
    });
    expect(request?.headers['content-type']).toBe(
      body === undefined ? undefined : 'application/json',
    );
    expect(request?.body === '' ? undefined : JSON.parse(request?.body ?? '')).toEqual(body);
  });

  test.each([200, 201, 202, 206])('takes %i as success', async (status) => {
    answer = json(status, reply ?? {});
    expect(await call(api)).toEqual(reply);
  });

  test.each(errors)(
    'a %i is an error of kind %s, with the words of the API',
    async (status, kind) => {
      answer = json(status, { code: 'SOME_CODE', message: 'so it is' }, { location: '/elsewhere' });
      const before = peer.arrived.length;
      const error = await cloudErrorOf(call(api));
      expect(error).toMatchObject({
        operation,
        kind,
        status,
        sent: true,
        fromApi: true,
        cloudMessage: 'so it is',
      });
      expect(peer.arrived.length - before, 'requests: nothing is repeated or followed').toBe(1);
    },
  );

  test.each([
    ['an HTML page', '<html>Bad Gateway</html>'],
    ['nothing', ''],
    ['JSON of another shape', '{"error":{"message":"x"},"message":7}'],
    ['an array', '[{"message":"x"}]'],
    ['half a JSON', '{"message":"x'],
    ['a message alone, as of Kong', '{"message":"no Route matched with those values"}'],
    ['a message alone, as of an API gateway', '{"message":"Not Found"}'],
    ['a code alone', '{"code":"not_found"}'],
    ['an empty code', '{"code":"","message":"Not Found"}'],
  ])('a 404 with %s as body comes from a gateway, and proves no absence', async (_what, page) => {
    answer = text(404, page);
    const error = await cloudErrorOf(call(api));
    expect(error).toMatchObject({
      kind: 'unreadable',
      status: 404,
      sent: true,
      fromApi: false,
      cloudMessage: undefined,
    });
    expect(error.field).toBe("a 404 without the API's error body, as from a gateway");
    expect(error.changedNothing).toBe(false);
  });

  const apiError = JSON.stringify({ code: 'NOT_FOUND', message: 'so it is' });

  test.each([
    ['text/html', false],
    ['text/html; charset=utf-8', false],
    ['text/plain', false],
    ['application/jsonp', false],
    ['application/json', true],
    ['Application/JSON; charset=utf-8', true],
    ['application/problem+json', true],
    [undefined, true],
  ])(
    'a 404 of the content type %s with the error body of the API comes from the API: %s',
    async (type, fromApi) => {
      answer = text(404, apiError, type === undefined ? {} : { 'content-type': type });
      const kind = fromApi ? 'notFound' : 'unreadable';
      expect(await cloudErrorOf(call(api))).toMatchObject({ kind, status: 404, fromApi });
    },
  );

  test.each(errors)(
    'a %i with a page has its kind %s only if that concludes nothing about a resource',
    async (status, kind) => {
      answer = text(status, '<html>nginx</html>', { location: '/elsewhere' });
      const isPlain = ['unauthorized', 'rateLimited', 'server'].includes(kind);
      const error = await cloudErrorOf(call(api));
      expect(error).toMatchObject({
        kind: isPlain ? kind : 'unreadable',
        status,
        fromApi: false,
        changedNothing: false,
      });
    },
  );
});

describe.each(allOperations.filter(([, { reply }]) => reply === undefined))(
  '%s, of whose reply nothing is needed,',
  (_operation, { call }) => {
    test.each([
      ['no body', text(204, '')],
      ['a plain text', text(200, 'accepted')],
      ['JSON of any shape', json(202, ['x'])],
    ])('takes a success with %s', async (_what, odd) => {
      answer = odd;
      expect(await call(api)).toBeUndefined();
    });

    test.each([
      ['<html>sign in</html>', undefined],
      ['\n <!DOCTYPE html>', undefined],
      ['sign in', 'text/html; charset=utf-8'],
    ])(
      'has an unclear answer if a gateway answers 200 with a page: %j (content type %s)',
      async (page, type) => {
        answer = text(200, page, type === undefined ? {} : { 'content-type': type });
        const error = await cloudErrorOf(call(api));
        expect(error).toMatchObject({
          kind: 'unreadable',
          status: 200,
          sent: true,
          changedNothing: false,
        });
        expect(error.field).toBe("a page instead of the API's reply, as from a gateway");
      },
    );
  },
);

describe.each(allOperations.filter(([, { reply }]) => reply !== undefined))(
  '%s, whose reply is needed,',
  (_operation, { call, wrong }) => {
    test.each([
      ['no body', text(204, '')],
      ['an empty body', text(200, '')],
      ['a page', text(200, '<html>secret</html>')],
      ['half a JSON', text(200, '{"id":"x')],
    ])('cannot read a success with %s', async (_what, odd) => {
      answer = odd;
      const error = await cloudErrorOf(call(api));
      expect(error).toMatchObject({
        kind: 'unreadable',
        sent: true,
        fromApi: false,
        changedNothing: false,
      });
      expect(error.message).not.toContain('secret');
    });

    test('cannot read a reply of a wrong type, and names the field', async () => {
      answer = json(200, wrong?.reply);
      expect(wrong).toBeDefined();
      expect(await cloudErrorOf(call(api))).toMatchObject({
        kind: 'unreadable',
        status: 200,
        sent: true,
        field: wrong?.field,
      });
    });
  },
);

describe.each(allOperations.filter(([, { newId }]) => newId !== undefined))(
  '%s, which creates something,',
  (_operation, { call, newId = '' }) => {
    test.each([{}, { [newId]: null }, { name: 'x' }])(
      'leaves open what was created when the reply has no id: %j',
      async (odd) => {
        answer = json(201, odd);
        const error = await cloudErrorOf(call(api));
        expect(error).toMatchObject({
          kind: 'unreadable',
          status: 201,
          sent: true,
          changedNothing: false,
        });
        expect(error.field).toContain(newId);
      },
    );
  },
);

test.each(allOperations.filter(([, { newId }]) => newId === undefined))(
  '%s goes over a connection that is kept',
  async (_operation, { call, reply }) => {
    answer = json(200, reply ?? {});
    await call(api);
    expect(peer.arrived.at(-1)?.headers.connection).toBe('keep-alive');
  },
);

test.each(allOperations.filter(([, { newId }]) => newId !== undefined))(
  '%s goes over a connection that had an answer a moment ago, or over a new one',
  async (_operation, { call, reply }) => {
    await using other = await scriptedPeer((request, response) => {
      json(200, request.method === 'GET' ? cases.getCredentialsInfo.reply : reply)(
        request,
        response,
      );
    });
    await using cloud = cloudClient({ baseUrl: other.url, apiKey: 'key-1' });
    await cloud.getCredentialsInfo();
    for (let times = 0; times < 6; times++) await call(cloud);
    const [read, ...creates] = other.arrived;
    const used = new Set(creates.map(({ connection }) => connection));
    expect(used).not.toContain(read?.connection);
    expect(used.size).toBeLessThan(4);
    const ended = Promise.all(creates.map(({ closed }) => closed)).then(() => 'creates');
    // The peer keeps all connections for longer.
    expect(await Promise.race([ended, read?.closed.then(() => 'read')])).toBe('creates');
    await call(cloud);
    expect(used).not.toContain(other.arrived.at(-1)?.connection);
  },
);
