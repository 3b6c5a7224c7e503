import type { Clock, EventRecorder, KubernetesClient, Leadership, Log, LoopGuard, ObjectCache } from '../../runtime/index.ts';
import type { Kind, ManagedObject, ObjectOf } from '../../resources/managed-object.ts';
import type { Accounts } from '../credentials/accounts.ts';
import type { ClaimTable } from './claims.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import type { SecretMetadata } from '../../resources/secret-metadata.ts';
import type { DefinitionReader } from './custom-resource-definition.ts';
import type { Following } from './following.ts';
import type { Memory } from './memory.ts';
import type { Policy } from '../situation/policy.ts';
import type { SecretContents } from '../situation/secret-sight.ts';

export interface Caches {
  /** The objects of one kind. */
  of<K extends Kind>(kind: K): ObjectCache<ObjectOf<K>>;
  /** The same caches, for what all kinds have in common. */
  readonly ofAllKinds: readonly ObjectCache<ManagedObject>[];
  /** Secrets that we made, without their content. */
  readonly connectionSecrets: ObjectCache<WatchedSecret>;
  /** Those of them that name this object for their owner. */
  connectionSecretsOf(object: ManagedObject): readonly WatchedSecret[];
  /** API keys that are in use, without the keys. */
  readonly credentialsSecrets: ObjectCache<SecretMetadata>;
}

/** What `observe` may reach: all that can be read, and nothing that can be changed. */
export interface View extends Pick<Context, 'caches' | 'definitionOf' | 'claims' | 'clock' | 'policy' | 'database' | 'clusterUid'> {
  readonly kubernetes: Pick<KubernetesClient, 'get'>;
  readonly contents: Pick<SecretContents, 'of'>;
  readonly accounts: Pick<Accounts, 'of'>;
  readonly memory: Pick<Memory, 'known'>;
}

/** Everything that a reconcile may reach. One per operator instance; a crash test gives each instance its own. */
export interface Context {
  /** Whoever does not hold the lease writes nothing with it. */
  readonly kubernetes: KubernetesClient;
  /** Writes also without the lease: for what the cloud answered to a create, which nobody else has. Locked by uid and resourceVersion, or by a name. */
  readonly recording: KubernetesClient;
  readonly caches: Caches;
  /** What is known of the content of those Secrets that we made. */
  readonly contents: SecretContents;
  readonly definitionOf: DefinitionReader;
  readonly accounts: Accounts;
  readonly claims: ClaimTable;
  readonly following: Following;
  readonly memory: Memory;
  readonly loops: LoopGuard;
  /** Policy time. Transport deadlines are real time, whatever this clock says. */
  readonly clock: Clock;
  readonly leadership: Leadership;
  readonly events: EventRecorder;
  readonly log: Log;
  readonly policy: Policy;
  /** Not in the cloud's API: which user and database a new service has. */
  readonly database: { readonly user: string; readonly name: string };
  /** uid of the namespace kube-system: which cluster this is. */
  readonly clusterUid: string;
  /** 16 lowercase letters and digits, never the same twice. */
  newId(): string;
  newPassword(): string;
  random(): number;
}
