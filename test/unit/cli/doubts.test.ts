import { expect, test } from 'vitest';
import { doubted } from '../../../src/cli/plan/doubts.ts';
import type { ObjectPlan } from '../../../src/cli/plan/plan.ts';
import type { PlannedStep } from '../../../src/cli/plan/step.ts';
import { planMarkdown, planText } from '../../../src/cli/plan/text.ts';
import { objectReference, resourceKey } from '../../../src/runtime/index.ts';

const planOf = (name: string, ...operations: readonly PlannedStep['operation'][]): ObjectPlan => ({
  kind: 'ManagedService',
  namespace: 'shop',
  name,
  id: undefined,
  steps: operations.map((operation) => ({
    operation,
    changesCloud: true,
    text: operation,
    impact: 'none',
    cause: 'spec',
  })),
  notes: [],
  end: 'synced',
  reason: 'Available',
  message: 'there',
});

const plans = [
  planOf('unseen', 'createService'),
  planOf('adopted', 'adopt', 'resizeService'),
  planOf('fresh', 'createService'),
  planOf('known', 'resizeService'),
];
const unseen = objectReference('ManagedService', resourceKey('shop', 'unseen'));
const result = doubted(plans, new Set([unseen]));

test('without the ledger, a plan claims no step where an unread entry decides', () => {
  expect(result.map(({ name, end, steps }) => [name, end, steps.length])).toEqual([
    ['unseen', 'unknown', 0],
    ['adopted', 'unknown', 0],
    ['fresh', 'synced', 1],
    ['known', 'synced', 1],
  ]);
  expect(result.at(2)?.notes).toEqual([
    'not if an earlier object of this name left its resource: you may not read the ledger, which knows',
  ]);
  expect(result.at(3)).toEqual(plans[3]);
});

test('the text and the comment say that a step is unknown, and the next action', () => {
  const words = 'unknown: its ledger entry decides, and you may not read it: ask a cluster';
  expect(planText(result)).toContain(`? msvc/unseen -n shop\n    ${words}`);
  expect(planText(result)).toContain(
    '1 to create, 1 to change, 0 to delete, 0 unchanged, 2 unknown.',
  );
  expect(planMarkdown(result)).toContain(`- msvc/unseen (shop) ${words}`);
});
