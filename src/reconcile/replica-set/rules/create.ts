import { annotations } from '../../../resources/annotations.ts';
import type { Rule } from '../../rule.ts';
import { call, stall } from '../../step.ts';
import type { ReplicaSetSituation } from '../situation.ts';

/** Creates the replica set, once, on the service that the record pins from now on. */
export const create: Rule<ReplicaSetSituation> = ({
  identity,
  object,
  cloud,
  account,
  record,
  clusterUid,
  sameNameIds,
  parent,
  secret,
}) => {
  if (account.state !== 'usable' || (identity.state === 'known' && cloud.state !== 'absent') || parent.state !== 'found') return undefined;
  const { spec, metadata } = object;
  if (sameNameIds.length > 0 && metadata.annotations?.[annotations.createAnyway] !== 'true' && !record.attempt) {
    return stall(
      'SameNameExists',
      `service ${parent.id} has a replica set named "${spec.name}" (${sameNameIds.join(', ')}): annotate managed-db.io/external-id=<id> to take it over, managed-db.io/create-anyway=true to create another, or choose another spec.name`,
      { retryAfterMs: 60_000 },
    );
  }
  return call(
    {
      type: 'create',
      creation: {
        operation: 'createReplicaSet',
        parentId: parent.id,
        body: { nodes: spec.nodes, cpu_millis: spec.cpuMillis, memory_gbs: spec.memoryGbs },
      },
      name: spec.name === undefined ? { kind: 'ours', prefix: metadata.name } : { kind: 'given', name: spec.name },
      sameNameIds: [...new Set([...(record.attempt?.sameNameIds ?? []), ...sameNameIds])],
      record: {
        projectId: account.account.projectId,
        clusterUid,
        objectUid: metadata.uid,
        parentServiceId: parent.id,
        secretName: secret.name,
        ...(identity.state === 'known' ? { replaces: identity.id } : {}),
      },
      recordOnSuccess: {},
    },
    { reason: 'Creating', message: `creating the replica set on service ${parent.id}` },
  );
};
