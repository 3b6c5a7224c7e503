import type { CredentialsInfo } from './wire/credentials-info.ts';
import type { EnvironmentTag } from './wire/endpoint.ts';
import type { PeeringId, ProjectId, ReplicaSetId, ServiceId, VpcId } from './wire/ids.ts';
import type { ReplicaSet } from './wire/replica-set.ts';
import type {
  CreatePeering,
  CreateReplicaSet,
  CreateService,
  CreateVpc,
  ForkService,
  Resize,
  SetHighAvailability,
} from './wire/requests.ts';
import type { Service } from './wire/service.ts';
import type { Peering, Vpc } from './wire/vpc.ts';

/** What a caller says about one call, beside its content. */
export interface CallOptions {
  /** Ends the call with `aborted`; what was sent may still be carried out. */
  readonly signal?: AbortSignal;
  /**
   * Decides, at the moment the request goes to the socket, whether it may still go; a false ends the call with kind `aborted` and `sent` false.
   * For requests that must not go out late: a create whose attempt has grown old, or any change after the lease was lost.
   */
  readonly mayBeSent?: () => boolean;
  /** Milliseconds from the call to its end, whatever happens. Default 30,000. */
  readonly timeoutMs?: number;
  /** A place in the rate limit taken beforehand, so that the call itself starts at once. */
  readonly permit?: Permit;
  /** What waits behind what in the rate limit. Default: `edit` for changes, `read` for reads. */
  readonly priority?: CallPriority;
}

/** From first to last: changes somebody waits for, work that nobody waits for, reads (which always keep one token in five). */
export type CallPriority = 'edit' | 'resync' | 'read';

/** One call's place in the rate limit of an API key; used by handing it to a call, or given back. */
export interface Permit {
  /** Gives the place back, when the call is not made after all. */
  release(): void;
}

/** The managed database cloud, as one API key sees it. */
export interface CloudApi {
  /** Who the key belongs to, and its project. @throws {CloudError} as all operations do */
  getCredentialsInfo(options?: CallOptions): Promise<CredentialsInfo>;
  /** All operations of one project. Costs nothing. */
  project(projectId: ProjectId): ProjectApi;
}

/**
 * One project of the managed database cloud: all operations but the one that names the project.
 *
 * Every method makes exactly one HTTP request and never repeats it. Each throws {@link CloudError} and nothing else; its kind says what
 * happened, `sent` whether the request may have left, `changedNothing` whether it is certain that nothing came of it.
 * Lists are whole, unpaged and may lag a write by seconds. Ids are opaque.
 * @see docs/reference/openapi.yaml, where each operation has the name that it has here
 */
export interface ProjectApi {
  /** All VPCs of the project. May lag a write by seconds. */
  listVpcs(options?: CallOptions): Promise<readonly Vpc[]>;
  /** Creates a VPC. Names are not unique and there is no idempotency key: a lost reply leaves it open whether one exists. */
  createVpc(request: CreateVpc, options?: CallOptions): Promise<Vpc>;
  /** Reads one VPC. */
  getVpc(vpcId: VpcId, options?: CallOptions): Promise<Vpc>;
  /** Removes a VPC; `conflict` while a service is attached to it. */
  deleteVpc(vpcId: VpcId, options?: CallOptions): Promise<void>;
  /** Gives a VPC another name. Some clouds answer with the VPC, some with a message: neither is needed. */
  renameVpc(vpcId: VpcId, name: string, options?: CallOptions): Promise<void>;
  /** All peerings of a VPC. May lag a write by seconds. */
  listPeerings(vpcId: VpcId, options?: CallOptions): Promise<readonly Peering[]>;
  /** Asks for a peering; it is `pending` until the peer accepts it, or `failed` with an error message. */
  createPeering(vpcId: VpcId, request: CreatePeering, options?: CallOptions): Promise<Peering>;
  /** Reads one peering. */
  getPeering(vpcId: VpcId, peeringId: PeeringId, options?: CallOptions): Promise<Peering>;
  /** Removes a peering. */
  deletePeering(vpcId: VpcId, peeringId: PeeringId, options?: CallOptions): Promise<void>;
  /** All services of the project. May lag a write by seconds; `read_replica_sets` may be missing. */
  listServices(options?: CallOptions): Promise<readonly Service[]>;
  /** Creates a service, asynchronously. The reply alone carries `initial_password`. A lost reply leaves it open whether one exists. */
  createService(request: CreateService, options?: CallOptions): Promise<Service>;
  /** Reads one service. */
  getService(serviceId: ServiceId, options?: CallOptions): Promise<Service>;
  /** Removes a service and everything on it. Returns once the cloud accepted; deletion goes on for minutes. `conflict` while it has replica sets or is being deleted. */
  deleteService(serviceId: ServiceId, options?: CallOptions): Promise<void>;
  /** Starts a PAUSED service, asynchronously. */
  startService(serviceId: ServiceId, options?: CallOptions): Promise<void>;
  /** Stops a READY service, asynchronously. */
  stopService(serviceId: ServiceId, options?: CallOptions): Promise<void>;
  /** Attaches a READY service to a VPC, asynchronously. */
  attachServiceToVpc(serviceId: ServiceId, vpcId: VpcId, options?: CallOptions): Promise<void>;
  /** Detaches a READY service from a VPC, asynchronously. */
  detachServiceFromVpc(serviceId: ServiceId, vpcId: VpcId, options?: CallOptions): Promise<void>;
  /** Moves a READY service to another size, asynchronously. */
  resizeService(serviceId: ServiceId, size: Resize, options?: CallOptions): Promise<void>;
  /** Switches the connection pooler on. */
  enableServicePooler(serviceId: ServiceId, options?: CallOptions): Promise<void>;
  /** Switches the connection pooler off. */
  disableServicePooler(serviceId: ServiceId, options?: CallOptions): Promise<void>;
  /** Creates an independent service from a snapshot of this one, asynchronously. The reply is like that of `createService`, with `forked_from`. */
  forkService(serviceId: ServiceId, request: ForkService, options?: CallOptions): Promise<Service>;
  /** Sets the password of the database user. The same one may be sent again. */
  updateServicePassword(serviceId: ServiceId, password: string, options?: CallOptions): Promise<void>;
  /** Sets the environment tag. */
  setServiceEnvironment(serviceId: ServiceId, environment: EnvironmentTag, options?: CallOptions): Promise<void>;
  /** Sets the number of high-availability replicas, asynchronously. */
  setServiceHighAvailability(serviceId: ServiceId, replicas: SetHighAvailability, options?: CallOptions): Promise<void>;
  /** All read replica sets of a service. May lag a write by seconds. */
  listReplicaSets(serviceId: ServiceId, options?: CallOptions): Promise<readonly ReplicaSet[]>;
  /** Creates a read replica set of a READY service, asynchronously. Names are not unique. */
  createReplicaSet(serviceId: ServiceId, request: CreateReplicaSet, options?: CallOptions): Promise<ReplicaSet>;
  /** Removes a read replica set, asynchronously. */
  deleteReplicaSet(serviceId: ServiceId, replicaSetId: ReplicaSetId, options?: CallOptions): Promise<void>;
  /** Moves an active read replica set to another size, asynchronously. */
  resizeReplicaSet(serviceId: ServiceId, replicaSetId: ReplicaSetId, size: Resize, options?: CallOptions): Promise<void>;
  /** Switches the connection pooler on. */
  enableReplicaSetPooler(serviceId: ServiceId, replicaSetId: ReplicaSetId, options?: CallOptions): Promise<void>;
  /** Switches the connection pooler off. */
  disableReplicaSetPooler(serviceId: ServiceId, replicaSetId: ReplicaSetId, options?: CallOptions): Promise<void>;
  /** Sets the environment tag. */
  setReplicaSetEnvironment(
    serviceId: ServiceId,
    replicaSetId: ReplicaSetId,
    environment: EnvironmentTag,
    options?: CallOptions,
  ): Promise<void>;
}

/** The name of an operation, as logs, metrics and errors carry it. */
export type CloudOperation = 'getCredentialsInfo' | keyof ProjectApi;
