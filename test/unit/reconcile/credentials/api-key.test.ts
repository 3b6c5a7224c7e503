import { expect, test } from 'vitest';
import type { CloudOperation } from '../../../../src/cloud/cloud-api.ts';
import { cloudOperations } from '../../../../src/cloud/cloud-client.ts';
import { CloudError, type CloudErrorKind } from '../../../../src/cloud/cloud-error.ts';
import { projectObserver } from '../../../../src/cloud/project-observer.ts';
import { rateLimiter } from '../../../../src/cloud/rate-limiter.ts';
import { readSuccess } from '../../../../src/cloud/read-reply.ts';
import { openApiKey } from '../../../../src/reconcile/credentials/accounts.ts';
import { handClock } from '../../../support/hand-clock.ts';

test('a key that stays rejected is tried at growing intervals, and not any more once no object uses the key', async () => {
  const clock = handClock();
  const triedAt: number[] = [];
  const api = cloudOperations((operation) => {
    triedAt.push(clock.now());
    return Promise.reject(new CloudError({ operation, kind: 'unauthorized', status: 401, sent: true, fromApi: true }));
  });
  const key = openApiKey({
    client: { api, limiter: rateLimiter({ clock }), onOutcome: () => undefined, close: () => undefined },
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

/** A proven key; `info` is the answer of /auth/info from then on. */
async function provenKey(
  info: 'accepted' | 'rejected' | 'moved' | 'away',
  outcome: CloudErrorKind = 'unauthorized',
  call: CloudOperation = 'getService',
) {
  const clock = handClock();
  let isProven = false;
  const outcomes: ((outcome: CloudErrorKind, call: CloudOperation) => void)[] = [];
  let asked = 0;
  const api = cloudOperations((operation) => {
    asked += 1;
    if (isProven && info === 'rejected') {
      return Promise.reject(new CloudError({ operation, kind: 'unauthorized', status: 401, sent: true, fromApi: true }));
    }
    if (isProven && info === 'away')
      return Promise.reject(new CloudError({ operation, kind: 'server', status: 503, sent: true, fromApi: true }));
    const reply = {
      status: 200,
      headers: {},
      body: JSON.stringify({ apiKey: { project: { id: isProven && info === 'moved' ? 'q' : 'p' } } }),
      cut: undefined,
    };
    return readSuccess(operation, [], reply);
  });
  const key = openApiKey({
    client: {
      api,
      limiter: rateLimiter({ clock }),
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
  const told = async (afterMs: number) => {
    await clock.advance(afterMs);
    for (const tell of outcomes) tell(outcome, call);
    await clock.advance(1);
  };
  if (outcome === 'unauthorized') await told(0);
  return { key, told, asked: () => asked, changes: () => changes };
}

test.each([
  ['accepted', 'usable', 0],
  ['rejected', 'rejected', 1],
] as const)('a single 401 does not reject a key: %s by /auth/info, the key is %s', async (info, state, changes) => {
  const proven = await provenKey(info);
  expect([(await proven.key.prove()).state, proven.changes()]).toEqual([state, changes]);
  proven.key.close();
});

test.each<readonly [CloudErrorKind, CloudOperation, 'p' | 'q']>([
  ['notFound', 'listServices', 'q'],
  ['forbidden', 'listVpcs', 'q'],
  ['notFound', 'getService', 'p'],
  ['server', 'listServices', 'p'],
])('a key that was moved to another project is proven again after %s to %s', async (outcome, call, project) => {
  const { key, told, changes } = await provenKey('moved', outcome, call);
  await told(60_000);
  const proven = await key.prove();
  expect(proven.state === 'usable' && proven.account.projectId).toBe(project);
  expect(changes()).toBe(project === 'q' ? 1 : 0);
  key.close();
});

test('a refused list takes no key away while the cloud does not say whose it is', async () => {
  const { key, told, asked, changes } = await provenKey('away', 'notFound', 'listReplicaSets');
  await told(60_000);
  expect([(await key.prove()).state, asked(), changes()]).toEqual(['usable', 2, 0]);
  key.close();
});

test('lists that are refused cost one question a minute, and change nothing while the project is the same', async () => {
  const { key, told, asked, changes } = await provenKey('accepted', 'notFound', 'listReplicaSets');
  for (const _ of Array.from({ length: 60 })) await told(5_000);
  expect(asked()).toBeGreaterThan(3);
  expect(asked()).toBeLessThanOrEqual(6);
  expect(changes()).toBe(0);
  key.close();
});
