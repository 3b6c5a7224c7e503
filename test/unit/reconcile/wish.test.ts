import { expect, test } from 'vitest';
import { stall, wait } from '../../../src/reconcile/step/step.ts';
import { inTurn, whatWaits, type Wish } from '../../../src/reconcile/decide/wish.ts';
import { refusalDelayMs } from '../../../src/reconcile/step/refusal.ts';
import { retryDelayMs } from '../../../src/reconcile/report/next-visit.ts';

const size: Wish = { name: 'size', step: wait('Resizing', 'resizing') };
const environment: Wish = { name: 'environment', step: wait('SettingEnvironment', 'setting the environment') };
const refused: Wish = { name: 'pooler', step: stall('Rejected', 'refused', { retryAfterMs: 600_000 }), passForMs: 400_000 };
const busy: Wish = { name: 'VPC', step: wait('WaitingForCloud', 'not now'), passForMs: 2_000 };
const notApplied: Wish = { name: 'replicas', step: stall('NotApplied', 'not applied'), passForMs: 600_000 };

// These rules look at nothing.
function turn(...wishes: readonly (Wish | undefined)[]) {
  return inTurn<undefined>(wishes.map((wish) => () => wish))(undefined);
}

function waiting(...wishes: readonly Wish[]) {
  return whatWaits<undefined>(wishes.map((wish) => () => wish))(undefined);
}

test('the first wish is next, and the message names what follows', () => {
  expect(turn(undefined, size, environment)).toMatchObject({ reason: 'Resizing', message: 'resizing; then: environment' });
  expect(turn()).toBeUndefined();
});

test('what the cloud refused, or took on without effect, lets the others pass', () => {
  expect(turn(refused, environment)).toMatchObject({ reason: 'SettingEnvironment', message: 'setting the environment; then: pooler' });
  expect(turn(notApplied, environment)).toMatchObject({ reason: 'SettingEnvironment' });
  expect(turn(refused)).toBeUndefined();
});

test('of what waits, the first is told, and the soonest decides when to look again', () => {
  expect(waiting(refused)).toMatchObject({ reason: 'Rejected', message: 'refused', retryAfterMs: 400_000 });
  expect(waiting(busy)).toMatchObject({ reason: 'WaitingForCloud', afterMs: 2_000 });
  expect(waiting(refused, busy)).toMatchObject({ reason: 'Rejected', message: 'refused; then: VPC', retryAfterMs: 2_000 });
  expect(waiting({ ...size, isPostponed: true })).toBeUndefined();
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
