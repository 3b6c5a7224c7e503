import type { accountOperations, projectOperations, IdsIn, Operation, Operations, ReplyOf, RequestOf } from './wire/all.ts';
import type { ProjectId } from './wire/account.ts';

/** Options of one call, beside its content. */
export interface CallOptions {
  /** Ends the call with `aborted`. A request that was sent may still be carried out. */
  readonly signal?: AbortSignal;
  /**
   * Called when the request goes to the socket. False ends the call with kind `aborted` and `sent` false.
   * For requests that must not be sent late: a create of an old attempt, or any change after the lease was lost.
   */
  readonly mayBeSent?: () => boolean;
  /** Milliseconds from the call to its end, whatever happens. Default: 10,000 for a GET of one resource, otherwise 30,000. */
  readonly timeoutMs?: number;
  /** A place in the rate limit that was taken before, so that the call starts at once. */
  readonly permit?: Permit;
  /** Priority in the rate limit. Default: `edit` for changes, `read` for reads. */
  readonly priority?: CallPriority;
}

/** From first to last: changes that somebody waits for, changes that nobody waits for, reads. Reads always get one token in five. */
export type CallPriority = 'edit' | 'resync' | 'read';

/** The place of one call in the rate limit of an API key. It must be passed to a call or released. */
export interface Permit {
  /** Returns the place unused. */
  release(): void;
}

/** The managed database cloud, as one API key sees it. */
export interface CloudApi extends Methods<typeof accountOperations> {
  /** All operations of one project. Makes no call. */
  project(projectId: ProjectId): ProjectApi;
}

/**
 * One project of the managed database cloud: all operations but `getCredentialsInfo`. The rows in `wire/` say what each operation does, what it takes,
 * what it answers, and when it is refused.
 *
 * Every method sends exactly one HTTP request and never repeats it. Each method throws only {@link CloudError}. Its `kind` is the meaning, `sent` tells
 * whether the request may have left, and `changedNothing` whether it certainly had no effect. Lists are complete, without pages, and may lag a write by
 * seconds. Ids are opaque.
 * @see docs/reference/openapi.yaml, which uses the same operation names
 */
export type ProjectApi = Methods<typeof projectOperations>;

/** A method for each row. It takes the ids in the path, then the body if there is one, then the options: `resizeService(serviceId, size, options)`. */
export type Methods<O extends Operations> = { readonly [K in keyof O]: Method<O[K]> };

type Method<O extends Operation> = (...args: [...IdsIn<O['path']>, ...Body<RequestOf<O>>, options?: CallOptions]) => Promise<ReplyOf<O>>;
type Body<R> = R extends undefined ? [] : [request: R];

/** The name of an operation in logs, metrics and errors. */
export type CloudOperation = keyof typeof accountOperations | keyof ProjectApi;
