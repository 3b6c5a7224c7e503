import { expect, test } from 'vitest';
import { backOffMs } from '../../../src/runtime/clock.ts';

const backOff = { firstMs: 1_000, longestMs: 300_000 };

test.each([
  [0, 1_000],
  [1, 2_000],
  [8, 256_000],
  [9, 300_000],
  [5_000, 300_000],
])('after %i failures before, a try waits %i ms', (failures, expected) => {
  expect(backOffMs(failures, backOff, 0)).toBe(expected);
});

test('chance adds up to a quarter, or the part that is asked for, also to the longest wait', () => {
  expect(backOffMs(0, backOff, 1)).toBe(1_250);
  expect(backOffMs(0, { ...backOff, spread: 1 }, 0.5)).toBe(1_500);
  expect(backOffMs(100, backOff, 1)).toBe(375_000);
});
