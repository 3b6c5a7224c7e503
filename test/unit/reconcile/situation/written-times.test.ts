import { expect, test } from 'vitest';
import { isAwaitingEffect, writtenAt } from '../../../../src/reconcile/situation/history.ts';
import type { Learned } from '../../../../src/reconcile/situation/situation.ts';
import { resourceKey } from '../../../../src/runtime/index.ts';
import { memory, type Remembered } from '../../../../src/reconcile/wiring/memory.ts';
import { newness, lastOperationOf } from '../../../../src/reconcile/observe/observe-object.ts';
import type { EntryContent, LedgerEntry } from '../../../../src/resources/ledger-entry.ts';
import { managedVpcs } from '../../../../src/resources/managed-vpc.ts';
import type { ManagedObject } from '../../../../src/resources/managed-object.ts';
import { unansweredAt } from '../../../../src/reconcile/kinds/service/observe.ts';

/** Times that were written under another clock, and the earliest time of the next observation. */

const now = Date.parse('2026-11-21T12:00:00Z');
const text = (ms: number) => new Date(now + ms).toISOString();
const fresh = () => memory().of('ManagedVpc', resourceKey('shop', 'prod'));

function vpc(status: object = {}, annotations: Record<string, string> = {}): ManagedObject {
  return managedVpcs.parse({
    apiVersion: 'managed-db.io/v1alpha1',
    kind: 'ManagedVpc',
    metadata: {
      name: 'prod',
      namespace: 'shop',
      uid: 'u',
      resourceVersion: '1',
      generation: 1,
      annotations,
    },
    spec: { cidr: '10.0.0.0/16', regionCode: 'eu' },
    status,
  });
}

/** The ledger entry, in version 7. */
function entry(content: Partial<EntryContent>): LedgerEntry {
  const object = { kind: 'ManagedVpc', namespace: 'shop', name: 'prod', uid: 'u' };
  const metadata = { name: 'managedvpc-u', namespace: 'ledger', uid: 'e', resourceVersion: '7' };
  return {
    metadata,
    content: {
      version: 1,
      object,
      clusterUid: 'cluster',
      passwordNumber: 1,
      hasPassword: true,
      ...content,
    },
  };
}

test('a time of a clock that was ahead counts from when it is first seen; one of the past as it is', () => {
  const learned: Learned = { firstSeen: new Map() };
  expect(writtenAt({ now, learned }, text(3_600_000))).toBe(now);
  expect(writtenAt({ now: now + 60_000, learned }, text(3_600_000))).toBe(now);
  expect(writtenAt({ now, learned }, text(-5_000))).toBe(now - 5_000);
  expect(writtenAt({ now, learned }, 'yesterday')).toBe(now);
});

test.each([-3_600_000, 0, 3_600_000])(
  'a password call of an earlier process, whose clock was %i ms ahead, may arrive until its time is over by the clock of the present process',
  (aheadMs) => {
    const learned: Learned = { firstSeen: new Map() };
    const noted = entry({ unansweredAt: text(aheadMs) });
    const seenAt = (at: number, own: Partial<Remembered> = {}) =>
      unansweredAt({ memory: { ...fresh(), ...own }, now: at, learned }, noted);
    expect([seenAt(now), seenAt(now + 60_000)]).toEqual([now, now]);
    // Its own calls, this process knows better.
    expect(seenAt(now + 100_000, { passwordUnansweredAt: now + 90_000 })).toBe(now + 90_000);
  },
);

test.each([
  ['another process wrote', undefined, now],
  ['another process changed', '6', now],
  ['this process wrote', '7', undefined],
])('a next password that %s may have been sent, or was not', (_, written, expected) => {
  const learned: Learned = { firstSeen: new Map() };
  const own = { ...fresh(), neverSent: written };
  const seenAt = (at: number) =>
    unansweredAt({ memory: own, now: at, learned }, entry({ next: { from: 'rotation r1' } }));
  expect([seenAt(now), seenAt(now + 60_000)]).toEqual([expected, expected]);
});

test('of two password calls without an answer, the later one counts', () => {
  const learned: Learned = { firstSeen: new Map() };
  const own = { ...fresh(), passwordUnansweredAt: now - 90_000 };
  const next = entry({ next: { from: 'rotation r1' } });
  expect(unansweredAt({ memory: own, now, learned }, next)).toBe(now);
});

test('a change that was accepted under a clock an hour ahead is waited for as long as any other', () => {
  const learned: Learned = { firstSeen: new Map() };
  const object = vpc({
    lastOperation: { operation: 'renameVpc', wanted: 'b', at: text(3_600_000) },
  });
  const seenAt = (at: number) => lastOperationOf(object, undefined, { now: at, learned });
  expect(isAwaitingEffect(seenAt(now), 'renameVpc', 'b', now + 29_000)).toBe(true);
  expect(isAwaitingEffect(seenAt(now + 31_000), 'renameVpc', 'b', now + 31_000)).toBe(false);
});

test('a change that the cloud accepted is known though status did not take it', () => {
  const accepted = { operation: 'renameVpc', wanted: 'b', at: text(0) };
  const look = { now, learned: { firstSeen: new Map<string, number>() } };
  expect(lastOperationOf(vpc(), accepted, look)).toMatchObject({ operation: 'renameVpc', at: now });
  const earlier = vpc({
    lastOperation: { operation: 'deletePeering', wanted: 'x', at: text(-60_000) },
  });
  expect(lastOperationOf(earlier, accepted, look)).toMatchObject({ operation: 'renameVpc' });
  const written = vpc({
    lastOperation: { operation: 'renameVpc', wanted: 'b', at: text(0), wasBusy: true },
  });
  expect(lastOperationOf(written, accepted, look)).toMatchObject({ wasBusy: true });
});

test('after an unclear answer, only a list that began later counts', () => {
  const known = fresh();
  known.unclearAt = now;
  expect(newness(vpc(), undefined, known, now + 9_000).notBefore).toBe(now);
});

test('when the time is over in which an accepted DELETE shows, a look must have begun after that second, unless it was seen at work', () => {
  const lookAt = (afterMs: number, more: object = {}) =>
    newness(
      vpc(),
      { operation: 'delete', wanted: 'vpc-1', at: now + 1, ...more },
      fresh(),
      now + 1 + afterMs,
    ).notBefore;
  expect(lookAt(29_999)).toBe(0);
  expect(lookAt(30_000)).toBe(now + 31_000);
  expect(lookAt(90_000)).toBe(now + 31_000);
  expect(lookAt(90_000, { wasBusy: true })).toBe(0);
  expect(lookAt(90_000, { operation: 'renameVpc' })).toBe(0);
});

const asking = (requestedAt: string) =>
  vpc({ lastHandledReconcileAt: '0' }, { 'reconcile.managed-db.io/requestedAt': requestedAt });

test('each observation that a user requests is made at once', () => {
  const known = fresh();
  const look = (requestedAt: string, at: number) => {
    const { requestedVisit, notBefore } = newness(asking(requestedAt), undefined, known, at);
    if (requestedVisit) known.requestedVisit = requestedVisit;
    return notBefore;
  };
  expect(look('0', now)).toBe(0);
  expect(look('1', now)).toBe(now);
  // Until the operator answers the request, the same value is the same request.
  expect(look('1', now + 2_000)).toBe(now);
  expect(look('2', now + 3_000)).toBe(now + 3_000);
});
