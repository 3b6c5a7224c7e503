import { serviceId, type ServiceId } from '../../cloud/wire/ids.ts';
import type { ReplicaSet as CloudReplicaSet } from '../../cloud/wire/replica-set.ts';
import type { ReplicaSet } from '../../resources/replica-set.ts';
import type { ResourceKey } from '../../runtime/kubernetes-object.ts';
import type { Candidate } from '../attempt.ts';
import { cachedSecret, nextSecret, observeSecret } from '../connection/observe-secret.ts';
import type { ConnectionSecret } from '../connection/connection-secret.ts';
import type { Context } from '../context.ts';
import { differs } from '../differs.ts';
import { adoptionSight, firstMismatch } from '../observe/adoption-sight.ts';
import { deletionSight } from '../observe/deletion-sight.ts';
import { observeAttempt } from '../observe/observe-attempt.ts';
import { sameNames } from '../observe/same-names.ts';
import { observeObject, type ObjectSight } from '../observe/observe-object.ts';
import { inState } from '../observe/service-state.ts';
import type { Attempt } from '../record.ts';
import type { Reference } from '../reference.ts';
import { serviceReference } from '../references.ts';
import { sightInParent } from './sight-in-parent.ts';
import type { ReplicaSetSituation } from './situation.ts';

const replicaSetWords = { kind: 'ReplicaSet', noun: 'replica set' } as const;

export async function observeReplicaSet(key: ResourceKey, context: Context): Promise<ReplicaSetSituation | undefined> {
  const object = context.caches.replicaSets.get(key);
  if (!object) return undefined;
  const secretName = object.spec.connectionSecret?.name ?? `${object.metadata.name}-replicas-db`;
  const sight = await observeObject(replicaSetWords, object, cachedSecret(object, secretName, context), context);
  const account = sight.usable;
  const parent = parentOf(sight, object, context);
  const parentId = parent.state === 'found' ? parent.id : undefined;
  const attempt = await observeAttempt(
    sight,
    ({ observer }) => (parentId === undefined ? undefined : { list: observer.replicaSets(parentId), candidate: replicaSetCandidate }),
    context,
  );
  const cloud = await sightInParent(sight, parentId, context);
  const parentSecret = parentId === undefined ? undefined : parentSecretOf(sight, parentId, context);
  const seen = cloud.state === 'present' ? cloud.resource : undefined;
  return {
    ...sight,
    object,
    cloud,
    parent: cloud.state === 'none' ? await inState(parent, ['READY'], account, context) : parent,
    attempt,
    deletion: await deletionSight(sight, context, () => Promise.resolve([])),
    adoption: await adoptionSight(
      sight,
      ({ observer }) =>
        parentId === undefined
          ? undefined
          : {
              list: observer.replicaSets(parentId),
              mismatch: (set: CloudReplicaSet) =>
                firstMismatch([
                  ['spec.name', object.spec.name, set.name],
                  ['spec.nodes', object.spec.nodes, set.nodes],
                ]),
            },
      context,
    ),
    sameNames: await sameNames(
      sight,
      ({ observer }) => (parentId === undefined ? undefined : { list: observer.replicaSets(parentId), maxAgeMs: 0 }),
      context,
    ),
    secret: await observeSecret(object, sight.record.secretName ?? secretName, account !== undefined && attempt === undefined, context),
    nextSecret: await nextSecret(object, sight.record.secretName, secretName, context),
    parentSecret,
    connection: {
      username: parentSecret?.values['username'] ?? context.database.user,
      database: parentSecret?.values['database'] ?? context.database.name,
      direct: seen?.endpoint,
      pooler: seen?.connection_pooler?.endpoint,
      vpc: undefined,
    },
  };
}

/** Where the replica set hangs: the pinned parent, once there is one. */
function parentOf(sight: ObjectSight, object: ReplicaSet, context: Context): Reference<ServiceId> {
  const pinned = sight.record.parentServiceId;
  if (pinned !== undefined) return { state: 'found', id: serviceId.parse(pinned) };
  return serviceReference(object, object.spec, 'spec', sight.account, context);
}

/** The parent's Secret, when the parent is an object of this namespace. */
function parentSecretOf(sight: ObjectSight, parentId: ServiceId, context: Context): ConnectionSecret | undefined {
  const { namespace } = sight.object.metadata;
  const projectId = sight.usable?.projectId ?? sight.record.projectId ?? '';
  const owner = context.claims.ownerOf('ManagedService', projectId, parentId);
  const service = owner && context.caches.services.get(owner.key);
  if (!service || service.metadata.namespace !== namespace) return undefined;
  const name = service.status?.binding?.name ?? `${service.metadata.name}-db`;
  return cachedSecret(service, name, context);
}

/** How much a replica set looks like what an attempt asked for. */
function replicaSetCandidate(set: CloudReplicaSet, { request }: Attempt): Candidate | undefined {
  if (set.id === undefined) return undefined;
  const equal = !differs(request['cpu_millis'], set.cpu_millis) && !differs(request['memory_gbs'], set.memory_gbs);
  return { id: set.id, name: set.name, created: undefined, contradicts: differs(request['nodes'], set.nodes), equal };
}
