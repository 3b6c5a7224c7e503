import { expect, test } from 'vitest';
import { conditionsNow } from '../../../../src/reconcile/report/status.ts';
import type { Condition } from '../../../../src/resources/condition.ts';

const earlier = '2026-11-21T09:00:00.000Z';
const now = Date.parse('2026-11-21T10:00:00Z');
const ready = (status: Condition['status'], message = '') => ({ type: 'Ready', status, reason: 'Tested', message });
const before: readonly Condition[] = [{ ...ready('True', 'as before'), observedGeneration: 1, lastTransitionTime: earlier }];

test.each([
  ['keeps its time while its status is the same, whatever else it says', ready('True', 'other words'), before, earlier],
  ['has the time of the look at which its status changed', ready('False'), before, '2026-11-21T10:00:00.000Z'],
  ['has the time of its first look', ready('True'), [], '2026-11-21T10:00:00.000Z'],
])('a condition %s', (_, found, previous, lastTransitionTime) => {
  const told = conditionsNow([found], previous, { observedGeneration: 2, now });
  expect(told).toEqual([{ ...found, observedGeneration: 2, lastTransitionTime }]);
});

test('a condition that was not found any more is gone, and no generation is told where none was looked at', () => {
  expect(conditionsNow([], before, { observedGeneration: 2, now })).toEqual([]);
  expect(conditionsNow([ready('True')], before, { observedGeneration: undefined, now })).toEqual([
    { ...ready('True'), lastTransitionTime: earlier },
  ]);
});
