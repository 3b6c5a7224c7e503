import { expect, test } from 'vitest';
import { CloudError } from '../../../src/cloud/cloud-error.ts';
import { cloudOperations } from '../../../src/cloud/cloud-operations.ts';
import { readSuccess } from '../../../src/cloud/read-reply.ts';
import { projectObserver } from '../../../src/cloud/project-observer.ts';
import { rateLimiter } from '../../../src/cloud/rate-limiter.ts';
import { apiKey } from '../../../src/reconcile/credentials/api-key.ts';
import { handClock } from '../../support/hand-clock.ts';

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

/** A key that was proven; `info` is what /auth/info says from then on. */
async function provenKey(info: 'accepted' | 'rejected') {
  const clock = handClock();
  let isProven = false;
  const outcomes: ((outcome: 'unauthorized') => void)[] = [];
  const api = cloudOperations((operation) => {
    if (isProven && info === 'rejected') {
      return Promise.reject(new CloudError({ operation, kind: 'unauthorized', status: 401, sent: true, fromApi: true }));
    }
    const reply = { status: 200, headers: {}, body: '{"apiKey":{"project":{"id":"p"}}}', cut: undefined };
    return Promise.resolve(readSuccess(operation, reply).value);
  });
  const key = apiKey({
    client: {
      api,
      limiter: rateLimiter({ clock }),
      cloudNow: () => undefined,
      onOutcome: (listener) => void outcomes.push(listener),
      close: () => undefined,
    },
    operatorsOwn: false,
    clock,
    observe: (withKey, projectId) => projectObserver({ api: withKey, projectId, clock, random: () => 0 }),
  });
  await key.prove();
  isProven = true;
  let changes = 0;
  key.onChange(() => (changes += 1));
  for (const tell of outcomes) tell('unauthorized');
  await clock.advance(1);
  return { key, changes: () => changes };
}

test.each([
  ['accepted', 'usable', 0],
  ['rejected', 'rejected', 1],
] as const)('one call that is answered with 401 says nothing of the key: %s by /auth/info, it is %s', async (info, state, changes) => {
  const proven = await provenKey(info);
  expect([(await proven.key.prove()).state, proven.changes()]).toEqual([state, changes]);
  proven.key.close();
});
