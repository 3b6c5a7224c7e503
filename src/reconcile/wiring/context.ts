import type {
  Clock,
  EventRecorder,
  KubernetesClient,
  Leadership,
  Log,
  LoopGuard,
  ObjectCache,
  Shard,
} from '../../runtime/index.ts';
import type { Kind, ManagedObject, ObjectOf } from '../../resources/managed-object.ts';
import type { Accounts } from '../credentials/accounts.ts';
import type { ClaimTable } from './claims.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import type { NamespaceMetadata } from '../../resources/namespace-metadata.ts';
import type { SecretMetadata } from '../../resources/secret-metadata.ts';
import type { DefinitionReader } from './custom-resource-definition.ts';
import type { Evidence } from './evidence.ts';
import type { ListSubscriptions } from './list-subscriptions.ts';
import type { Memory } from './memory.ts';
import type { Ledger } from '../ledger/entry.ts';
import type { ComparedSecrets, RuleOptions } from '../situation/situation.ts';

/** The objects, Secrets and ledger entries that this process watches. */
export interface Caches {
  of<K extends Kind>(kind: K): ObjectCache<ObjectOf<K>>;
  readonly ofAllKinds: readonly ObjectCache<ManagedObject>[];
  /** Connection Secrets of the operator, without their content. */
  readonly connectionSecrets: ObjectCache<WatchedSecret>;
  /** Those that name the object as their owner, and those of the resource with this hash. */
  connectionSecretsOf(
    object: ManagedObject,
    resource: string | undefined,
  ): readonly WatchedSecret[];
  readonly ledger: Ledger;
  /** The Namespaces that the operator looks after, with their rules for changes. */
  readonly namespaces: readonly ObjectCache<NamespaceMetadata>[];
  /** Undefined while the watch has not shown the Namespace. */
  namespaceOf(name: string): NamespaceMetadata | undefined;
  /** Without their content. */
  readonly credentialsSecrets: ObjectCache<SecretMetadata>;
}

/** The part of the context for `observe`, which changes nothing. */
export interface View extends Pick<
  Context,
  'caches' | 'definitionOf' | 'claims' | 'clock' | 'options' | 'database' | 'clusterUid'
> {
  readonly kubernetes: Pick<KubernetesClient, 'get'>;
  readonly compared: ComparedSecrets;
  readonly accounts: Pick<Accounts, 'of'>;
  readonly memory: Pick<Memory, 'known'>;
  readonly evidence: Pick<Evidence, 'lostBy'>;
}

/** The dependencies of a reconcile. Each operator instance has its own, also in crash tests. */
export interface Context {
  /** Writes nothing unless this process holds the lease. */
  readonly kubernetes: KubernetesClient;
  /**
   * Writes even without the lease. Only for the cloud's answer to a create, which no other process has. Locked
   * by uid and resourceVersion, or by a name.
   */
  readonly recording: KubernetesClient;
  readonly caches: Caches;
  readonly compared: ComparedSecrets;
  readonly definitionOf: DefinitionReader;
  readonly accounts: Accounts;
  readonly claims: ClaimTable;
  readonly subscriptions: ListSubscriptions;
  readonly memory: Memory;
  readonly evidence: Evidence;
  readonly loops: LoopGuard;
  /** Policy time. Deadlines of the transport use real time instead. */
  readonly clock: Clock;
  readonly leadership: Leadership;
  /** Undefined: no other process works any of the objects. */
  readonly shard?: Pick<Shard, 'lookMs' | 'isOurs' | 'catchUp'> | undefined;
  readonly events: EventRecorder;
  readonly log: Log;
  readonly options: RuleOptions;
  /** User and database of a new service, which the cloud's API does not report. */
  readonly database: { readonly user: string; readonly name: string };
  /** The identity of this cluster: the uid of its namespace kube-system. */
  readonly clusterUid: string;
  /** 16 lowercase letters and digits, unique. */
  newId(): string;
  newPassword(): string;
  random(): number;
}
