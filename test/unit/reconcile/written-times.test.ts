import { expect, test } from 'vitest';
import { isSettling } from '../../../src/reconcile/situation/last-operation.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { memory, writtenAt } from '../../../src/reconcile/process/memory.ts';
import { notBefore } from '../../../src/reconcile/observe/not-before.ts';
import { managedVpcs } from '../../../src/resources/managed-vpc.ts';
import type { ManagedObject } from '../../../src/resources/managed-object.ts';
import { lastOperationOf } from '../../../src/reconcile/observe/observe-object.ts';

/** What was written under another clock, and how new a look must be. */

const now = Date.parse('2026-11-21T12:00:00Z');
const text = (ms: number) => new Date(now + ms).toISOString();
const fresh = () => memory().of('ManagedVpc', resourceKey('shop', 'prod'));

function vpc(status: object = {}, annotations: Record<string, string> = {}): ManagedObject {
  return managedVpcs.parse({
    apiVersion: 'managed-db.io/v1alpha1',
    kind: 'ManagedVpc',
    metadata: { name: 'prod', namespace: 'shop', uid: 'u', resourceVersion: '1', generation: 1, annotations },
    spec: { cidr: '10.0.0.0/16', regionCode: 'eu' },
    status,
  });
}

test('a time of a clock that was ahead counts from when it is first seen; one of the past as it is', () => {
  const known = fresh();
  expect(writtenAt(known, text(3_600_000), now)).toBe(now);
  expect(writtenAt(known, text(3_600_000), now + 60_000)).toBe(now);
  expect(writtenAt(known, text(-5_000), now)).toBe(now - 5_000);
  expect(writtenAt(known, 'yesterday', now)).toBe(now);
});

test('a change that was accepted under a clock an hour ahead is waited for as long as any other', () => {
  const known = fresh();
  const object = vpc({ lastOperation: { operation: 'renameVpc', wanted: 'b', at: text(3_600_000) } });
  expect(isSettling(lastOperationOf(object, known, now), 'renameVpc', 'b', now + 29_000)).toBe(true);
  expect(isSettling(lastOperationOf(object, known, now + 31_000), 'renameVpc', 'b', now + 31_000)).toBe(false);
});

test('a change that the cloud accepted is known though status did not take it', () => {
  const known = fresh();
  known.accepted = { operation: 'renameVpc', wanted: 'b', at: text(0) };
  expect(lastOperationOf(vpc(), known, now)).toMatchObject({ operation: 'renameVpc', at: now });
  const earlier = vpc({ lastOperation: { operation: 'deletePeering', wanted: 'x', at: text(-60_000) } });
  expect(lastOperationOf(earlier, known, now)).toMatchObject({ operation: 'renameVpc' });
  const written = vpc({ lastOperation: { operation: 'renameVpc', wanted: 'b', at: text(0), wasBusy: true } });
  expect(lastOperationOf(written, known, now)).toMatchObject({ wasBusy: true });
});

test('after an answer that tells nothing a look must be newer than it, and before the same is sent again newer by the lag of lists', () => {
  const known = fresh();
  known.unclearAt = now;
  known.refusals.set('renameVpc b', {
    generation: 1,
    again: now + 10_000,
    times: 1,
    unclearAt: now,
    step: { type: 'done', reason: 'Available', message: '' },
  });
  expect(notBefore(vpc(), known, now + 9_000).notBefore).toBe(now);
  expect(notBefore(vpc(), known, now + 11_000).notBefore).toBe(now + 10_000);
});

const asking = (requestedAt: string) => vpc({ lastHandledReconcileAt: '0' }, { 'reconcile.managed-db.io/requestedAt': requestedAt });

test('a look that is asked for is taken at once, and the next one ten seconds later', () => {
  const known = fresh();
  expect(notBefore(asking('0'), known, now)).toEqual({ notBefore: 0, lookAskedInMs: undefined });
  expect(notBefore(asking('1'), known, now)).toEqual({ notBefore: now, lookAskedInMs: undefined });
  // Until it is answered it is one and the same look.
  expect(notBefore(asking('1'), known, now + 2_000)).toEqual({ notBefore: now, lookAskedInMs: undefined });
  expect(notBefore(asking('2'), known, now + 3_000)).toEqual({ notBefore: 0, lookAskedInMs: 7_000 });
  expect(notBefore(asking('3'), known, now + 10_000)).toEqual({ notBefore: now + 10_000, lookAskedInMs: undefined });
});
