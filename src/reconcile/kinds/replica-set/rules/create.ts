import type { Rule, Unheld } from '../../../decide/rule.ts';
import { awaitReference } from '../../../decide/unreadable-cloud.ts';
import { call } from '../../../step/step.ts';
import type { MissingReplicaSet, DeletingReplicaSet } from '../situation.ts';
import { createAction } from '../../../decide/rules/creation.ts';
import { replicaSetId } from '../../../../cloud/wire/replica-set.ts';
import { serviceId } from '../../../../cloud/wire/service.ts';
import { removeUnshown, type DeletionOf } from '../../../decide/rules/deletion.ts';
import { isDeleteAnswered } from '../../../situation/last-operation.ts';
import { intervals } from '../../../step/intervals.ts';

/** A replica set is created or recreated only on a running service. */
export const awaitParent: Rule<MissingReplicaSet> = ({ parent }) =>
  awaitReference(
    parent.state === 'none' ? { state: 'waiting', message: 'neither spec.serviceRef nor spec.serviceId is set: set one' } : parent,
  );

/** Creates the replica set once, on the service that the record names from now on. */
export const create: Rule<MissingReplicaSet> = (situation) => {
  const { object, key, parent } = situation;
  if (parent.state !== 'found') return undefined;
  const { nodes, cpuMillis, memoryGbs } = object.spec;
  if (nodes === undefined || cpuMillis === undefined || memoryGbs === undefined) return undefined; // the spec was rejected for that
  return call(
    createAction(
      situation,
      { operation: 'createReplicaSet', ids: [parent.id], body: { nodes, cpu_millis: cpuMillis, memory_gbs: memoryGbs } },
      { projectId: key.projectId },
    ),
    { reason: 'Creating', message: `creating the replica set on service ${parent.id}` },
  );
};

export const deletion: DeletionOf<DeletingReplicaSet> = ({ record, id }) => ({
  operation: 'deleteReplicaSet',
  args: [serviceId.parse(record.parentServiceId), replicaSetId.parse(id)],
});

/** A list that lacks the replica set may be outdated, and there is no GET. So the DELETE is sent again until the cloud answers it with 404. */
export const removeUnlisted: Rule<Unheld<DeletingReplicaSet>> = (situation) => {
  const { cloud, id, isNotFoundOnDelete, lastOperation, now } = situation;
  if (cloud.state !== 'missing' || isNotFoundOnDelete) return undefined;
  if (isDeleteAnswered(lastOperation, id) && now - lastOperation.at < intervals.forUnlistedMs) return undefined;
  return removeUnshown(situation, deletion, `the replica set ${id}`);
};
