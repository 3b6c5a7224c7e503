import { deleteAction } from '../../../decide/rules/deletion.ts';
import type { Rule, Unheld } from '../../../decide/rule.ts';
import { call } from '../../../step/step.ts';
import type { DeletingReplicaSet } from '../situation.ts';
import { intervals } from '../../../step/intervals.ts';

/** A list that lacks the replica set may be outdated, and there is no GET. So the DELETE is sent again until the cloud answers it with 404. */
export const removeUnlisted: Rule<Unheld<DeletingReplicaSet>> = (situation) => {
  const { cloud, id, isNotFoundOnDelete, lastOperation, now } = situation;
  if (cloud.state !== 'missing' || isNotFoundOnDelete) return undefined;
  const { operation, wanted, at = 0 } = lastOperation ?? {};
  if (operation === 'delete' && wanted === id && now - at < intervals.forUnlistedMs) return undefined;
  return call(deleteAction(situation, id), {
    reason: 'Deleting',
    message: `making sure that the replica set ${id} is gone from the cloud`,
  });
};
