import type { CloudError } from '../../cloud/cloud-error.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import type { Stall } from '../step/step.ts';
import type { ConnectionWrite } from '../step/connection.ts';

/**
 * The observation of a cloud resource.
 *
 * - `none`: there is no id to look for
 * - `unknown`: it could not be read with certainty; `error` if the cloud gave an error
 * - `present`: it exists, as of `asOf` (policy time)
 * - `missing`: it was not found, and its absence is not proven; the next look is at `again` (policy time). `isNew`: it may be too new to be found
 * - `absent`: it is proven to be gone (docs/safety.md, Gone)
 *
 * `word`: the cloud still shows it, in a deleted state.
 */
export type ObservedResource<T> =
  | { readonly state: 'none' }
  | { readonly state: 'unknown'; readonly error: CloudError | undefined }
  | { readonly state: 'present'; readonly resource: T; readonly asOf: number }
  | { readonly state: 'missing'; readonly again: number; readonly isNew?: true; readonly word?: string }
  | { readonly state: 'absent'; readonly word?: string };

/**
 * A reference in a spec, by object or by id.
 *
 * - `none`: the spec has no reference
 * - `found`: the id in the cloud
 * - `waiting`: the target does not exist yet; the message names the remedy
 * - `refused`: the reference needs a right that this object does not have
 */
export type Reference<Id> =
  | { readonly state: 'none' }
  | { readonly state: 'found'; readonly id: Id }
  | { readonly state: 'waiting'; readonly message: string }
  | { readonly state: 'refused'; readonly message: string };

/** A connection Secret in status, with the content that a replica set keeps while no object of its service is there. */
export interface SecretVersion {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly username?: string | undefined;
  readonly database?: string | undefined;
}

/**
 * The observation of an object's connection Secret.
 *
 * - `unread`: nothing is known about it, since the object gets none now
 * - `absent`: the cache has no Secret of that name
 * - `current`: it equals its inputs and the password in the ledger; status shows `version`
 * - `outdated`: the operator must write it; `isEdited` if its inputs are unchanged, so that another writer changed its content
 * - `unusable`: the operator cannot write it, for a reason that a person must end; with `wanted`, a new password ends it
 */
export type ObservedSecret = { readonly name: string; readonly hasPassword: boolean } & (
  | { readonly state: 'unread' }
  | { readonly state: 'unusable'; readonly why: Stall }
  | ({ readonly wanted: ConnectionWrite; readonly others: readonly string[] } & (
      | { readonly state: 'absent' }
      | { readonly state: 'current'; readonly version: SecretVersion }
      | { readonly state: 'outdated'; readonly isEdited: boolean; readonly hasOldPassword: boolean }
      | { readonly state: 'unusable'; readonly why: Stall }
    ))
);

export type PasswordLength = 'fits' | 'tooShort' | 'tooLong';

/** The versions of connection Secrets that this process wrote, or compared with their inputs and password. */
export interface ComparedSecrets {
  has(secret: WatchedSecret, write: ConnectionWrite): boolean;
  add(secret: WatchedSecret, write: ConnectionWrite): void;
}
