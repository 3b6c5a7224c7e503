import { expect, test } from 'vitest';
import { conditionsOf } from '../../../../src/reconcile/report/status.ts';
import { wait } from '../../../../src/reconcile/step/step.ts';
import type { Condition } from '../../../../src/resources/condition.ts';

const earlier = '2026-11-21T09:00:00.000Z';
const now = Date.parse('2026-11-21T10:00:00Z');
const serving = (message: string) => ({ reason: 'Available', message }) as const;
const at = { observedGeneration: 2, now };
const working = wait('Deleting', 'other words');
const before = conditionsOf(working, serving('as before'), [], {
  observedGeneration: 1,
  now: Date.parse(earlier),
});
const of = (conditions: readonly Condition[], type: string) =>
  conditions.find((each) => each.type === type);

test.each([
  [
    'keeps its time while its status is the same, whatever else it says',
    serving('other words'),
    before,
    earlier,
  ],
  [
    'has the time of the look at which its status changed',
    undefined,
    before,
    '2026-11-21T10:00:00.000Z',
  ],
  ['has the time of its first look', serving('other words'), [], '2026-11-21T10:00:00.000Z'],
])('a condition %s', (_, found, previous, lastTransitionTime) => {
  const status = found ? 'True' : 'False';
  expect(of(conditionsOf(working, found, previous, at), 'Ready')).toMatchObject({
    status,
    message: 'other words',
    observedGeneration: 2,
    lastTransitionTime,
  });
});

test('a condition that does not hold any more is removed', () => {
  const done = { type: 'done', reason: 'Available', message: '' } as const;
  expect(of(before, 'Reconciling')).toBeDefined();
  expect(of(conditionsOf(done, serving(''), before, at), 'Reconciling')).toBeUndefined();
});

test('conditions name no generation if no visit has looked at one', () => {
  for (const condition of conditionsOf(working, undefined, [], {
    observedGeneration: undefined,
    now,
  }))
    expect(condition).not.toHaveProperty('observedGeneration');
});
