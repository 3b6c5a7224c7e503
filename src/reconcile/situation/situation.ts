import type { ListPoller } from '../../cloud/list-poller.ts';
import type { CloudError } from '../../cloud/cloud-error.ts';
import type { AccountSight } from '../credentials/account.ts';
import type { AttemptSight } from '../record/attempt.ts';
import type { Kind, ManagedObject } from '../../resources/managed-object.ts';
import type { ResourceKey } from '../../runtime/index.ts';
import type { Policy } from './policy.ts';
import type { CloudSight } from './cloud-sight.ts';
import type { SecretSight } from './secret-sight.ts';
import type { PendingChange } from './pending-change.ts';
import type { Learned } from './learned.ts';
import type { LastOperation } from './last-operation.ts';
import type { ResourceRecord } from '../record/record.ts';
import type { RefusedChange } from '../step/refusal.ts';

/** The words of a kind, as messages use them. */
export interface KindWords {
  readonly kind: Kind;
  /** `service`, `VPC`, `replica set` */
  readonly noun: string;
}

/** The known id of the cloud resource: the agreeing union of record, status and connection Secret. */
export type Identity =
  | { readonly state: 'none' }
  /** `by`: the strongest of the places that say so. */
  | { readonly state: 'known'; readonly id: string; readonly projectId: string | undefined; readonly by: 'record' | 'status' | 'secret' }
  | { readonly state: 'conflict'; readonly message: string };

/** An object that says a cloud resource is its own. */
export interface Claimant {
  readonly kind: Kind;
  readonly key: ResourceKey;
  readonly uid: string;
  /** RFC 3339. */
  readonly claimedAt: string;
  /** The record was written for this very object; one that was copied with it names another uid. */
  readonly isOriginal: boolean;
  /** The cloud should show it: the object is not being deleted, and did not report it as lost. */
  readonly isExpected: boolean;
  /** Where a resource hangs that is listed by its parent. */
  readonly parentId: string | undefined;
}

/** Whether this object may act on the resource that it names. */
export type Claim =
  | { readonly state: 'ours' }
  /** The object or its cluster was restored: the record names another uid, and nobody else claims the resource. */
  | { readonly state: 'restored' }
  | { readonly state: 'another'; readonly owner: Claimant }
  /** Another object has as good a claim, and nobody is the original: a person says which of them counts. */
  | { readonly state: 'undecided'; readonly rival: Claimant }
  | { readonly state: 'elsewhere'; readonly where: string };

/** Something in the cloud that exists and holds this resource. */
export interface Dependent {
  readonly noun: string;
  readonly id: string;
  /** The list that shows it: when it changes there, the deletion is looked at again. */
  readonly list: ListPoller<unknown>;
  /** The object of this cluster that stands for it. */
  readonly owner: Claimant | undefined;
}

export interface DeletionSight {
  readonly requested: boolean;
  /** The record says so of the known id and this very object: the DELETE was decided before, and later changes of policy have no effect. */
  readonly started: boolean;
  /** The CRD itself is being deleted: no database may go with it. */
  readonly crdTerminating: boolean;
  /** Empty when nothing holds the resource; an error, or undefined without credentials, when that could not be read. */
  readonly dependents: readonly Dependent[] | CloudError | undefined;
}

/** Resources that carry the name in the spec; looked for before a create only. `unclaimed`: those that no object owns. */
export type SameNames =
  | { readonly state: 'read'; readonly ids: readonly string[]; readonly unclaimed: readonly string[] }
  | { readonly state: 'unknown'; readonly error: CloudError };

/** What became of the request to take over the resource that the annotation `external-id` names. */
export type AdoptionSight =
  | { readonly state: 'notAsked' }
  | { readonly state: 'notAllowed'; readonly id: string }
  | { readonly state: 'unknown'; readonly id: string; readonly error: CloudError | undefined }
  | { readonly state: 'owned'; readonly id: string; readonly owner: Claimant }
  | { readonly state: 'notFound'; readonly id: string; readonly projectId: string }
  | { readonly state: 'mismatch'; readonly id: string; readonly mismatch: string }
  | { readonly state: 'found'; readonly id: string; readonly projectId: string };

/**
 * Everything that the rules of all kinds decide by. Gathered by `observe`, changed by nobody.
 * @typeParam Resource what the cloud shows
 */
export interface Situation<Resource = unknown> {
  readonly words: KindWords;
  readonly object: ManagedObject;
  /** Policy time, milliseconds since the epoch. */
  readonly now: number;
  readonly policy: Policy;
  readonly clusterUid: string;
  readonly record: ResourceRecord;
  readonly hasFinalizer: boolean;
  readonly hasRecord: boolean;
  /** `record` is what this process remembers: somebody took it away, or put an older one in its place. */
  readonly isRecordLost: boolean;
  readonly identity: Identity;
  /** The id that the connection Secret alone says while a create is open: it counts when nothing came of that. */
  readonly heldBack: string | undefined;
  readonly claim: Claim;
  readonly account: AccountSight;
  /** The project that a known id, or an open create, belongs to: only its key will do. */
  readonly pinnedProject: string | undefined;
  /** Undefined when no create is open. */
  readonly attempt: AttemptSight | undefined;
  readonly cloud: CloudSight<Resource>;
  /** The cloud's word for its state, whatever it is; undefined while it is not seen, and for a kind without one. */
  readonly state: string | undefined;
  /** The cloud is not at work on it: a change that was accepted has come to its end. */
  readonly isAtRest: boolean;
  /** The tag that protection goes by: the wanted one, else the real one. */
  readonly environment: string | undefined;
  /** The list in which the resource shows. */
  readonly list: ListPoller<unknown> | undefined;
  /** The list in which its progress shows; often the same. */
  readonly progressList: ListPoller<unknown> | undefined;
  /** What the spec names and the cloud does not show, in the order in which it is done. */
  readonly pendingChanges: readonly PendingChange[];
  readonly sameNames: SameNames;
  readonly adoption: AdoptionSight;
  readonly deletion: DeletionSight;
  /** The connection Secret; undefined for a kind without one. */
  readonly secret?: SecretSight | undefined;
  /** The Secret of the name that the spec asks for, when that is another one than the record's. */
  readonly nextSecret?: SecretSight | undefined;
  /** The last change that the cloud accepted. */
  readonly lastOperation: LastOperation | undefined;
  /** Policy time of the last create that the cloud refused. */
  readonly refusedAt: number | undefined;
  /** A look that the user asked for and that is not taken yet, and in how long it will be. */
  readonly lookAskedInMs: number | undefined;
  /** Changes that the cloud refused a while ago, by operation and value. */
  readonly refusals: ReadonlyMap<string, RefusedChange>;
  /** What this look adds to what the process remembers of the object. */
  readonly learned: Readonly<Learned>;
}
