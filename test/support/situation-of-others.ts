import {
  replicaSetId,
  type ReplicaSet as CloudReplicaSet,
} from '../../src/cloud/wire/replica-set.ts';
import { serviceId } from '../../src/cloud/wire/service.ts';
import { vpcId, type Vpc } from '../../src/cloud/wire/vpc.ts';
import { resourceHash } from '../../src/reconcile/ledger/entry.ts';
import type { ConnectionWrite } from '../../src/reconcile/step/connection.ts';
import { replicaSetSituationOf } from '../../src/reconcile/kinds/replica-set/situation-of.ts';
import { vpcSituationOf } from '../../src/reconcile/kinds/vpc/situation-of.ts';
import type { ReplicaSetSituation } from '../../src/reconcile/kinds/replica-set/situation.ts';
import type { ObservedDeletion } from '../../src/reconcile/situation/situation.ts';
import type { VpcSituation } from '../../src/reconcile/kinds/vpc/situation.ts';
import { managedVpcs } from '../../src/resources/managed-vpc.ts';
import { replicaSets } from '../../src/resources/replica-set.ts';
import { connection, current } from './our-secret.ts';
import { noon, recordOf, situation, type GivenObject } from './situation.ts';
import { usableKey } from './usable-account.ts';

/** @param Seen the resource in the cloud */
export type Given<S, Seen> = Partial<Omit<S, 'object' | keyof GivenObject>> &
  GivenObject & { readonly seen?: Partial<Seen> };

export type GivenVpc = Given<Parameters<typeof vpcSituationOf>[0], Vpc>;
export type GivenReplicaSet = Given<Parameters<typeof replicaSetSituationOf>[0], CloudReplicaSet>;

/** The difference of a situation in which nothing was created yet. */
export const notMade = {
  pinnedProject: undefined,
  cloud: { state: 'none' },
  status: { id: undefined, projectId: undefined, serviceId: undefined },
  record: {
    id: undefined,
    outcome: undefined,
    projectId: undefined,
    claimedAt: undefined,
    parentServiceId: undefined,
  },
  hasFinalizer: false,
} as const;

/** The VPC `shop/prod` with id `vpc-1`: it exists exactly as its spec wants, without peerings. */
export function vpcSituation({
  spec,
  status,
  annotations,
  metadata,
  deletion,
  record,
  seen,
  ...given
}: GivenVpc = {}): VpcSituation {
  const object = managedVpcs.parse({
    metadata: { ...metadataOf('prod', annotations, deletion), ...metadata },
    spec: { cidr: '10.0.0.0/16', regionCode: 'eu-central-1', name: 'prod', ...spec },
    status: { observedGeneration: 1, id: 'vpc-1', projectId: 'prj-1', ...status },
  });
  const vpc: Vpc = {
    id: vpcId.parse('vpc-1'),
    name: 'prod',
    cidr: '10.0.0.0/16',
    region_code: 'eu-central-1',
    ...seen,
  };
  return vpcSituationOf({
    ...situation(),
    noun: 'VPC',
    ...withKey(),
    deletion: { ...notDeleted, ...deletion },
    peerings: { state: 'unneeded' },
    ...given,
    object,
    cloud: given.cloud ?? { state: 'present', resource: vpc, asOf: given.now ?? noon },
    record: recordOf('vpc-1', record),
  });
}

const endpoint = { host: 'reads.example.com', port: 5432 };
/** The inputs of its connection Secret, with the password in the ledger entry of its service. */
export const replicaSecret: Partial<ConnectionWrite> = {
  name: 'reads-replicas-db',
  resource: resourceHash('ReplicaSet', 'prj-1', 'rs-1'),
  connection: { ...connection, direct: endpoint },
};

/**
 * The replica set `shop/reads` with id `rs-1` on service `svc-1`: active, exactly as its spec wants. Its Secret has the connection, with the password of the
 * service.
 */
export function replicaSetSituation({
  spec,
  status,
  annotations,
  metadata,
  deletion,
  record,
  seen,
  ...given
}: GivenReplicaSet = {}): ReplicaSetSituation {
  const object = replicaSets.parse({
    metadata: { ...metadataOf('reads', annotations, deletion), ...metadata },
    spec: { serviceRef: { name: 'orders' }, nodes: 1, cpuMillis: 1000, memoryGbs: 4, ...spec },
    status: {
      observedGeneration: 1,
      id: 'rs-1',
      projectId: 'prj-1',
      serviceId: 'svc-1',
      ...status,
    },
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
  return replicaSetSituationOf({
    ...situation(),
    noun: 'replica set',
    ...withKey(),
    deletion: { ...notDeleted, ...deletion },
    parent: { state: 'found', id: serviceId.parse('svc-1') },
    secret: current(replicaSecret),
    ...given,
    object,
    cloud: given.cloud ?? { state: 'present', resource: set, asOf: given.now ?? noon },
    record: recordOf('rs-1', { parentServiceId: 'svc-1', ...record }),
  });
}

const notDeleted: ObservedDeletion = {
  requested: false,
  started: false,
  crdTerminating: false,
  dependents: [],
};

function metadataOf(
  name: string,
  annotations: GivenObject['annotations'] = {},
  deletion: GivenObject['deletion'] = {},
) {
  return {
    name,
    namespace: 'shop',
    uid: 'uid',
    resourceVersion: '1',
    generation: 1,
    annotations,
    ...(deletion.requested === true ? { deletionTimestamp: '2026-11-21T11:59:00Z' } : {}),
  };
}

/** The shared part of a situation whose key is proven. */
function withKey() {
  return { now: noon, account: usableKey(), pinnedProject: 'prj-1' } as const;
}
