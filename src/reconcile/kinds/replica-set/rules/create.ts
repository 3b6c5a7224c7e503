import { createAction } from '../../../decide/rules/creation.ts';
import type { Rule } from '../../../decide/rule.ts';
import { call } from '../../../step/step.ts';
import type { MissingReplicaSet } from '../situation.ts';

/** Creates the replica set once, on the service that the record names from now on. */
export const create: Rule<MissingReplicaSet> = (situation) => {
  const { object, key, parent, secret } = situation;
  if (parent.state !== 'found') return undefined;
  const { nodes, cpuMillis, memoryGbs } = object.spec;
  if (nodes === undefined || cpuMillis === undefined || memoryGbs === undefined) return undefined; // the spec was rejected for that
  return call(
    createAction(
      situation,
      { operation: 'createReplicaSet', parentId: parent.id, body: { nodes, cpu_millis: cpuMillis, memory_gbs: memoryGbs } },
      { projectId: key.projectId, secretName: secret.name },
    ),
    { reason: 'Creating', message: `creating the replica set on service ${parent.id}` },
  );
};
