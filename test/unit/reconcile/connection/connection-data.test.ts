import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectionData } from '../../../../src/reconcile/connection/projection.ts';

const endpoint = fc.record({
  host: fc.oneof(fc.domain(), fc.ipV6()),
  port: fc.integer({ min: 1, max: 65_535 }),
});
const connection = fc.record({
  username: fc.string({ minLength: 1 }),
  // As a path, a dot or two would be something else to this test's parser.
  database: fc.string({ minLength: 1 }).filter((name) => !/^\.{1,2}$/u.test(name)),
  direct: fc.option(endpoint, { nil: undefined }),
  pooler: fc.option(endpoint, { nil: undefined }),
  vpc: fc.option(endpoint, { nil: undefined }),
});

test('a URI gives back user, password, host, port and database, whatever is in them', () => {
  fc.assert(
    fc.property(connection, fc.string({ minLength: 1 }), (wanted, password) => {
      const data = connectionData(wanted, password);
      for (const [key, where] of [
        ['uri', wanted.direct],
        ['pooler-uri', wanted.pooler],
        ['vpc-uri', wanted.vpc],
      ] as const) {
        if (!where) continue;
        const url = new URL((data[key] ?? '').replace(/^postgresql:/u, 'http:'));
        expect(decodeURIComponent(url.username)).toBe(wanted.username);
        expect(decodeURIComponent(url.password)).toBe(password);
        expect(Number(url.port || 80)).toBe(where.port);
        expect(decodeURIComponent(url.pathname.slice(1))).toBe(wanted.database);
      }
    }),
  );
});

test('without a password no key holds one, and no address leaves its keys out', () => {
  const data = connectionData(
    {
      username: 'u',
      database: 'd',
      direct: { host: 'h', port: 1 },
      pooler: undefined,
      vpc: undefined,
    },
    undefined,
  );
  expect(Object.keys(data).toSorted()).toEqual([
    'database',
    'host',
    'jdbc-url',
    'port',
    'provider',
    'sslmode',
    'type',
    'username',
  ]);
});
