import type { Rule } from '../../rule.ts';
import { call } from '../../step.ts';
import type { ReplicaSetSituation } from '../situation.ts';
import { opening } from '../../recreation.ts';

/** Creates the replica set, once, on the service that the record pins from now on. */
export const create: Rule<ReplicaSetSituation> = (situation) => {
  const { identity, object, cloud, account, record, sameNames, parent, secret } = situation;
  if (account.state !== 'usable' || (identity.state === 'known' && cloud.state !== 'absent') || parent.state !== 'found') return undefined;
  const { spec, metadata } = object;
  return call(
    {
      type: 'create',
      creation: {
        operation: 'createReplicaSet',
        parentId: parent.id,
        body: { nodes: spec.nodes, cpu_millis: spec.cpuMillis, memory_gbs: spec.memoryGbs },
      },
      name: spec.name === undefined ? { kind: 'ours', prefix: metadata.name } : { kind: 'given', name: spec.name },
      sameNameIds: [...new Set([...(record.attempt?.sameNameIds ?? []), ...(sameNames.state === 'read' ? sameNames.ids : [])])],
      record: { ...opening(situation, account.account.projectId), secretName: secret.name },
      recordOnSuccess: {},
    },
    { reason: 'Creating', message: `creating the replica set on service ${parent.id}` },
  );
};
