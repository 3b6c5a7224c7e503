import type { Rule } from '../../../decide/rule.ts';
import { awaitReference } from '../../../decide/unreadable-cloud.ts';
import { call } from '../../../step/step.ts';
import type { MissingReplicaSet } from '../situation.ts';
import { createAction } from '../../../decide/rules/creation.ts';

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
