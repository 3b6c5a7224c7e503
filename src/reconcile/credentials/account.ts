import type { ProjectApi } from '../../cloud/cloud-api.ts';
import type { CloudError } from '../../cloud/cloud-error.ts';
import type { ProjectObserver } from '../../cloud/project-observer.ts';
import type { RateLimiter } from '../../cloud/rate-limiter.ts';
import type { ProjectId } from '../../cloud/wire/ids.ts';

/** One API key, proven by /auth/info: the project behind it, and the way to it. */
export interface Account {
  readonly projectId: ProjectId;
  /** All operations of this project. */
  readonly project: ProjectApi;
  readonly observer: ProjectObserver;
  readonly limiter: RateLimiter;
  /** The operator's own key, which may reach what this namespace has no right to. */
  readonly operatorsOwn: boolean;
  /** The cloud's clock now, milliseconds since the epoch. */
  cloudNow(): number;
}

/** The Secret that a key came from, and whether it carries our finalizer and label. */
export interface CredentialsSecret {
  readonly namespace: string;
  readonly name: string;
  readonly held: boolean;
  readonly terminating: boolean;
}

/** What is known of the credentials of an object. */
export type AccountSight =
  /** Not looked for: this visit calls nothing. */
  | { readonly state: 'notAsked' }
  | { readonly state: 'usable'; readonly account: Account; readonly secret: CredentialsSecret | undefined }
  | { readonly state: 'missing'; readonly message: string }
  | { readonly state: 'rejected'; readonly message: string }
  | { readonly state: 'unavailable'; readonly error: CloudError };
