import type { WatchedSecret } from '../../resources/watched-secret.ts';
import type { Stall } from '../step/step.ts';
import type { SecretWithData } from '../../resources/connection-secret.ts';

/** The observation of an object's connection Secret. */
export type ObservedSecret = {
  readonly name: string;
  /** The Secret with a pending password, which may not have reached the cloud yet. */
  readonly pending: WatchedSecret | undefined;
  /** Without a pending password: what waits in its place for the resource that this one replaced. It only makes room. */
  readonly outdated?: WatchedSecret | undefined;
  /** The reason why no password can become pending now. */
  readonly pendingBlocked: Stall | undefined;
} & (
  | { readonly state: 'absent' }
  /** The cache does not have the Secret, and the API server was not asked. Its absence is not proven. */
  | { readonly state: 'unread' }
  /** There is no place for the connection: the Secret is foreign, about another resource, or being deleted; or its name is invalid. */
  | { readonly state: 'unusable'; readonly why: Stall }
  | { readonly state: 'ours'; readonly secret: ConnectionSecret }
);

/** A Secret whose name is proven to be free, or to be the object's own: there is a place for the password of what is created. */
export type ProvenSecret = Extract<ObservedSecret, { readonly state: 'absent' | 'ours' }>;

/** Whether a password has a length that is sent. */
export type PasswordLength = 'fits' | 'tooShort' | 'tooLong';

/** The remembered content of a connection Secret: only values that the operator itself writes, and no password. */
export interface SecretContent {
  /** The values that are not secret, by key. */
  readonly values: Readonly<Record<string, string>>;
  readonly password: 'none' | 'confirmed' | 'unmarked' | 'edited';
  /** Compares confirmed passwords of two Secrets within this process; undefined if there is none. */
  readonly passwordDigest: string | undefined;
  /** Of the password that somebody wrote. */
  readonly length: PasswordLength;
  /** Whether the URIs agree with the other keys, and there are no further keys. */
  readonly consistent: boolean;
}

/** A connection Secret of the operator in the form for rules. It contains nothing secret. */
export interface ConnectionSecret extends WatchedSecret, SecretContent {}

/**
 * The known content of connection Secrets, each in the version that was read or written. The cache has only metadata, since a foreign Secret with the label
 * may have any size.
 */
export interface SecretContents {
  /** The content of a cached Secret, from memory or by a read that concurrent callers share. Undefined if the Secret is gone meanwhile. */
  of(secret: WatchedSecret): Promise<ConnectionSecret | undefined>;
  /** Takes in the result of a write of this process, so that it need not be read. */
  wrote(secret: SecretWithData): void;
}
