import type { WatchedSecret } from '../../resources/watched-secret.ts';
import type { Stall } from '../step/step.ts';
import type { ConnectionSecret } from './known-content.ts';

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
