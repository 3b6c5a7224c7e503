import { expect, test } from 'vitest';
import { CloudError } from '../../../src/cloud/cloud-error.ts';
import { cloudOperations } from '../../../src/cloud/cloud-operations.ts';
import { projectObserver } from '../../../src/cloud/project-observer.ts';
import { rateLimiter } from '../../../src/cloud/rate-limiter.ts';
import { apiKey } from '../../../src/reconcile/credentials/api-key.ts';
import { handClock } from '../runtime/hand-clock.ts';

test('a key that stays rejected is tried at longer and longer intervals, and never again once nobody uses it', async () => {
  const clock = handClock();
  const triedAt: number[] = [];
  const api = cloudOperations((operation) => {
    triedAt.push(clock.now());
    return Promise.reject(new CloudError({ operation, kind: 'unauthorized', status: 401, sent: true, fromApi: true }));
  });
  const key = apiKey({
    client: { api, limiter: rateLimiter({ clock }), cloudNow: () => undefined, onOutcome: () => undefined, close: () => undefined },
    operatorsOwn: false,
    clock,
    observe: (withKey, projectId) => projectObserver({ api: withKey, projectId, clock, random: () => 0 }),
  });
  expect(await key.prove()).toEqual({ state: 'rejected' });
  await clock.advance(3_600_000);
  const gaps = triedAt.slice(1).map((at, index) => (at - (triedAt[index] ?? 0)) / 60_000);
  expect(gaps).toEqual([1, 2, 4, 8, 10, 10, 10, 10]);
  key.close();
  const tries = triedAt.length;
  await clock.advance(3_600_000);
  expect(triedAt).toHaveLength(tries);
});
