import { expect, test } from 'vitest';
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
  const api = cloudOperations(async (operation) => {
    triedAt.push(clock.now());
    return Promise.reject(
      new CloudError({ operation, kind: 'unauthorized', status: 401, sent: true, fromApi: true }),
    );
  });
  const key = openApiKey({
    client: {
      api,
      limiter: rateLimiter({ clock }),
      onOutcome: () => undefined,
      close: () => undefined,
    },
    operatorsOwn: false,
    clock,
    observe: (withKey, projectId) =>
      projectObserver({ api: withKey, projectId, clock, random: () => 0 }),
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

/** A proven key whose call the cloud then answers with 401; `info` is the answer of /auth/info from then on. */
async function keyAfter401(info: 'accepted' | 'rejected' | 'moved' | 'away') {
  const clock = handClock();
  let isProven = false;
  const outcomes: ((outcome: CloudErrorKind) => void)[] = [];
  const refused = {
    rejected: { kind: 'unauthorized', status: 401 },
    away: { kind: 'server', status: 503 },
  } as const;
  const api = cloudOperations(async (operation) => {
    if (isProven && (info === 'rejected' || info === 'away'))
      return Promise.reject(
        new CloudError({ operation, ...refused[info], sent: true, fromApi: true }),
      );
    const reply = {
      status: 200,
      headers: {},
      body: JSON.stringify({
        apiKey: { project: { id: isProven && info === 'moved' ? 'q' : 'p' } },
      }),
      cut: undefined,
    };
    return (await readSuccess(operation, [], reply)).value;
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
    observe: (withKey, projectId) =>
      projectObserver({ api: withKey, projectId, clock, random: () => 0 }),
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
  ['moved', 'rejected', 1],
  ['away', 'unavailable', 1],
] as const)(
  'a single 401 does not reject a key: with the answer %s of /auth/info, the key is %s',
  async (info, state, changes) => {
    const proven = await keyAfter401(info);
    expect([(await proven.key.prove()).state, proven.changes()]).toEqual([state, changes]);
    proven.key.close();
  },
);
