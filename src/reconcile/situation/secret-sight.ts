import type { WatchedSecret } from '../../resources/watched-secret.ts';
import type { Stall } from '../step/step.ts';
import type { SecretWithData } from '../../resources/connection-secret.ts';

/** What is known of the connection Secret of an object. */
export type SecretSight = {
  readonly name: string;
  /** A password that was chosen and may not have reached the cloud yet. */
  readonly pending: WatchedSecret | undefined;
  /** Why no password can be put on its way now. */
  readonly pendingBlocked: Stall | undefined;
} & (
  | { readonly state: 'absent' }
  /** The cache does not hold it, and nobody looked further: nothing is concluded. */
  | { readonly state: 'unread' }
  /** No place for the connection: the Secret is somebody else's, about another resource, or on its way out; or the name is none. */
  | { readonly state: 'unusable'; readonly why: Stall }
  | { readonly state: 'ours'; readonly secret: ConnectionSecret }
);

/** What is remembered of the content of a connection Secret: no password, and no more than the operator puts there itself. */
export interface SecretContent {
  /** The values that are no secret, by key. */
  readonly values: Readonly<Record<string, string>>;
  readonly password: 'none' | 'confirmed' | 'unmarked' | 'edited';
  /** Tells this process alone whether the passwords that two Secrets confirm are the same; undefined when there is none. */
  readonly passwordDigest: string | undefined;
  /** The password that somebody wrote is shorter than {@link shortestPassword}. */
  readonly isTooShort: boolean;
  /** The URIs say what the other keys say, and there are no other keys. */
  readonly consistent: boolean;
}

/** A connection Secret of ours, as rules decide by it. Nothing in it is secret. */
export interface ConnectionSecret extends WatchedSecret, SecretContent {}

/**
 * What this process knows of the content of connection Secrets, each in exactly the version in which it was read or written. The cache has the metadata
 * alone: somebody else's Secret of our label is of any size, and its content is nobody's business here.
 */
export interface SecretContents {
  /** A Secret of the cache with its content: as it is remembered, else as it is read now, once for all who ask. Undefined when it is gone meanwhile. */
  of(secret: WatchedSecret): Promise<ConnectionSecret | undefined>;
  /** What a write of ours returned: it need not be read. */
  wrote(secret: SecretWithData): void;
}
