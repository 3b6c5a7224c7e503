import { describe, expect, test } from 'vitest';
import { decideVpc } from '../../../../src/reconcile/kinds/vpc/kind.ts';
import type { Step } from '../../../../src/reconcile/step/step.ts';
import { withPeerings } from './vpc/vpc-with-peerings.ts';
import { always, before, made, ways, type Given } from './ways-to-delete.ts';

/** Each way to a DELETE, and every reason to hold it back. */

describe.each(ways)('%s', (_, { decide, begun }) => {
  test('is deleted while nothing holds it', () => {
    expect(deletes(decide({}))).toBe(true);
  });
  test.each([...always, ...(begun ? [] : before)])('is not deleted while %s', (__, given) => {
    expect(deletes(decide(given))).toBe(false);
  });
});

const removePeering = (given: Given) => decideVpc(withPeerings({ ...made, ...given }));

/** The VPC stays, so the spec alone decides on the resources around it. */
describe('a peering that the spec does not name any more', () => {
  const ofTheVpc = /depend|create on it/u;
  test('is deleted while nothing holds it', () => {
    expect(deletes(removePeering({}))).toBe(true);
  });
  test.each(always.filter(([sentence]) => !ofTheVpc.test(sentence)))(
    'is not deleted while %s',
    (_, given) => {
      expect(deletes(removePeering(given))).toBe(false);
    },
  );
  test('is not deleted while its VPC is only observed', () => {
    expect(deletes(removePeering({ spec: { managementPolicy: 'Observe' } }))).toBe(false);
  });
});

function deletes(step: Step): boolean {
  if (step.type !== 'call' && step.type !== 'write') return false;
  const { action } = step;
  const isMark = action.type === 'writeRecord' && action.record.deletionStarted !== undefined;
  return isMark || action.type === 'delete' || action.type === 'deletePeering';
}
