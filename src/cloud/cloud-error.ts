import type { CloudOperation } from './cloud-api.ts';

/**
 * What a failed call means, by kind:
 *
 * | kind | when |
 * |---|---|
 * | `invalid` | 400, 422 and other 4xx: the cloud will not take this request as it is; also an id that cannot stand in a path (not sent) |
 * | `unauthorized` | 401: key missing, wrong or revoked; also a key that cannot stand in a header (not sent) |
 * | `forbidden` | 403: the key may not do this, or belongs to another project |
 * | `notFound` | 404 |
 * | `conflict` | 409: wrong state, or still in use |
 * | `rateLimited` | 429; `retryAfterMs` when the reply named a time; also while no turn is to be had for long (not sent) |
 * | `server` | 5xx, and 408 and 425, which speak of the moment and not of the request |
 * | `network` | no complete reply: refused, reset, name or TLS failure, closed half-way |
 * | `timeout` | the call's deadline passed |
 * | `aborted` | the caller's signal, or a fence that no longer held |
 * | `unreadable` | a reply that is not what the document describes: not JSON, a wrong type, a redirect, an id that is missing |
 */
export type CloudErrorKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'conflict'
  | 'rateLimited'
  | 'server'
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'unreadable';

export interface CloudErrorDetails {
  readonly operation: CloudOperation;
  readonly kind: CloudErrorKind;
  /** HTTP status, when there was a reply. */
  readonly status?: number;
  /** The cloud's own words, for the user; from the `message` of a JSON error, else its `code`. Bounded in length, never an echo of a secret. */
  readonly cloudMessage?: string;
  /** From `Retry-After`, or until there may be a turn. */
  readonly retryAfterMs?: number;
  /** Whether a byte of the request may have left: false only when the request never began to be written to a socket. */
  readonly sent: boolean;
  /** Whether the reply carried the API's own JSON error object, and not a page of something in between. */
  readonly fromApi: boolean;
  /** For `unreadable` and for what was not sent: the path of the field and what was expected there, never its value. */
  readonly field?: string;
  /** Its message becomes part of this one's: neither may hold a secret. */
  readonly cause?: unknown;
}

/** A call to the cloud that did not succeed. Neither message nor properties ever hold a key, a password or a header. */
export class CloudError extends Error {
  override readonly name = 'CloudError';
  readonly operation: CloudOperation;
  readonly kind: CloudErrorKind;
  readonly status: number | undefined;
  readonly cloudMessage: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly sent: boolean;
  readonly fromApi: boolean;
  readonly field: string | undefined;

  constructor(details: CloudErrorDetails) {
    super(describe(details), { cause: details.cause });
    this.operation = details.operation;
    this.kind = details.kind;
    this.status = details.status;
    this.cloudMessage = details.cloudMessage;
    this.retryAfterMs = details.retryAfterMs;
    this.sent = details.sent;
    this.fromApi = details.fromApi;
    this.field = details.field;
  }

  /**
   * Whether it is certain that the request changed nothing: it was refused by the API itself, or no byte of it was written.
   * Everything else may have been carried out. An open attempt is closed by nothing less. (docs/safety.md, Creating exactly once)
   */
  get changedNothing(): boolean {
    if (!this.sent) return true;
    return this.fromApi && this.status !== undefined && refusals.has(this.status);
  }
}

/**
 * What a call gives, or how it failed: a failure of the cloud is knowledge, too.
 * @throws what is no CloudError
 */
export async function orCloudError<T>(reply: Promise<T>): Promise<T | CloudError> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof CloudError) return error;
    throw error;
  }
}

const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 422, 429]);

function describe({ operation, kind, status, cloudMessage, field, cause }: CloudErrorDetails): string {
  const what = status === undefined ? kind : `${kind} (${status})`;
  const detail = cloudMessage ?? field ?? (cause instanceof Error ? cause.message : undefined);
  return detail ? `${operation}: ${what}: ${detail}` : `${operation}: ${what}`;
}
