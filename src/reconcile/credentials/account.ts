import type { ProjectApi } from '../../cloud/cloud-api.ts';
import type { CloudError } from '../../cloud/cloud-error.ts';
import type { ProjectObserver } from '../../cloud/project-observer.ts';
import type { RateLimiter } from '../../cloud/rate-limiter.ts';
import type { ProjectId } from '../../cloud/wire/account.ts';

/** An API key that /auth/info has proven, with its project. */
export interface Account {
  readonly projectId: ProjectId;
  /** All operations of this project. */
  readonly project: ProjectApi;
  readonly observer: ProjectObserver;
  readonly limiter: RateLimiter;
  /** Whether it is the operator's own key, which reaches resources that the namespace has no right to. */
  readonly operatorsOwn: boolean;
  /** The cloud's clock now, milliseconds since the epoch. */
  cloudNow(): number;
}

/** The Secret of a key, and whether it has the operator's finalizer and label. */
export interface CredentialsSecret {
  readonly namespace: string;
  readonly name: string;
  readonly held: boolean;
  readonly terminating: boolean;
  /** The resourceVersion in which the process first saw this key there. */
  readonly keyVersion: string;
}

/** The state of an object's credentials. */
export type ObservedAccount =
  /** Not read: this visit makes no calls. */
  | { readonly state: 'notAsked' }
  | { readonly state: 'usable'; readonly account: Account; readonly secret: CredentialsSecret | undefined }
  | { readonly state: 'missing'; readonly message: string }
  | { readonly state: 'rejected'; readonly message: string }
  | { readonly state: 'unavailable'; readonly error: CloudError };
