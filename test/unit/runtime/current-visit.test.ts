import { expect, test } from 'vitest';
import { currentVisit, untilStopped, visiting } from '../../../src/runtime/controller.ts';

const never = new Promise<never>(() => undefined);

/** Runs within a visit that the test can stop. */
function visit<T>(run: () => T) {
  const stop = new AbortController();
  return {
    stop: () => stop.abort(new Error('the operator is stopping')),
    result: visiting({ name: 'A/shop/orders', signal: stop.signal }, run),
  };
}

test('code below a visit knows the name of the visit, and code outside of a visit knows none', async () => {
  expect(await visit(() => Promise.resolve().then(() => currentVisit())).result).toBe(
    'A/shop/orders',
  );
  expect(currentVisit()).toBeUndefined();
});

test('a stop ends a wait of a visit with the reason of the stop', async () => {
  const { stop, result } = visit(() => untilStopped(never));
  stop();
  await expect(result).rejects.toThrow('the operator is stopping');
});

test('a wait of a visit that is not stopped has the result of its promise, or its error', async () => {
  await expect(visit(() => untilStopped(Promise.resolve('listed'))).result).resolves.toBe('listed');
  await expect(
    visit(() => untilStopped(Promise.reject(new Error('no list')))).result,
  ).rejects.toThrow('no list');
});

test('a wait outside of a visit is just its promise', async () => {
  await expect(untilStopped(Promise.resolve('listed'))).resolves.toBe('listed');
});
