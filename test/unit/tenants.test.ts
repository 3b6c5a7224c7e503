import { expect, test } from 'vitest';
import { rateLimiter } from '../../src/cloud/rate-limiter.ts';
import { controller, resourceKey } from '../../src/runtime/index.ts';
import { handClock } from '../support/hand-clock.ts';

/** The queue, the workers and the rate limit of a single API key, combined as in the operator. */

test('two hundred objects of a tenant delay the first object of a second tenant by the visits that run, not by all objects', async () => {
  const clock = handClock();
  const startedAt = clock.now();
  const limiter = rateLimiter({ clock, perSecond: 10, burst: 1 });
  const servedAt = new Map<string, number>();
  const refused: unknown[] = [];
  const made = controller({
    name: 'test',
    workers: 8,
    clock,
    random: () => 0,
    async reconcile(key) {
      await limiter.acquire('createService', 'edit');
      servedAt.set(key, clock.now() - startedAt);
      return 'forget';
    },
    onError: (_key, error) => void refused.push(error),
  });
  made.start();
  for (let index = 0; index < 200; index += 1) made.enqueue(resourceKey('many', String(index)));
  made.enqueue(resourceKey('one', 'first'));
  await clock.advance(30_000);
  expect(servedAt.size).toBe(201);
  expect(servedAt.get('one/first')).toBeLessThanOrEqual(1_000);
  expect(refused).toEqual([]); // no request reports the rate limit, since each request passes in its turn
});
