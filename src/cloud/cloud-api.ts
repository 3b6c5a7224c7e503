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

/**
 * The managed database cloud, as one API key sees it: all operations.
 *
 * Every method makes exactly one HTTP request and never repeats it. Each throws {@link CloudError} and nothing else; its kind says what
 * happened, `sent` whether the request may have left, `changedNothing` whether it is certain that nothing came of it.
 * Lists are whole, unpaged and may lag a write by seconds. Ids are opaque.
 * @see docs/reference/openapi.yaml, where each operation has the name that it has here
 */
export interface CloudApi {
  /** Who the key belongs to, and its project. */
  getCredentialsInfo(options?: CallOptions): Promise<CredentialsInfo>;
  /** All VPCs of the project. May lag a write by seconds. */
  listVpcs(projectId: ProjectId, options?: CallOptions): Promise<readonly Vpc[]>;
  /** Creates a VPC. Names are not unique and there is no idempotency key: a lost reply leaves it open whether one exists. */
  createVpc(projectId: ProjectId, request: CreateVpc, options?: CallOptions): Promise<Vpc>;
  /** Reads one VPC. */
  getVpc(projectId: ProjectId, vpcId: VpcId, options?: CallOptions): Promise<Vpc>;
  /** Removes a VPC; `conflict` while a service is attached to it. */
  deleteVpc(projectId: ProjectId, vpcId: VpcId, options?: CallOptions): Promise<void>;
  /** Gives a VPC another name. Some clouds answer with the VPC, some with a message: neither is needed. */
  renameVpc(projectId: ProjectId, vpcId: VpcId, name: string, options?: CallOptions): Promise<void>;
  /** All peerings of a VPC. May lag a write by seconds. */
  listPeerings(projectId: ProjectId, vpcId: VpcId, options?: CallOptions): Promise<readonly Peering[]>;
  /** Asks for a peering; it is `pending` until the peer accepts it, or `failed` with an error message. */
  createPeering(projectId: ProjectId, vpcId: VpcId, request: CreatePeering, options?: CallOptions): Promise<Peering>;
  /** Reads one peering. */
  getPeering(projectId: ProjectId, vpcId: VpcId, peeringId: PeeringId, options?: CallOptions): Promise<Peering>;
  /** Removes a peering. */
  deletePeering(projectId: ProjectId, vpcId: VpcId, peeringId: PeeringId, options?: CallOptions): Promise<void>;
  /** All services of the project. May lag a write by seconds; `read_replica_sets` may be missing. */
  listServices(projectId: ProjectId, options?: CallOptions): Promise<readonly Service[]>;
  /** Creates a service, asynchronously. The reply alone carries `initial_password`. A lost reply leaves it open whether one exists. */
  createService(projectId: ProjectId, request: CreateService, options?: CallOptions): Promise<Service>;
  /** Reads one service. */
  getService(projectId: ProjectId, serviceId: ServiceId, options?: CallOptions): Promise<Service>;
  /** Removes a service and everything on it. Returns once the cloud accepted; deletion goes on for minutes. `conflict` while it has replica sets or is being deleted. */
  deleteService(projectId: ProjectId, serviceId: ServiceId, options?: CallOptions): Promise<void>;
  /** Starts a PAUSED service, asynchronously. */
  startService(projectId: ProjectId, serviceId: ServiceId, options?: CallOptions): Promise<void>;
  /** Stops a READY service, asynchronously. */
  stopService(projectId: ProjectId, serviceId: ServiceId, options?: CallOptions): Promise<void>;
  /** Attaches a READY service to a VPC, asynchronously. */
  attachServiceToVpc(projectId: ProjectId, serviceId: ServiceId, vpcId: VpcId, options?: CallOptions): Promise<void>;
  /** Detaches a READY service from a VPC, asynchronously. */
  detachServiceFromVpc(projectId: ProjectId, serviceId: ServiceId, vpcId: VpcId, options?: CallOptions): Promise<void>;
  /** Moves a READY service to another size, asynchronously. */
  resizeService(projectId: ProjectId, serviceId: ServiceId, size: Resize, options?: CallOptions): Promise<void>;
  /** Switches the connection pooler on. */
  enableServicePooler(projectId: ProjectId, serviceId: ServiceId, options?: CallOptions): Promise<void>;
  /** Switches the connection pooler off. */
  disableServicePooler(projectId: ProjectId, serviceId: ServiceId, options?: CallOptions): Promise<void>;
  /** Creates an independent service from a snapshot of this one, asynchronously. The reply is like that of `createService`, with `forked_from`. */
  forkService(projectId: ProjectId, serviceId: ServiceId, request: ForkService, options?: CallOptions): Promise<Service>;
  /** Sets the password of the database user. The same one may be sent again. */
  updateServicePassword(projectId: ProjectId, serviceId: ServiceId, password: string, options?: CallOptions): Promise<void>;
  /** Sets the environment tag. */
  setServiceEnvironment(projectId: ProjectId, serviceId: ServiceId, environment: EnvironmentTag, options?: CallOptions): Promise<void>;
  /** Sets the number of high-availability replicas, asynchronously. */
  setServiceHighAvailability(
    projectId: ProjectId,
    serviceId: ServiceId,
    replicas: SetHighAvailability,
    options?: CallOptions,
  ): Promise<void>;
  /** All read replica sets of a service. May lag a write by seconds. */
  listReplicaSets(projectId: ProjectId, serviceId: ServiceId, options?: CallOptions): Promise<readonly ReplicaSet[]>;
  /** Creates a read replica set of a READY service, asynchronously. Names are not unique. */
  createReplicaSet(projectId: ProjectId, serviceId: ServiceId, request: CreateReplicaSet, options?: CallOptions): Promise<ReplicaSet>;
  /** Removes a read replica set, asynchronously. */
  deleteReplicaSet(projectId: ProjectId, serviceId: ServiceId, replicaSetId: ReplicaSetId, options?: CallOptions): Promise<void>;
  /** Moves an active read replica set to another size, asynchronously. */
  resizeReplicaSet(
    projectId: ProjectId,
    serviceId: ServiceId,
    replicaSetId: ReplicaSetId,
    size: Resize,
    options?: CallOptions,
  ): Promise<void>;
  /** Switches the connection pooler on. */
  enableReplicaSetPooler(projectId: ProjectId, serviceId: ServiceId, replicaSetId: ReplicaSetId, options?: CallOptions): Promise<void>;
  /** Switches the connection pooler off. */
  disableReplicaSetPooler(projectId: ProjectId, serviceId: ServiceId, replicaSetId: ReplicaSetId, options?: CallOptions): Promise<void>;
  /** Sets the environment tag. */
  setReplicaSetEnvironment(
    projectId: ProjectId,
    serviceId: ServiceId,
    replicaSetId: ReplicaSetId,
    environment: EnvironmentTag,
    options?: CallOptions,
  ): Promise<void>;
}

/** The name of an operation, as logs, metrics and errors carry it. */
export type CloudOperation = keyof CloudApi;
