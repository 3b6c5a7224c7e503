import type { CloudError } from '../../cloud/cloud-error.ts';
import type { ProjectId } from '../../cloud/wire/account.ts';

/**
 * The Secret of a key. `held`: the operator's finalizer holds the Secret. `terminating`: a user
 * has deleted the Secret.
 */
export interface CredentialsSecret {
  readonly namespace: string;
  readonly name: string;
  readonly held: boolean;
  readonly terminating: boolean;
}

/** A proven key. `secret` is undefined for the operator's own key. */
export interface UsableKey {
  readonly state: 'usable';
  /** The project of the key. */
  readonly projectId: ProjectId;
  /** Whether it is the operator's own key, which reaches resources that the namespace has no right to. */
  readonly operatorsOwn: boolean;
  readonly secret: CredentialsSecret | undefined;
}

/**
 * The reason for which a key cannot be used.
 *
 * - `notAsked`: the key was not read, since the visit makes no calls
 * - `missing`: there is no key; the remedy is the next action of a user. It may create a Secret, which Kubernetes
 *   refuses in a terminating namespace
 * - `rejected`: the cloud does not accept the key
 * - `unavailable`: the cloud did not prove the key
 */
export type UnusableKey =
  | { readonly state: 'notAsked' }
  | { readonly state: 'missing'; readonly problem: string; readonly remedy: string }
  | { readonly state: 'rejected'; readonly message: string }
  | { readonly state: 'unavailable'; readonly error: CloudError };

/** The key of an object, as far as the cloud has proved it. Plain data without a client, for rules. */
export type KeyState = UnusableKey | UsableKey;
