import { replicaSetId } from '../../../../cloud/wire/replica-set.ts';
import { serviceId } from '../../../../cloud/wire/service.ts';
import { removeUnshown, type DeletionOf } from '../../../decide/rules/deletion.ts';
import type { Rule, Unheld } from '../../../decide/rule.ts';
import { isDeleteAnswered } from '../../../situation/last-operation.ts';
import type { DeletingReplicaSet } from '../situation.ts';
import { intervals } from '../../../step/intervals.ts';

export const deletion: DeletionOf<DeletingReplicaSet> = ({ record, id }) => ({
  operation: 'deleteReplicaSet',
  args: [serviceId.parse(record.parentServiceId), replicaSetId.parse(id)],
});

/** A list without the replica set may be outdated, and there is no GET: the DELETE is repeated until the cloud answers it with 404. */
export const removeUnlisted: Rule<Unheld<DeletingReplicaSet>> = (situation) => {
  const { cloud, id, isNotFoundOnDelete, lastOperation, now } = situation;
  if (cloud.state !== 'missing' || isNotFoundOnDelete) return undefined;
  if (isDeleteAnswered(lastOperation, id) && now - lastOperation.at < intervals.forUnlistedMs) return undefined;
  return removeUnshown(situation, deletion, `the replica set ${id}`);
};
