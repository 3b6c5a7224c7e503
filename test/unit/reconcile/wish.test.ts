import { expect, test } from 'vitest';
import { stall, wait } from '../../../src/reconcile/step.ts';
import { inTurn, type Wish } from '../../../src/reconcile/wish.ts';
import { refusalDelayMs } from '../../../src/reconcile/refusal.ts';
import { retryDelayMs } from '../../../src/reconcile/next-visit.ts';

const size: Wish = { name: 'size', step: wait('Resizing', 'resizing') };
const environment: Wish = { name: 'environment', step: wait('SettingEnvironment', 'setting the environment') };
const refused: Wish = { name: 'pooler', step: stall('Rejected', 'refused', { retryAfterMs: 600_000 }), passForMs: 400_000 };
const busy: Wish = { name: 'VPC', step: wait('WaitingForCloud', 'not now'), passForMs: 2_000 };
const notApplied: Wish = { name: 'replicas', step: stall('NotApplied', 'not applied') };

// These rules look at nothing.
function turn(...wishes: readonly (Wish | undefined)[]) {
  return inTurn<undefined>(wishes.map((wish) => () => wish))(undefined);
}

test('the first wish is next, and the message names what follows', () => {
  expect(turn(undefined, size, environment)).toMatchObject({ reason: 'Resizing', message: 'resizing; then: environment' });
  expect(turn()).toBeUndefined();
});

test('what the cloud refused lets the others pass, and shows when nothing else is left', () => {
  expect(turn(refused, environment)).toMatchObject({ reason: 'SettingEnvironment', message: 'setting the environment; then: pooler' });
  expect(turn(refused)).toMatchObject({ reason: 'Rejected', message: 'refused', retryAfterMs: 400_000 });
  expect(turn(busy)).toMatchObject({ reason: 'WaitingForCloud', afterMs: 2_000 });
});

test('of several that cannot be made now, the first is told, and the soonest decides when to look again', () => {
  expect(turn(refused, busy)).toMatchObject({ reason: 'Rejected', message: 'refused; then: VPC', retryAfterMs: 2_000 });
});

test('what was accepted and not applied holds the others: only one change is in the books', () => {
  expect(turn(notApplied, environment)).toMatchObject({ reason: 'NotApplied', message: 'not applied; waiting for that: environment' });
});

test('what is not possible now is passed over', () => {
  expect(turn({ ...size, isPostponed: true }, environment)).toMatchObject({ message: 'setting the environment' });
  expect(turn({ ...size, isPostponed: true })).toBeUndefined();
});

test('a refused create is tried again after 10 s, doubling to 10 min; what only a person can mend, after 10 min', () => {
  expect([0, 1, 2, 3, 10].map((failures) => refusalDelayMs({ failures, stalled: undefined }))).toEqual([
    0, 10_000, 20_000, 40_000, 600_000,
  ]);
  expect(refusalDelayMs({ failures: 1, stalled: 'Rejected' })).toBe(600_000);
});

test('a failed visit is repeated after 1 s, doubling to 5 min, by up to a quarter more', () => {
  expect([0, 1, 5, 100].map((failures) => retryDelayMs(failures, 0))).toEqual([1_000, 2_000, 32_000, 300_000]);
  expect(retryDelayMs(0, 1)).toBe(1_250);
});
