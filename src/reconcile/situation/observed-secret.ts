import type { WatchedSecret } from '../../resources/watched-secret.ts';
import type { Stall } from '../step/step.ts';
import type { ConnectionWrite } from '../step/connection.ts';

/** A connection Secret in status: its version, and the parts of its content that a replica set keeps while no object of its service is there. */
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
 * - `current`: it equals its inputs and the password in the ledger; `version` goes into status
 * - `outdated`: the operator must write it; `isEdited` if its inputs are the present ones, so that its content was changed by others
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

/** Whether a password has a length that is sent. */
export type PasswordLength = 'fits' | 'tooShort' | 'tooLong';

/** The versions of connection Secrets that this process wrote, or compared with their inputs and password. */
export interface ComparedSecrets {
  has(secret: WatchedSecret, write: ConnectionWrite): boolean;
  add(secret: WatchedSecret, write: ConnectionWrite): void;
}
