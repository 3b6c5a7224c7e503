import type {
  accountOperations,
  projectOperations,
  IdsIn,
  Operation,
  Operations,
  ReplyOf,
  RequestOf,
} from './wire/all.ts';
import type { ProjectId } from './wire/account.ts';

/**
 * The options of a call to the cloud. Each method of {@link CloudApi} takes them as its last
 * argument.
 */
export interface CallOptions {
  /** Ends the call with `aborted`. The cloud may still carry out a sent request. */
  readonly signal?: AbortSignal;
  /**
   * Called when the request goes to the socket; false ends the call with kind `aborted` and `sent` false. For requests
   * that must not be late: a create of an old attempt, or any change after the lease was lost.
   */
  readonly mayBeSent?: () => boolean;
  /** Milliseconds for the whole call. Default: 10,000 for a GET of a single resource, otherwise 30,000. */
  readonly timeoutMs?: number;
  /** The caller has waited for the rate limit already. */
  readonly hasTurn?: true;
  /** Default: `edit` for changes, `read` for reads. */
  readonly priority?: CallPriority;
}

/**
 * The order in which calls get their turns in the rate limit.
 * - `edit`: a change that a user waits for. It comes first.
 * - `resync`: any other change.
 * - `read`: a GET or a LIST. It comes last, but reads get at least 1 turn in 5.
 */
export type CallPriority = 'edit' | 'resync' | 'read';

/** The managed database cloud, as an API key sees it. */
export interface CloudApi extends Methods<typeof accountOperations> {
  /** All operations of a project. Makes no call. */
  project(projectId: ProjectId): ProjectApi;
}

/**
 * All operations of a project of the cloud but `getCredentialsInfo`. The rows in `wire/` define each operation.
 * Every method sends a single HTTP request, never repeats it, and throws only {@link CloudError}. Its `kind` is the
 * meaning; `sent` tells whether the request may have left; `changedNothing` tells whether it certainly had no effect.
 * Lists are complete, without pages, and may lag a write by seconds. Ids are opaque.
 * @see docs/reference/openapi.yaml, which uses the same operation names
 */
export type ProjectApi = Methods<typeof projectOperations>;

/**
 * A method for each row. Its arguments are the ids in the path, the body if any, and the options:
 * `resizeService(serviceId, size, options)`.
 */
export type Methods<O extends Operations> = { readonly [K in keyof O]: Method<O[K]> };

type Method<O extends Operation> = (
  ...args: [...IdsIn<O['path']>, ...Body<RequestOf<O>>, options?: CallOptions]
) => Promise<ReplyOf<O>>;
type Body<R> = R extends undefined ? [] : [request: R];

/** The name of an operation in logs, metrics and errors. */
export type CloudOperation = keyof typeof accountOperations | keyof ProjectApi;
