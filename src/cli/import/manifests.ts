import type { Peering } from '../../cloud/wire/peering.ts';
import type { ReplicaSet } from '../../cloud/wire/replica-set.ts';
import type { Service } from '../../cloud/wire/service.ts';
import type { Vpc } from '../../cloud/wire/vpc.ts';
import { attachedTo } from '../../reconcile/kinds/service/fields.ts';
import { annotations } from '../../resources/annotations.ts';
import type { ManagedServiceSpec } from '../../resources/managed-service.ts';
import type { ManagedVpcSpec } from '../../resources/managed-vpc.ts';
import type { ReplicaSet as ReplicaSetObject } from '../../resources/replica-set.ts';
import { kinds, resourceTypes, type Kind } from '../../resources/managed-object.ts';
import type { Claimable } from '../inventory/claims.ts';

export interface Project {
  readonly vpcs: readonly (Vpc & { readonly peerings: readonly Peering[] })[];
  readonly services: readonly (Service & { readonly replicaSets: readonly ReplicaSet[] })[];
}

/** All resources of a project. Pure. */
export function resourcesIn({ vpcs, services }: Project): readonly Omit<Claimable, 'projectId'>[] {
  return [
    ...vpcs.map(({ id, name }) => ({ kind: 'ManagedVpc', id, name, parentId: undefined }) as const),
    ...services.flatMap(({ service_id: parentId, name: ofService, replicaSets }) => [
      { kind: 'ManagedService', id: parentId, name: ofService, parentId: undefined } as const,
      ...replicaSets.map(({ id, name }) => ({ kind: 'ReplicaSet', id, name, parentId }) as const),
    ]),
  ];
}

export interface ImportOptions {
  readonly namespace: string;
  readonly kinds: readonly Kind[];
  /** The operator makes the changes that the manifests request. Otherwise it observes only. */
  readonly isManaged: boolean;
  /** Undefined: the operator's own key. */
  readonly credentialsRef: string | undefined;
  /** The objects of this cluster's resources. */
  readonly objectOf: (
    kind: Kind,
    id: string,
    parentId?: string,
  ) => { readonly namespace: string; readonly name: string } | undefined;
  /** Whether an object may own a resource, although no readable ledger entry says so. */
  readonly isClaimed: (kind: Kind, id: string, parentId?: string) => boolean;
  readonly isTaken: (kind: Kind, name: string) => boolean;
}

export interface Manifest {
  readonly kind: Kind;
  readonly name: string;
  /** In the cloud. */
  readonly id: string;
  readonly object: object;
  /** The omissions of the manifest, and their reasons. */
  readonly comments: readonly string[];
}

/**
 * The manifests of all resources in a project that no object of this cluster owns or claims. References are by name where the target
 * has an object in the same namespace. Pure.
 */
export function manifestsOf(
  { vpcs, services }: Project,
  options: ImportOptions,
): readonly Manifest[] {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const nameOf = (kind: Kind, id: string, wanted: string | undefined) => {
    const base =
      dnsName(wanted) ??
      dnsName(`${resourceTypes[kind].described.shortName}-${id}`) ??
      resourceTypes[kind].described.shortName;
    const isFree = (name: string) => !taken.has(`${kind}/${name}`) && !options.isTaken(kind, name);
    const name = isFree(base) ? base : firstFree(base, isFree);
    taken.add(`${kind}/${name}`);
    names.set(`${kind}/${id}`, name);
    return name;
  };
  /** The name of the object of a resource in the namespace of the import. */
  const referenceTo = (kind: Kind, id: string) => {
    const there = options.objectOf(kind, id);
    return there?.namespace === options.namespace ? there.name : names.get(`${kind}/${id}`);
  };
  const isNew = (kind: Kind, id: string, parentId?: string) =>
    options.kinds.includes(kind) &&
    options.objectOf(kind, id, parentId) === undefined &&
    !options.isClaimed(kind, id, parentId);
  const made: Manifest[] = [];
  const add = (
    kind: Kind,
    resource: { readonly id: string; readonly name?: string | undefined },
    spec: object,
    comments: readonly string[] = [],
  ) => {
    const name = nameOf(kind, resource.id, resource.name);
    made.push({
      kind,
      name,
      id: resource.id,
      object: manifest({ kind, name, id: resource.id, spec }, options),
      comments,
    });
  };
  const addAll: Readonly<Record<Kind, () => void>> = {
    ManagedVpc() {
      for (const vpc of vpcs) if (isNew('ManagedVpc', vpc.id)) add('ManagedVpc', vpc, vpcSpec(vpc));
    },
    ManagedService() {
      for (const service of services) {
        const { service_id: id, name } = service;
        if (isNew('ManagedService', id) && !isLeaving(service))
          add(
            'ManagedService',
            { id, name },
            serviceSpec(service, referenceTo),
            serviceComments(service),
          );
      }
    },
    ReplicaSet() {
      for (const { service_id: serviceId, replicaSets } of services)
        for (const each of replicaSets)
          if (isNew('ReplicaSet', each.id, serviceId))
            add(
              'ReplicaSet',
              each,
              replicaSetSpec(each, serviceId, referenceTo('ManagedService', serviceId)),
            );
    },
  };
  // A kind comes after the kinds to which it refers.
  for (const kind of kinds) addAll[kind]();
  return made;
}

type ReferenceTo = (kind: Kind, id: string) => string | undefined;

interface Imported {
  readonly kind: Kind;
  readonly name: string;
  /** The id of the resource in the cloud. */
  readonly id: string;
  readonly spec: object;
}

function manifest({ kind, name, id, spec }: Imported, options: ImportOptions): object {
  const { group, version } = resourceTypes[kind];
  const { namespace, isManaged, credentialsRef } = options;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name, namespace, annotations: { [annotations.externalId]: id } },
    spec: defined({
      credentialsRef: credentialsRef === undefined ? undefined : { name: credentialsRef },
      managementPolicy: isManaged ? 'Manage' : 'Observe',
      deletionPolicy: 'Retain',
      ...spec,
    }),
  };
}

/** Each field of a spec but those of all kinds, references, and fields that have no value in the cloud or take none later. */
type Whole<Spec> = { readonly [Field in Exclude<keyof Spec, LeftOut>]: unknown };
type LeftOut =
  | 'credentialsRef'
  | 'managementPolicy'
  | 'deletionPolicy'
  | 'deletionProtection'
  | 'suspend'
  | 'changeWindows'
  | 'runningHours'
  | 'vpcRef'
  | 'vpcId'
  | 'serviceRef'
  | 'serviceId'
  | 'connectionSecret'
  | 'password'
  | 'addons'
  | 'fork';

function vpcSpec({
  name,
  cidr,
  region_code: regionCode,
  peerings,
}: Project['vpcs'][number]): object {
  const asked = peerings.map(
    ({
      peer_account_id: peerAccountId,
      peer_region_code: peerRegionCode,
      peer_vpc_id: peerVpcId,
    }) => {
      return { peerAccountId, peerRegionCode, peerVpcId };
    },
  );
  return {
    name,
    cidr,
    regionCode,
    peerings: asked.length === 0 ? undefined : asked,
  } satisfies Whole<ManagedVpcSpec>;
}

function serviceSpec(service: Service, referenceTo: ReferenceTo): object {
  const { cpu_millis: cpuMillis, memory_gbs: memoryGbs } = service.resources?.[0]?.spec ?? {};
  const { replica_count: replicaCount, sync_replica_count: syncReplicaCount } =
    service.ha_replicas ?? {};
  return {
    name: service.name,
    regionCode: service.region_code,
    cpuMillis,
    memoryGbs,
    environment: service.metadata?.environment,
    powerState: service.status === 'PAUSED' || service.status === 'PAUSING' ? 'Stopped' : undefined,
    highAvailability:
      replicaCount === undefined ? undefined : defined({ replicaCount, syncReplicaCount }),
    connectionPooler: { enabled: service.connection_pooler?.endpoint !== undefined },
    ...vpcOf(service, referenceTo),
  } satisfies Whole<ManagedServiceSpec>;
}

function vpcOf(service: Service, referenceTo: ReferenceTo): object {
  const id = attachedTo(service, {});
  if (id === undefined || id === 'none') return {};
  const name = referenceTo('ManagedVpc', id);
  return name === undefined ? { vpcId: id } : { vpcRef: { name } };
}

function serviceComments(service: Service): readonly string[] {
  const { service_type: type } = service;
  return [
    ...(type === undefined || type === 'POSTGRES'
      ? []
      : [`Type ${type}: spec.addons is fixed at creation, and left out here.`]),
    ...(attachedTo(service, {}) === undefined
      ? ['The VPC of the service is not known: its endpoint has a form that no document describes.']
      : []),
  ];
}

function replicaSetSpec(each: ReplicaSet, serviceId: string, service: string | undefined): object {
  return {
    name: each.name,
    ...(service === undefined ? { serviceId } : { serviceRef: { name: service } }),
    nodes: each.nodes,
    cpuMillis: each.cpu_millis,
    memoryGbs: each.memory_gbs,
    environment: each.metadata?.environment,
    connectionPooler: { enabled: each.connection_pooler?.endpoint !== undefined },
  } satisfies Whole<ReplicaSetObject['spec']>;
}

/** Undefined if nothing of the text is left. */
function dnsName(text = ''): string | undefined {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, 50)
    .replaceAll(/^-+|-+$/gu, '');
  return name === '' ? undefined : name;
}

function firstFree(base: string, isFree: (name: string) => boolean): string {
  for (let number = 2; ; number += 1) if (isFree(`${base}-${number}`)) return `${base}-${number}`;
}

function defined(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function isLeaving({ status }: Service): boolean {
  return status === 'DELETING' || status === 'DELETED';
}
