import type { ResourceRecord } from '../../resources/ledger-entry.ts';
import type { CloudError } from '../../cloud/cloud-error.ts';
import type { KeyState } from '../credentials/key-state.ts';
import type { ObservedAttempt } from '../ledger/attempt.ts';
import type { Kind, ManagedObject } from '../../resources/managed-object.ts';
import type { ResourceKey } from '../../runtime/index.ts';
import type { RefusedChange } from '../step/outcome.ts';
import type { CloudChange, Step, Stall } from '../step/step.ts';
import type { ChangeRules } from '../../resources/change-rules.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import type { ConnectionWrite } from '../step/connection.ts';

/** The options of the operator that rules read. A spec may overrule the deletion policy. */
export interface RuleOptions {
  readonly deletionPolicy: 'Delete' | 'Retain';
  /** Observe: the operator creates, changes and deletes nothing in the cloud, regardless of specs and marks. */
  readonly managementPolicy: 'Manage' | 'Observe';
  readonly sharedProjectAdoption: boolean;
  readonly acceptedClusters: readonly string[];
}

/** The last change that the cloud accepted. Until it shows, an older-looking state means "in progress". */
export interface LastOperation {
  readonly operation: string;
  readonly wanted: string;
  /** The value before, for a change of a value. */
  readonly from?: string | undefined;
  /** `metadata.generation` of the object that requested it. */
  readonly generation?: number | undefined;
  /** Policy time. */
  readonly at: number;
  /** The cloud was seen working since: the change is over when the resource is at rest again. */
  readonly wasBusy?: boolean | undefined;
}

/** The additions of an observation to memory. `observe` itself changes no memory, so that printing a plan has no side effects. */
export interface Learned {
  /** Policy time at which this process first saw a recorded or shown fact, by its name. The clock of the recorded time may be wrong. */
  firstSeen: Map<string, number>;
  /** None, if a user requested a visit: changes that the cloud refused are then requested again. */
  readonly refusals?: ReadonlyMap<string, RefusedChange>;
  /** The last `requestedAt` text that was answered by an observation, and its policy time. */
  requestedVisit?: { readonly text: string; readonly at: number };
}

/** An object with a ledger entry about a cloud resource. */
export interface Claimant {
  readonly kind: Kind;
  readonly key: ResourceKey;
  readonly uid: string;
  /** The parent's id, for a kind that is listed by parent. */
  readonly parentId: string | undefined;
}

/** A resource that an earlier object of the same name left, or may have left. */
export interface Leftover {
  /** For a create without an answer, the id of the attempt. */
  readonly id: string;
  readonly asked?: string;
}

/**
 * Whether the ledger binds the object to its resource, or to none. Only with `ours` does the
 * operator act on the resource.
 *
 * - `ours`: the entry of the object is about the resource, or the object is new
 * - `elsewhere`: the entry is of another cluster
 */
export type Claim =
  | { readonly state: 'ours' }
  /** The entry of an earlier object of this name, or the object's own from another cluster. */
  | { readonly state: 'rebind'; readonly entry: string }
  /** The entry of another living object has the same resource. A user must decide. */
  | { readonly state: 'contested'; readonly rival: Claimant }
  | { readonly state: 'elsewhere'; readonly clusterUid: string }
  /** The object had no resource, and names the entry of another living object: it is a copy of that manifest. */
  | { readonly state: 'copied'; readonly original: Claimant }
  /**
   * The object had a resource, or points at the entry of another object, and has no own entry. `id`: the resource in its
   * status, or in its entry when another client removed that by force. `pointedId`: the resource of that entry, if its object is or was in the same namespace.
   * `asked`: the name in a create without an answer, whose entry another client removed by force; `id` is then the id of the attempt.
   */
  | {
      readonly state: 'unbound';
      readonly why: string;
      readonly id: string | undefined;
      readonly asked?: string | undefined;
      readonly projectId?: string | undefined;
      readonly pointedId?: string | undefined;
    };

/** A resource in the cloud that depends on this resource: it exists, or its create is open. */
export interface Dependent {
  readonly noun: string;
  /** Empty if the cloud does not show it. */
  readonly id: string;
  readonly owner: Pick<Claimant, 'kind' | 'key'> | undefined;
  /** The action that ends the dependence, where a deletion alone does not. */
  readonly remedy?: string;
  /** No user needs to act: it is being deleted, or the cloud is about to finish it. */
  readonly endsByItself?: boolean;
}

/**
 * The deletion of an object: whether a user requested it, and the obstacles in Kubernetes and in
 * the cloud.
 */
export interface ObservedDeletion {
  readonly requested: boolean;
  /** Whether the record has the deletion mark for the known id: later changes of policy have no effect. */
  readonly started: boolean;
  readonly crdTerminating: boolean;
  /** Empty if nothing depends on the resource; an error if that could not be read; undefined without credentials. */
  readonly dependents: readonly Dependent[] | CloudError | undefined;
}

/** Resources with the name in the spec, read only before a create. `unclaimed`: without an owner. */
export type SameNames =
  | {
      readonly state: 'read';
      readonly ids: readonly string[];
      readonly unclaimed: readonly string[];
    }
  /** `missing`: the list lacks these known resources, so it may lack a resource of that name, too. */
  | {
      readonly state: 'unknown';
      readonly error: CloudError | undefined;
      readonly missing?: readonly string[];
    };

/**
 * The adoption that the annotation `external-id` requests.
 *
 * - `notAsked`: no adoption is requested, or the object has a resource
 * - `notAllowed`: the key of the object may not adopt a resource
 * - `notFound`: the project of the key has no such resource, or the cloud is deleting it
 * - `found`: the object may adopt the resource
 * - `unknown`: the cloud cannot be read
 * - `owned`: another living object owns the resource, or is about to create it
 * - `mismatch`: an immutable field of the resource differs from the spec; the text names the field
 */
export type ObservedAdoption =
  | { readonly state: 'notAsked' }
  | ({ readonly id: string } & (
      | { readonly state: 'notAllowed' | 'notFound' | 'found' }
      | { readonly state: 'unknown'; readonly error: CloudError | undefined }
      | { readonly state: 'owned'; readonly owner: Pick<Claimant, 'kind' | 'key'> }
      | { readonly state: 'mismatch'; readonly mismatch: string }
    ));

/** A difference between the spec and the resource, with the step that removes the difference. */
export interface PendingChange {
  /** The name for users, such as `size` or `environment`. */
  readonly name: string;
  /** As in reports of drift: `cpuMillis/memoryGbs`. */
  readonly path?: string;
  readonly from?: string;
  readonly wanted?: string;
  readonly step: Step;
  /** Undefined if the change needs no operation in the cloud. */
  readonly operation?: CloudChange['operation'];
  /** The state of the resource does not allow the change now. */
  readonly isPostponed?: boolean;
  /** The change is not possible now, and other changes go first. Milliseconds until the next try. */
  readonly blockedForMs?: number;
}

/** The facts about an object that are known before the cloud is observed. Plain data. */
export interface ObjectFacts {
  /** The noun of the kind in messages: `service`, `VPC`, `replica set`. */
  readonly noun: string;
  readonly object: ManagedObject;
  /** Policy time, milliseconds since the epoch. */
  readonly now: number;
  /** Wall time, for comparisons with windows of users. It may jump. */
  readonly wallTime: number;
  /** The rules of the object and of its Namespace for disruptive changes. Undefined if there is none. */
  readonly rules: ChangeRules | undefined;
  readonly options: RuleOptions;
  readonly record: ResourceRecord;
  readonly hasFinalizer: boolean;
  readonly hasPointer: boolean;
  readonly claim: Claim;
  readonly account: KeyState;
  /** The project of the known id or of an open create. Only a key of this project is used. */
  readonly pinnedProject: string | undefined;
  /** The names of other entries about the same resource, whose objects are gone. */
  readonly leftEntries: readonly string[];
  readonly leftovers?: readonly Leftover[];
  readonly lastOperation: LastOperation | undefined;
  /** Policy time of the last create that the cloud refused, or answered unclearly. */
  readonly createFailedAt: number | undefined;
  /** By operation and value. */
  readonly refusals: ReadonlyMap<string, RefusedChange>;
  /**
   * The annotations that this process removed, by `annotationKey`: it removes none of them twice. It forgets an approval with the
   * next request of the operation.
   */
  readonly removedAnnotations?: ReadonlySet<string> | undefined;
  readonly learned: Readonly<Learned>;
}

/**
 * Everything that a visit read about an object, as plain data without a client, a list or a clock. A visit adds no
 * fact later: a second read is new facts.
 */
export interface Facts<Resource = unknown> extends ObjectFacts {
  readonly attempt: ObservedAttempt | undefined;
  readonly cloud: ObservedResource<Resource>;
  readonly sameNames: SameNames;
  readonly adoption: ObservedAdoption;
  readonly deletion: ObservedDeletion;
  readonly secret?: ObservedSecret | undefined;
  /** The list that shows the resource. Undefined without a usable key. */
  readonly list: ListFacts | undefined;
  /** The list that shows the cloud's present work: the list of the resource, or of its peerings. */
  readonly progressList: ListFacts | undefined;
}

/** The data on which the rules of all kinds decide: the facts, with the values that follow from them. */
export interface Situation<Resource = unknown> extends Facts<Resource> {
  /** The state in the cloud's own word; undefined while the resource is not seen, and for a kind without states. */
  readonly state: string | undefined;
  /** Whether the cloud has finished its work on the resource: an accepted change has had its effect. */
  readonly isAtRest: boolean;
  /** The environment that decides about deletion protection: from the spec, otherwise the actual environment. */
  readonly environment: string | undefined;
  /** In the order in which they are removed. */
  readonly pendingChanges: readonly PendingChange[];
  /** Milliseconds until time alone may lead to other pending changes. Undefined if it never does. */
  readonly changesInMs?: number | undefined;
}

/** A list of the cloud, as a visit found it after its observation. Times are policy time. */
export interface ListFacts {
  /** The begin of the latest list. Undefined before the first list. */
  readonly begunAt: number | undefined;
  /** Whether the latest list shows no resource at all. */
  readonly isEmpty: boolean;
  /** Whether the cloud has answered a DELETE of the object's resource with 404. */
  readonly isDenied: boolean;
  /** The error of the latest read, unless a later read succeeded. */
  readonly failure: CloudError | undefined;
  readonly failingSince: number | undefined;
}

/**
 * The resource of an object as the cloud shows it. Times are policy time.
 *
 * - `none`: the object has no id to look for
 * - `unknown`: the cloud cannot be read; `error` is undefined if no request was possible
 * - `present`: the cloud shows the resource. `asOf` is the begin of the observation. `isShown`: a
 *   list has shown the resource to this process
 * - `missing`: the cloud does not show the resource, and its absence is not proven. `again` is the
 *   time of the next look
 * - `absent`: the absence is proven (docs/safety.md, Gone)
 */
export type ObservedResource<T> =
  | { readonly state: 'none' }
  | { readonly state: 'unknown'; readonly error: CloudError | undefined }
  | {
      readonly state: 'present';
      readonly resource: T;
      readonly asOf: number;
      readonly isShown?: boolean;
    }
  | { readonly state: 'missing'; readonly again: number }
  | { readonly state: 'absent' };

/**
 * A reference in a spec, by object or by id.
 *
 * - `none`: the spec has no such reference
 * - `found`: the id of the referenced resource
 * - `waiting`: the referenced object, or its resource, is not ready; the message names the next
 *   action
 * - `blocked`: as `waiting`, but only a person can end the wait
 * - `refused`: the reference needs a right that this object does not have
 */
export type Reference<Id> =
  | { readonly state: 'none' }
  | { readonly state: 'found'; readonly id: Id }
  | {
      readonly state: 'waiting' | 'blocked';
      readonly message: string;
      /** The service is stopped, as its object requests, or until a person starts it. */
      readonly isStopped?: boolean;
    }
  | { readonly state: 'refused'; readonly message: string };

/** A connection Secret in status, with the content that a replica set keeps while no object of its service is there. */
export interface SecretVersion {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly username?: string | undefined;
  readonly database?: string | undefined;
}

/**
 * - `unread`: nothing is known about it, since the object gets none now
 * - `current`: `hasOtherPassword` if it has a password, and the ledger has none
 * - `outdated`: the operator must write it; `isEdited` if another writer changed its content, `hasOldPassword`
 *   if it has another password than the ledger: apps cannot connect with it
 * - `unusable`: the operator cannot write it; with `wanted`, a new password ends that
 */
export type ObservedSecret = { readonly name: string; readonly hasPassword: boolean } & (
  | { readonly state: 'unread' }
  | { readonly state: 'unusable'; readonly why: Stall }
  | ({ readonly wanted: ConnectionWrite; readonly others: readonly string[] } & (
      | { readonly state: 'absent' }
      | {
          readonly state: 'current';
          readonly version: SecretVersion;
          readonly hasOtherPassword: boolean;
        }
      | { readonly state: 'outdated'; readonly isEdited: boolean; readonly hasOldPassword: boolean }
      | { readonly state: 'unusable'; readonly why: Stall }
    ))
);

/** The versions of connection Secrets that this process wrote, or compared with their inputs and password. */
export interface ComparedSecrets {
  /** Undefined if this process has not compared this version. */
  find(secret: WatchedSecret, write: ConnectionWrite): ComparedSecret | undefined;
  add(secret: WatchedSecret, write: ConnectionWrite, compared: ComparedSecret): void;
}

/**
 * The result of a comparison of a connection Secret with its inputs and its password: both are
 * equal.
 */
export interface ComparedSecret {
  /** Whether the Secret has a password. */
  readonly hasPassword: boolean;
}
