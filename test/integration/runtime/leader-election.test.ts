import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { leaderElection, type LeaderElection } from '../../../src/runtime/leader-election.ts';
import { leases, type LeaseMarks } from '../../../src/runtime/lease.ts';
import { until } from '../../support/until.ts';
import { apiServer, shop, type Shop } from './cluster.ts';
import { tcpProxy } from '../../support/tcp-proxy.ts';

const name = 'operator';
const timing = { leaseDurationMs: 6_000, renewDeadlineMs: 4_000, retryPeriodMs: 500 };

/** A replica's part in the election. @param server instead of the API server itself */
function candidate(
  there: Shop,
  identity: string,
  server = inject('controlPlane').server,
  marks?: LeaseMarks,
) {
  const logged: string[] = [];
  const take = (_fields: object, message: string) => void logged.push(message);
  const election = leaderElection(
    { ...timing, namespace: there.namespace, name, identity, marks },
    {
      apiServer: apiServer({ server }),
      intercept: undefined,
      fieldManager: 'test',
      userAgent: 'test',
      log: { debug: take, info: () => undefined, warn: take, error: take },
      random: Math.random,
    },
  );
  const ending = new AbortController();
  return {
    election,
    logged,
    win: () => election.win(ending.signal),
    async [Symbol.asyncDispose]() {
      ending.abort(new Error('the test is over'));
      await election.release();
      await election[Symbol.asyncDispose]();
    },
  };
}

const leaseIn = (there: Shop) => there.client.get(leases, there.key(name));
const isHeld = (election: LeaderElection) => () => election.held;

test('the first replica creates the lease in the form that kubectl and client-go know, and renews it', async () => {
  await using there = await shop();
  await using one = candidate(there, 'one');
  await one.win();
  const made = await leaseIn(there);
  expect(made?.spec).toMatchObject({
    holderIdentity: 'one',
    leaseDurationSeconds: 6,
    leaseTransitions: 0,
  });
  expect(made?.spec.renewTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/u);
  const renewed = await until('a renewal', async () => {
    const now = await leaseIn(there);
    return now?.spec.renewTime !== made?.spec.renewTime && now;
  });
  expect(renewed.spec).toMatchObject({
    holderIdentity: 'one',
    acquireTime: made?.spec.acquireTime,
    leaseTransitions: 0,
  });
  expect([one.election.held, one.election.isOverdue]).toEqual([true, false]);
});

test('a standby replica does not act while the holder renews, and gets a released lease long before it would have run out', async () => {
  await using there = await shop();
  await using one = candidate(there, 'one');
  await one.win();
  await using two = candidate(there, 'two');
  const won = two.win();
  await two.election.observe();
  await pause(timing.leaseDurationMs * 1.25);
  expect([one.election.held, two.election.held]).toEqual([true, false]);
  await one.election.release();
  const givenBackAt = performance.now();
  expect(one.election.held).toBe(false);
  await won;
  const tookMs = performance.now() - givenBackAt;
  process.stdout.write(`taken ${Math.round(tookMs)} ms after it was given back\n`);
  expect(tookMs).toBeLessThan(timing.renewDeadlineMs); // an unreleased lease lasts longer
  expect(two.election.held).toBe(true);
  expect((await leaseIn(there))?.spec).toMatchObject({
    holderIdentity: 'two',
    leaseTransitions: 1,
  });
});

test('when the holder is silent, another replica waits for the lease duration and no longer, whatever time the holder wrote', async () => {
  await using there = await shop();
  await using two = candidate(there, 'two');
  const past = inHours(-1);
  const spec = {
    holderIdentity: 'gone',
    leaseDurationSeconds: 3,
    acquireTime: past,
    renewTime: past,
    leaseTransitions: 7,
  };
  await there.client.create(leases, there.namespace, { metadata: { name }, spec });
  const begunAt = performance.now();
  await two.win();
  const waitedMs = performance.now() - begunAt;
  process.stdout.write(`taken after ${Math.round(waitedMs)} ms of 3000\n`);
  expect(waitedMs).toBeGreaterThanOrEqual(3_000);
  expect(waitedMs).toBeLessThan(3_000 * 1.2 + 10_000); // the machine may be slow
  expect((await leaseIn(there))?.spec.leaseTransitions).toBe(8);
});

const marks = (process: string): LeaseMarks => ({
  labels: { ring: 'databases' },
  annotations: { process },
});

test('of two processes with the same name the second waits until the first has released the lease, and the lease gets the marks of its holder', async () => {
  await using there = await shop();
  const { server } = inject('controlPlane');
  await using one = candidate(there, 'shard', server, marks('first'));
  await one.win();
  await there.client.patch(leases, there.key(name), { metadata: { labels: { state: 'ready' } } });
  await using two = candidate(there, 'shard', server, marks('second'));
  const won = two.win();
  await pause(timing.leaseDurationMs * 1.25);
  expect([one.election.held, two.election.held]).toEqual([true, false]);
  await one.election.release();
  await won;
  expect(await leaseIn(there)).toMatchObject({
    metadata: { labels: { ring: 'databases', state: 'ready' }, annotations: { process: 'second' } },
    spec: { holderIdentity: 'shard' },
  });
});

test('a deleted lease is not taken from a holder that may not know of it, and an annotated lease is renewed', async () => {
  await using there = await shop();
  await using one = candidate(there, 'one');
  await one.win();
  await using two = candidate(there, 'two');
  void two.win().catch(() => undefined); // it never does
  await two.election.observe();
  await there.client.patch(leases, there.key(name), {
    metadata: { annotations: { note: 'who is it?' } },
  });
  await there.client.delete(leases, there.key(name));
  await until('the lease to be there again', () => leaseIn(there));
  await pause(timing.leaseDurationMs);
  expect((await leaseIn(there))?.spec.holderIdentity).toBe('one');
  expect([one.election.held, two.election.held]).toEqual([true, false]);
});

test('a deleted lease is not taken before it would have run out, though its holder cannot write it anew', async () => {
  await using there = await shop();
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using one = candidate(there, 'one', proxy.url);
  await one.win();
  await using two = candidate(there, 'two');
  await two.election.observe();
  await proxy.cut();
  await there.client.delete(leases, there.key(name));
  await two.win();
  expect([one.election.held, one.election.isOverdue]).toEqual([false, true]);
});

test('a holder notices at once that another process took the lease, and reports which', async () => {
  await using there = await shop();
  await using one = candidate(there, 'one');
  await one.win();
  await there.client.patch(leases, there.key(name), { spec: { holderIdentity: 'thief' } });
  expect(await one.election.lost).toBe('thief has taken it');
  expect([one.election.held, one.election.isOverdue]).toEqual([false, false]);
  await one.election.release();
  expect((await leaseIn(there))?.spec.holderIdentity).toBe('thief');
});

test('during an outage of the API server no replica holds the lease beyond the deadline, and a single replica holds the lease afterwards', async () => {
  await using there = await shop();
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using one = candidate(there, 'one', proxy.url);
  await one.win();
  await using two = candidate(there, 'two', proxy.url);
  const won = two.win();
  await two.election.observe();
  await proxy.cut();
  expect(await one.election.lost).toBe('it could not be renewed for 4 s');
  expect(one.election.held).toBe(false);
  await until('the first to be overdue', () => one.election.isOverdue);
  await pause(timing.leaseDurationMs);
  expect([one.election.held, two.election.held]).toEqual([false, false]);
  await proxy.mend();
  await won;
  await until('the second to hold it', isHeld(two.election));
  expect(two.logged).toEqual([
    'the lease could not be read or written; it is tried again',
    'the lease can be read and written again',
  ]);
});

test('a holder whose requests get no answer loses the lease before another replica takes it', async () => {
  await using there = await shop();
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using one = candidate(there, 'one', proxy.url);
  await one.win();
  await using two = candidate(there, 'two');
  const won = two.win();
  await two.election.observe();
  proxy.silenceNew();
  proxy.silenceOpen();
  expect(await Promise.race([one.election.lost, won])).toBe('it could not be renewed for 4 s');
  expect([one.election.held, two.election.held]).toEqual([false, false]);
  await won;
  expect([one.election.held, two.election.held]).toEqual([false, true]);
});

test('a holder that was frozen beyond the deadline does not renew a lease that others count as run out', async () => {
  await using there = await shop();
  await using one = candidate(there, 'one');
  await one.win();
  const before = await leaseIn(there);
  freeze(timing.renewDeadlineMs + 200);
  expect(await one.election.lost).toBe('it could not be renewed for 4 s');
  await pause(timing.retryPeriodMs * 2);
  expect((await leaseIn(there))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
});

/** As a clock that is wrong writes it. */
function inHours(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString().replace('Z', '000Z');
}

/** Blocks this process completely, as SIGSTOP does. */
function freeze(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
