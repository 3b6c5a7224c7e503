import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { traffic } from '../../support/traffic.ts';

/** Comes to rest, or not, while the same is said again and again, so many times each 20 ms. */
async function rest(
  method: Dispatcher.HttpMethod,
  path: string,
  times: number,
  query: Record<string, string> = {},
): Promise<void> {
  const said = traffic(200);
  const send = said.intercept(() => true);
  const timer = setInterval(
    () => Array.from({ length: times }, () => send({ method, path, query }, {})),
    20,
  );
  try {
    await said.untilQuiet(100);
  } finally {
    clearInterval(timer);
  }
}

const secret = '/api/v1/namespaces/shop/secrets/orders-db';
const services = '/projects/p1/services';

test.each([
  ['a Secret that is written again and again', 'PUT', secret, 1],
  ['a Secret that is read again and again', 'GET', secret, 20],
  ['a change that is sent again and again', 'POST', `${services}/s1/resize`, 1],
  ['one service that is looked at again and again', 'GET', `${services}/s1`, 1],
  ['a list that is asked for without a pause', 'GET', services, 20],
] as const)('%s is no rest', async (_what, method, path, times) => {
  await expect(rest(method, path, times)).rejects.toThrow(`${method} ${path}`);
});

test.each([
  ['a watch', 'GET', '/api/v1/namespaces/shop/secrets', 20, { watch: 'true' }],
  ['a poll', 'GET', services, 1, {}],
  ['a look at the key', 'GET', '/auth/info', 1, {}],
] as const)('%s does not disturb the rest', async (_what, method, path, times, query) => {
  await expect(rest(method, path, times, query)).resolves.toBeUndefined();
});
