import { expect, test } from 'vitest';
import { nextCreateInMs } from '../../../../src/reconcile/step/create-backoff.ts';
import { retryDelayMs } from '../../../../src/reconcile/step/intervals.ts';

test('a refused create is tried again after 10 s, doubling to 10 min; what only a person can mend, after 10 min', () => {
  expect([1, 2, 3, 10].map((failures) => nextCreateInMs({ failures, stalled: undefined }))).toEqual(
    [10_000, 20_000, 40_000, 600_000],
  );
  expect(nextCreateInMs({ failures: 1, stalled: 'Rejected' })).toBe(600_000);
});

test('a failed visit is repeated after 1 s, doubling to 5 min, by up to a quarter more', () => {
  expect([0, 1, 5, 100].map((failures) => retryDelayMs(failures, 0))).toEqual([
    1_000, 2_000, 32_000, 300_000,
  ]);
  expect(retryDelayMs(0, 1)).toBe(1_250);
});
