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

/** Options of one call, beside its content. */
export interface CallOptions {
  /** Ends the call with `aborted`. A request that was sent may still be carried out. */
  readonly signal?: AbortSignal;
  /**
   * Called when the request goes to the socket. False ends the call with kind `aborted` and `sent` false.
   * For requests that must not be sent late: a create of an old attempt, or any change after the lease was lost.
   */
  readonly mayBeSent?: () => boolean;
  /** Milliseconds from the call to its end, whatever happens. Default 30,000. */
  readonly timeoutMs?: number;
  /** A place in the rate limit that was taken before, so that the call starts at once. */
  readonly permit?: Permit;
  /** Priority in the rate limit. Default: `edit` for changes, `read` for reads. */
  readonly priority?: CallPriority;
}

/** From first to last: changes that somebody waits for, changes that nobody waits for, reads. Reads always get one token in five. */
export type CallPriority = 'edit' | 'resync' | 'read';

/** The place of one call in the rate limit of an API key. It must be passed to a call or released. */
export interface Permit {
  /** Returns the place unused. */
  release(): void;
}

/** The managed database cloud, as one API key sees it. */
export interface CloudApi {
  /** Reads the owner and the project of the key. @throws {CloudError} as all operations do */
  getCredentialsInfo(options?: CallOptions): Promise<CredentialsInfo>;
  /** All operations of one project. Makes no call. */
  project(projectId: ProjectId): ProjectApi;
}

/**
 * One project of the managed database cloud: all operations but `getCredentialsInfo`.
 *
 * Every method sends exactly one HTTP request and never repeats it. Each method throws only {@link CloudError}. Its `kind` is the meaning, `sent` tells
 * whether the request may have left, and `changedNothing` whether it certainly had no effect. Lists are complete, without pages, and may lag a write by
 * seconds. Ids are opaque.
 * @see docs/reference/openapi.yaml, which uses the same operation names
 */
export interface ProjectApi {
  /** All VPCs of the project. May lag a write by seconds. */
  listVpcs(options?: CallOptions): Promise<readonly Vpc[]>;
  /** Creates a VPC. Names are not unique, and there is no idempotency key: after a lost reply it is unknown whether a VPC was created. */
  createVpc(request: CreateVpc, options?: CallOptions): Promise<Vpc>;
  /** Reads one VPC. */
  getVpc(vpcId: VpcId, options?: CallOptions): Promise<Vpc>;
  /** Removes a VPC; `conflict` while a service is attached to it. */
  deleteVpc(vpcId: VpcId, options?: CallOptions): Promise<void>;
  /** Renames a VPC. Some clouds answer with the VPC, others with a message: the reply is ignored. */
  renameVpc(vpcId: VpcId, name: string, options?: CallOptions): Promise<void>;
  /** All peerings of a VPC. May lag a write by seconds. */
  listPeerings(vpcId: VpcId, options?: CallOptions): Promise<readonly Peering[]>;
  /** Requests a peering. It is `pending` until the peer accepts it, or `failed` with an error message. */
  createPeering(vpcId: VpcId, request: CreatePeering, options?: CallOptions): Promise<Peering>;
  /** Reads one peering. */
  getPeering(vpcId: VpcId, peeringId: PeeringId, options?: CallOptions): Promise<Peering>;
  /** Removes a peering. */
  deletePeering(vpcId: VpcId, peeringId: PeeringId, options?: CallOptions): Promise<void>;
  /** All services of the project. May lag a write by seconds; `read_replica_sets` may be missing. */
  listServices(options?: CallOptions): Promise<readonly Service[]>;
  /** Creates a service, asynchronously. Only this reply carries `initial_password`. After a lost reply it is unknown whether a service was created. */
  createService(request: CreateService, options?: CallOptions): Promise<Service>;
  /** Reads one service. */
  getService(serviceId: ServiceId, options?: CallOptions): Promise<Service>;
  /**
   * Deletes a service and its data. Returns once the cloud has accepted; the deletion takes minutes. `conflict` while the service has replica sets or is
   * being deleted.
   */
  deleteService(serviceId: ServiceId, options?: CallOptions): Promise<void>;
  /** Starts a PAUSED service, asynchronously. */
  startService(serviceId: ServiceId, options?: CallOptions): Promise<void>;
  /** Stops a READY service, asynchronously. */
  stopService(serviceId: ServiceId, options?: CallOptions): Promise<void>;
  /** Attaches a READY service to a VPC, asynchronously. */
  attachServiceToVpc(serviceId: ServiceId, vpcId: VpcId, options?: CallOptions): Promise<void>;
  /** Detaches a READY service from a VPC, asynchronously. */
  detachServiceFromVpc(serviceId: ServiceId, vpcId: VpcId, options?: CallOptions): Promise<void>;
  /** Resizes a READY service, asynchronously. */
  resizeService(serviceId: ServiceId, size: Resize, options?: CallOptions): Promise<void>;
  /** Switches the connection pooler on. */
  enableServicePooler(serviceId: ServiceId, options?: CallOptions): Promise<void>;
  /** Switches the connection pooler off. */
  disableServicePooler(serviceId: ServiceId, options?: CallOptions): Promise<void>;
  /** Creates an independent service from a snapshot of this one, asynchronously. The reply is that of `createService`, with `forked_from`. */
  forkService(serviceId: ServiceId, request: ForkService, options?: CallOptions): Promise<Service>;
  /** Sets the password of the database user. Setting the same password again is allowed. */
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
  /** Resizes an active read replica set, asynchronously. */
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

/** The name of an operation in logs, metrics and errors. */
export type CloudOperation = 'getCredentialsInfo' | keyof ProjectApi;
