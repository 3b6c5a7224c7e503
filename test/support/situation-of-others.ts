import type { ReplicaSet as CloudReplicaSet } from '../../src/cloud/wire/replica-set.ts';
import { replicaSetId, serviceId, vpcId } from '../../src/cloud/wire/ids.ts';
import type { Vpc } from '../../src/cloud/wire/vpc.ts';
import { askedText } from '../../src/reconcile/connection/asked-texts.ts';
import { connectionData, type Connection } from '../../src/reconcile/connection/connection-data.ts';
import { connectionAnnotations } from '../../src/reconcile/connection/connection-secret.ts';
import type { ConnectionSecret } from '../../src/reconcile/connection/secret-contents.ts';
import type { ResourceRecord } from '../../src/reconcile/record.ts';
import type { ReplicaSetSituation } from '../../src/reconcile/replica-set/situation.ts';
import type { DeletionSight } from '../../src/reconcile/situation.ts';
import type { VpcSituation } from '../../src/reconcile/vpc/situation.ts';
import { connectionFinalizer, connectionLabel } from '../../src/resources/annotations.ts';
import { managedVpcs } from '../../src/resources/managed-vpc.ts';
import { replicaSets } from '../../src/resources/replica-set.ts';
import { situation } from './situation.ts';
import { usableAccount } from './usable-account.ts';

/** Policy time of these situations. */
export const now = Date.parse('2026-11-21T10:00:00.000Z');
const claimedAt = '2026-11-21T09:00:00.000Z';

/** What a row says of an object: the rest is as in an object that is ready. */
interface GivenObject {
  readonly spec?: object;
  readonly status?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deletion?: Partial<DeletionSight>;
  /** Parts of the record that differ; undefined takes a part away. */
  readonly record?: Partial<ResourceRecord>;
}

/** @param Seen the resource as the cloud shows it */
type Given<S extends VpcSituation | ReplicaSetSituation, Seen> = Partial<Omit<S, 'object' | 'record' | 'deletion'>> &
  GivenObject & { readonly seen?: Partial<Seen> };

/** The VPC `shop/prod`, which is `vpc-1` in the cloud: there, and exactly as its spec wants it. It has no peerings. */
export function vpcSituation({ spec, status, annotations, deletion, record, seen, ...given }: Given<VpcSituation, Vpc> = {}): VpcSituation {
  const object = managedVpcs.parse({
    metadata: metadataOf('prod', annotations, deletion),
    spec: { cidr: '10.0.0.0/16', regionCode: 'eu-central-1', name: 'prod', ...spec },
    status: { observedGeneration: 1, id: 'vpc-1', projectId: 'prj-1', ...status },
  });
  const vpc: Vpc = { id: vpcId.parse('vpc-1'), name: 'prod', cidr: '10.0.0.0/16', region_code: 'eu-central-1', ...seen };
  return {
    ...situation(),
    words: { kind: 'ManagedVpc', noun: 'VPC' },
    ...claimed('vpc-1'),
    deletion: { ...notDeleted, ...deletion },
    sameNames: { state: 'read', ids: [], unclaimed: [] },
    adoption: { state: 'notAsked' },
    peerings: { state: 'unneeded' },
    ...given,
    object,
    cloud: given.cloud ?? { state: 'present', resource: vpc, asOf: given.now ?? now },
    record: { ...recordOf('vpc-1'), ...record },
  };
}

const endpoint = { host: 'reads.example.com', port: 5432 };

/**
 * The replica set `shop/reads`, which is `rs-1` on the service `svc-1` in the cloud: active, and exactly as its spec wants it. Its Secret has the
 * connection, with the password of the service.
 */
export function replicaSetSituation({
  spec,
  status,
  annotations,
  deletion,
  record,
  seen,
  ...given
}: Given<ReplicaSetSituation, CloudReplicaSet> = {}): ReplicaSetSituation {
  const object = replicaSets.parse({
    metadata: metadataOf('reads', annotations, deletion),
    spec: { serviceRef: { name: 'orders' }, nodes: 1, cpuMillis: 1000, memoryGbs: 4, ...spec },
    status: { observedGeneration: 1, id: 'rs-1', projectId: 'prj-1', serviceId: 'svc-1', ...status },
  });
  const set: CloudReplicaSet = {
    id: replicaSetId.parse('rs-1'),
    name: 'reads',
    nodes: 1,
    cpu_millis: 1000,
    memory_gbs: 4,
    endpoint,
    status: 'active',
    ...seen,
  };
  const connection: Connection = { username: 'admin', database: 'db', direct: endpoint, pooler: undefined, vpc: undefined };
  return {
    ...situation(),
    words: { kind: 'ReplicaSet', noun: 'replica set' },
    ...claimed('rs-1'),
    deletion: { ...notDeleted, ...deletion },
    sameNames: { state: 'read', ids: [], unclaimed: [] },
    adoption: { state: 'notAsked' },
    parent: { state: 'found', id: serviceId.parse('svc-1') },
    secret: secretOfOurs(connectionSecretOf('ReplicaSet/reads', 'rs-1', connection)),
    nextSecret: undefined,
    parentSecret: connectionSecretOf('ManagedService/orders', 'svc-1', connection),
    connection,
    ...given,
    object,
    cloud: given.cloud ?? { state: 'present', resource: set, asOf: given.now ?? now },
    record: { ...recordOf('rs-1'), parentServiceId: 'svc-1', secretName: 'reads-replicas-db', ...record },
  };
}

/** The Secret `<name>-db` or `<name>-replicas-db` as the operator leaves it. @param owner `ReplicaSet/reads` */
export function connectionSecretOf(owner: string, id: string, connection: Connection): ConnectionSecret {
  const [kind = '', name = ''] = owner.split('/');
  return {
    metadata: {
      name: kind === 'ReplicaSet' ? `${name}-replicas-db` : `${name}-db`,
      namespace: 'shop',
      uid: 'secret-uid',
      resourceVersion: '1',
      labels: { [connectionLabel]: 'true' },
      annotations: {
        [connectionAnnotations.owner]: owner,
        [connectionAnnotations.id]: id,
        [connectionAnnotations.clusterUid]: 'cluster',
        [connectionAnnotations.asked]: askedText({}),
      },
      finalizers: [connectionFinalizer],
    },
    values: connectionData(connection, undefined),
    password: 'confirmed',
    passwordDigest: 'digest of the password',
    isTooShort: false,
    consistent: true,
  };
}

/** How a Secret of ours is seen by the rules. */
export function secretOfOurs(secret: ConnectionSecret): ReplicaSetSituation['secret'] {
  return { state: 'ours', name: secret.metadata.name, secret, pending: undefined, pendingBlocked: undefined };
}

const notDeleted: DeletionSight = { requested: false, started: false, crdTerminating: false, dependents: [] };

function metadataOf(name: string, annotations: GivenObject['annotations'] = {}, deletion: GivenObject['deletion'] = {}) {
  return {
    name,
    namespace: 'shop',
    uid: 'uid',
    resourceVersion: '1',
    generation: 1,
    annotations,
    ...(deletion.requested === true ? { deletionTimestamp: '2026-11-21T09:59:00Z' } : {}),
  };
}

/** What all rules see of an object that claimed this resource a while ago, and whose key is proven. */
function claimed(id: string) {
  return {
    now,
    identity: { state: 'known', id, projectId: 'prj-1', by: 'record' },
    account: usableAccount(),
    pinnedProject: 'prj-1',
  } as const;
}

function recordOf(id: string): ResourceRecord {
  return { id, outcome: 'created', projectId: 'prj-1', clusterUid: 'cluster', objectUid: 'uid', claimedAt };
}
