import { expect, test } from 'vitest';
import { resourceKey } from '../../../src/runtime/kubernetes-object.ts';
import { memory } from '../../../src/reconcile/memory.ts';
import type { Outcome } from '../../../src/reconcile/outcome.ts';
import { keep, wait, type Step } from '../../../src/reconcile/step.ts';
import { lastingStep, untoldForMs } from '../../../src/reconcile/tell-what-lasts.ts';
import { serviceObject } from '../../support/situation.ts';

/** What is waited for is told after half a minute, and not before. */

const told = wait('CloudUnavailable', 'the cloud fails (HTTP 500); tried again by itself');
const kept = keep(told);
const done: Step = { type: 'done', reason: 'Available', message: 'there' };

type Look = readonly [at: number, lasts: number, step: Step, unreadSince?: number];

function visits(isReady: boolean, outcome: Outcome['type'], ...looks: readonly Look[]) {
  const known = memory().of('ManagedVpc', resourceKey('shop', 'prod'));
  return looks.map(([at, lasts, step, since]) => {
    const unread = since === undefined ? undefined : { told, since };
    return lastingStep({ step, outcome, isReady, unread }, known, at, at + lasts).type;
  });
}

test('a visit that learned nothing is told once that has lasted half a minute', () => {
  expect(visits(false, 'nothing', [0, 0, kept], [29_000, 0, kept], [30_000, 0, kept], [90_000, 0, kept])).toEqual([
    'keep',
    'keep',
    'wait',
    'wait',
  ]);
});

test('a visit that waited so long for an answer itself is told at its end', () => {
  expect(visits(false, 'nothing', [0, 31_000, kept])).toEqual(['wait']);
});

test('whatever is learned begins it anew', () => {
  expect(visits(false, 'nothing', [0, 0, kept], [20_000, 0, done], [31_000, 0, kept])).toEqual(['keep', 'done', 'keep']);
});

test('work that is seen to go on begins it anew, too, also while it cannot be followed', () => {
  const working = wait('Resizing', 'at work', { inProgressSince: 0 });
  expect(visits(false, 'nothing', [0, 0, kept], [20_000, 0, working, 20_000], [31_000, 0, kept])).toEqual(['keep', 'wait', 'keep']);
});

test('what is Ready stays so while it cannot be read, and not while it cannot be written', () => {
  expect(visits(true, 'nothing', [0, 0, kept], [90_000, 0, kept])).toEqual(['keep', 'keep']);
  expect(visits(true, 'hindered', [0, 0, kept], [90_000, 0, kept])).toEqual(['keep', 'wait']);
  expect(visits(true, 'overtaken', [0, 0, kept], [90_000, 0, kept])).toEqual(['keep', 'wait']);
});

const object = serviceObject();
test.each<[sentence: string, untold: Parameters<typeof untoldForMs>[0], ms: number | undefined]>([
  [
    'work that began just now is not told yet',
    { step: wait('Deleting', 'x', { inProgressSince: 9_000 }), outcome: { type: 'nothing' } },
    500,
  ],
  ['work that lasts is told', { step: wait('Deleting', 'x', { inProgressSince: 8_500 }), outcome: { type: 'nothing' } }, undefined],
  [
    'a time ahead of this clock keeps nothing back for long',
    { step: wait('Deleting', 'x', { inProgressSince: 99_000 }), outcome: { type: 'nothing' } },
    1_500,
  ],
  ['what is waited for otherwise is told', { step: wait('WaitingForReference', 'x'), outcome: { type: 'nothing' } }, undefined],
  [
    'a request that was taken on is told by the visit after it',
    { step: wait('Deleting', 'x'), outcome: { type: 'done', object, accepted: { operation: 'delete', wanted: 'a' } } },
    0,
  ],
])('%s', (_sentence, untold, ms) => {
  expect(untoldForMs(untold, 10_000)).toBe(ms);
});
