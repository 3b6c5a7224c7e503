import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { CallPriority } from '../../../src/cloud/cloud-api.ts';
import { cloudClient } from '../../../src/cloud/cloud-client.ts';
import {
  nextTurn,
  rateLimiter,
  refilled,
  untilNextTokenMs,
  waitingLine,
} from '../../../src/cloud/rate-limiter.ts';
import { projectId } from '../../../src/cloud/wire/account.ts';
import { sendWithinMs } from '../../../src/reconcile/ledger/attempt.ts';
import type { CloudError } from '../../../src/cloud/cloud-error.ts';
import { describeCloudError } from '../../../src/reconcile/step/errors.ts';
import { cloudErrorOf } from './cloud-error-of.ts';
import { manualClock } from './manual-clock.ts';
import { json, scriptedPeer } from './scripted-peer.ts';
import * as fc from 'fast-check';

const project = projectId.parse('prj7');

/** A limiter whose bucket is empty, and the order in which it gives turns. */
async function emptied() {
  const clock = manualClock();
  const limiter = rateLimiter({ clock, perSecond: 10, burst: 20 });
  for (let n = 0; n < 20; n += 1) await limiter.acquire('createService', 'edit');
  const turns: CallPriority[] = [];
  const wait = (priority: CallPriority, times: number) => {
    for (let n = 0; n < times; n += 1)
      void limiter.acquire('createService', priority).then(() => turns.push(priority));
  };
  return { clock, limiter, turns, wait };
}

const size = { perSecond: 10, burst: 20 };

test.each([
  ['adds ten tokens in a second', 3, 1_000, 13],
  ['adds a part of a token', 0, 50, 0.5],
  ['is never more than full', 15, 3_600_000, 20],
  ['gains nothing without time', 3, 0, 3],
  ['gains nothing from a clock that goes back', 3, -500, 3],
])('a bucket %s', (_event, tokens, passedMs, after) => {
  expect(refilled({ tokens, atMs: 1_000 }, 1_000 + passedMs, size)).toEqual({
    tokens: after,
    atMs: 1_000 + passedMs,
  });
});

test.each([
  [0, 100],
  [0.5, 50],
  [0.999, 1],
  [1, 0],
  [20, 0],
])('a bucket with %d tokens has a whole token after %d ms', (tokens, waitMs) => {
  expect(untilNextTokenMs({ tokens, atMs: 0 }, size)).toBe(waitMs);
});

test.each<[readonly CallPriority[], number, CallPriority | undefined]>([
  [['edit', 'resync', 'read'], 0, 'edit'],
  [['resync', 'read'], 0, 'resync'],
  [['read'], 0, 'read'],
  [['edit', 'resync', 'read'], 3, 'edit'],
  [['edit', 'resync', 'read'], 4, 'read'],
  [['edit', 'resync', 'read'], 5, 'read'],
  [['edit', 'resync'], 4, 'edit'],
  [[], 4, undefined],
])(
  'while %j wait, after %d tokens without a read, the next token is for %s',
  (waiting, since, turn) => {
    expect(nextTurn((priority) => waiting.includes(priority), since)).toBe(turn);
  },
);

/** A line with two callers of each priority. The callers joined in the order of the list. */
function fullLine() {
  const line = waitingLine<string>();
  for (const priority of ['read', 'resync', 'edit'] as const)
    for (const place of ['first', 'second']) line.join(`${place} ${priority}`, priority);
  return line;
}

test.each<[CallPriority, number]>([
  ['edit', 2],
  ['resync', 4],
  ['read', 6],
])('a new caller of the priority %s has %d callers of six before it', (priority, before) => {
  expect(fullLine().before(priority)).toBe(before);
});

test('a line gives turns by priority, then by age, and the fifth turn goes to a read', () => {
  const line = fullLine();
  const turns = Array.from({ length: 7 }, () => line.takeNext());
  expect(turns).toEqual([
    'first edit',
    'second edit',
    'first resync',
    'second resync',
    'first read',
    'second read',
    undefined,
  ]);
  expect(line.length).toBe(0);
});

test('turns before a read joined an empty line of reads do not count in its favour', () => {
  const line = waitingLine<string>();
  for (let n = 0; n < 6; n += 1) line.join(`edit ${n}`, 'edit');
  for (let n = 0; n < 4; n += 1) line.takeNext();
  line.join('read', 'read');
  expect(line.takeNext()).toBe('edit 4');
});

test('a caller in the middle of a line can leave', () => {
  const line = fullLine();
  line.leave('first edit', 'edit');
  expect(line.length).toBe(5);
  expect(line.takeNext()).toBe('second edit');
});

test('twenty calls go at once, then ten a second', async () => {
  const { clock, turns, wait } = await emptied();
  wait('edit', 30);
  await clock.advance(99);
  expect(turns).toHaveLength(0);
  await clock.advance(1);
  expect(turns).toHaveLength(1);
  await clock.advance(1_000);
  expect(turns).toHaveLength(11);
});

test('edits come before resync, resync before reads, and reads get one token in five', async () => {
  const { clock, turns, wait } = await emptied();
  wait('read', 3);
  wait('resync', 3);
  wait('edit', 6);
  await clock.advance(5_000);
  expect(turns).toEqual([
    'edit',
    'edit',
    'edit',
    'edit',
    'read',
    'edit',
    'edit',
    'resync',
    'resync',
    'read',
    'resync',
    'read',
  ]);
});

test('a short pause holds all calls back until its end, and a shorter pause does not end a longer pause', async () => {
  const clock = manualClock();
  const limiter = rateLimiter({ clock });
  limiter.pauseUntil(clock.now() + 900);
  limiter.pauseUntil(clock.now() + 100);
  let got = false;
  void limiter.acquire('createService', 'edit').then(() => (got = true));
  await clock.advance(899);
  expect(got).toBe(false);
  await clock.advance(1);
  expect(got).toBe(true);
});

test.each([
  ['five seconds', 5_000, 5_000],
  ['an hour', 3_600_000, 60_000],
])(
  'a pause of %s refuses waiting calls and new calls, and tells the callers the time of the next try',
  async (_pause, pauseMs, retryAfterMs) => {
    const { clock, limiter } = await emptied();
    const waiting = limiter.acquire('createService', 'read').catch((error: unknown) => error);
    limiter.pauseUntil(clock.now() + pauseMs);
    expect(await waiting).toMatchObject({ retryAfterMs });
    await expect(limiter.acquire('createService', 'edit')).rejects.toMatchObject({ retryAfterMs });
    await clock.advance(pauseMs);
    await limiter.acquire('createService', 'edit');
  },
);

test('a call is refused if the calls before it take longer than the longest time until a request is sent', async () => {
  const { clock, limiter, turns, wait } = await emptied();
  wait('edit', 81);
  await expect(limiter.acquire('createService', 'edit')).rejects.toMatchObject({
    retryAfterMs: 8_100,
  });
  await clock.advance(1_000);
  wait('edit', 1);
  await clock.advance(sendWithinMs);
  expect(turns).toHaveLength(82);
});

test.each<[CallPriority, CallPriority, number, 'waits' | 'is refused']>([
  ['edit', 'read', 300, 'waits'],
  ['edit', 'resync', 81, 'waits'],
  ['edit', 'edit', 81, 'is refused'],
  ['resync', 'read', 300, 'waits'],
  ['resync', 'edit', 81, 'is refused'],
  ['read', 'read', 300, 'waits'],
  ['read', 'read', 301, 'is refused'],
])(
  'a call of the priority %s behind calls of the priority %s, %d of them, %s',
  async (priority, ahead, count, end) => {
    const { limiter, wait } = await emptied();
    wait(ahead, count);
    const turn = limiter.acquire('createService', priority).then(() => 'waits');
    expect(await Promise.race([turn.catch(() => 'is refused'), setImmediate('waits')])).toBe(end);
  },
);

test('a call that the limiter refuses is not sent and starts no pause', async () => {
  await using peer = await scriptedPeer(json(200, []));
  const clock = manualClock();
  const limiter = rateLimiter({ clock });
  await using api = cloudClient({
    baseUrl: peer.url,
    apiKey: 'key',
    limiter,
    now: () => clock.now(),
  });
  limiter.pauseUntil(clock.now() + 5_000);
  await clock.advance(2_000);
  expect(await cloudErrorOf(api.project(project).listVpcs())).toMatchObject({
    kind: 'rateLimited',
    sent: false,
    retryAfterMs: 3_000,
  });
  expect(await cloudErrorOf(limiter.acquire('listVpcs', 'read'))).toMatchObject({
    retryAfterMs: 3_000,
  });
  expect(peer.arrived).toHaveLength(0);
});

test('a caller that gives up waiting takes no token', async () => {
  const { clock, limiter, turns, wait } = await emptied();
  const caller = new AbortController();
  const given = limiter.acquire('createService', 'edit', caller.signal);
  wait('edit', 1);
  caller.abort(new Error('no more'));
  await expect(given).rejects.toThrow('no more');
  await expect(limiter.acquire('createService', 'edit', caller.signal)).rejects.toThrow('no more');
  await clock.advance(100);
  expect(turns).toEqual(['edit']);
});

test('in any stretch of time no more turns are given than the burst and the rate allow', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(fc.constantFrom('edit', 'resync', 'read'), fc.integer({ min: 0, max: 400 })),
        { maxLength: 60 },
      ),
      async (calls) => {
        const clock = manualClock();
        const limiter = rateLimiter({ clock, perSecond: 10, burst: 5 });
        const grantedAt: number[] = [];
        for (const [priority, pauseMs] of calls) {
          void limiter.acquire('createService', priority).then(() => grantedAt.push(clock.now()));
          await clock.advance(pauseMs);
        }
        await clock.advance(10_000);
        expect(grantedAt).toHaveLength(calls.length);
        for (const [index, at] of grantedAt.entries()) {
          const within = grantedAt.slice(index).filter((other) => other - at <= 1_000).length;
          expect(within).toBeLessThanOrEqual(15);
        }
      },
    ),
    { numRuns: 30 },
  );
});

test('a clock that goes back adds no tokens, and tokens come again at the usual rate', async () => {
  const { clock, turns, wait } = await emptied();
  await clock.advance(-500);
  wait('edit', 2);
  await clock.advance(99);
  expect(turns).toHaveLength(0);
  await clock.advance(101);
  expect(turns).toHaveLength(2);
});

test('a call whose deadline passes before its turn is not sent and fails as rate limited', async () => {
  await using peer = await scriptedPeer(json(200, []));
  const { limiter } = await emptied();
  await using api = cloudClient({ baseUrl: peer.url, apiKey: 'key', limiter });
  expect(await cloudErrorOf(api.project(project).listVpcs({ timeoutMs: 20 }))).toMatchObject({
    kind: 'rateLimited',
    sent: false,
  });
  const signal = AbortSignal.timeout(20);
  expect(await cloudErrorOf(api.project(project).listVpcs({ signal }))).toMatchObject({
    kind: 'aborted',
    sent: false,
  });
  expect(peer.arrived).toHaveLength(0);
});

test('a call whose caller has waited already goes at once', async () => {
  await using peer = await scriptedPeer(json(200, []));
  const { limiter } = await emptied();
  await using api = cloudClient({ baseUrl: peer.url, apiKey: 'key', limiter });
  expect(await api.project(project).listVpcs({ hasTurn: true })).toEqual([]);
});

test.each([
  [{ 'retry-after': '7' }, 7_000],
  [{}, 5_000],
])('a 429 with %j pauses the key for %i ms', async (headers, pauseMs) => {
  await using peer = await scriptedPeer(json(429, {}, headers));
  const clock = manualClock();
  const limiter = rateLimiter({ clock });
  await using api = cloudClient({
    baseUrl: peer.url,
    apiKey: 'key',
    limiter,
    now: () => clock.now(),
  });
  await cloudErrorOf(api.project(project).listVpcs());
  expect(await cloudErrorOf(limiter.acquire('listVpcs', 'read'))).toMatchObject({
    kind: 'rateLimited',
    sent: false,
    retryAfterMs: pauseMs,
  });
});

const words = (error: CloudError) => describeCloudError(error, 'show the service');

test.each([
  ['3600', '00:26'],
  ['600', '00:26'],
  ['60', '00:17'],
  ['59', undefined],
])(
  'after a 429 with Retry-After %s, the reply and each refused call name the same end of the pause: %s',
  async (header, end) => {
    await using peer = await scriptedPeer(
      json(429, { code: 'slow', message: 'slow down' }, { 'retry-after': header }),
    );
    // 16 minutes and 10 seconds after midnight.
    const clock = manualClock(970_000 - 20_000);
    const limiter = rateLimiter({ clock });
    await using api = cloudClient({
      baseUrl: peer.url,
      apiKey: 'key',
      limiter,
      now: () => clock.now(),
    });
    const first = await cloudErrorOf(api.project(project).listVpcs());
    const said = `the cloud limits how often this API key may call it${end === undefined ? '' : ` until ${end} UTC`}`;
    expect(words(first)).toBe(said);
    expect(first.message).toContain(
      end === undefined
        ? 'rateLimited (429): slow down'
        : `rateLimited (429) until ${end} UTC: slow down`,
    );
    for (let times = 0; times < 5; times += 1) {
      await clock.advance(9_000);
      expect(words(await cloudErrorOf(api.project(project).listVpcs()))).toBe(said);
    }
    expect(peer.arrived).toHaveLength(1);
  },
);
