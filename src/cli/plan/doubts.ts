import { objectReference, resourceKey, type ObjectReference } from '../../runtime/index.ts';
import type { ObjectPlan } from './plan.ts';
import { creates } from './step.ts';

/**
 * The plans of a user who may not read the ledger. Where an unread entry decides, a plan claims no step. Pure.
 * @param unknown the objects whose entries neither the ledger nor their status shows
 */
export function doubted(
  plans: readonly ObjectPlan[],
  unknown: ReadonlySet<ObjectReference>,
): readonly ObjectPlan[] {
  return plans.map((each) => {
    const operations = each.steps.map(({ operation }) => operation);
    if (unknown.has(objectReference(each.kind, resourceKey(each.namespace, each.name))))
      return undecided(each, 'its ledger entry decides, and you may not read it');
    if (operations.includes('adopt'))
      return undecided(each, 'another object may have the resource; you may not read the ledger');
    return operations.some(creates) ? { ...each, notes: [...each.notes, leftover] } : each;
  });
}

const leftover =
  'not if an earlier object of this name left its resource: you may not read the ledger, which knows';

function undecided(each: ObjectPlan, why: string): ObjectPlan {
  const message = `${why}: ask a cluster administrator for this plan`;
  return { ...each, steps: [], notes: [], end: 'unknown', reason: undefined, message };
}
