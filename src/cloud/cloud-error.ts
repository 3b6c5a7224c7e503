import type { CloudOperation } from './cloud-api.ts';

/**
 * The meaning of a failed call. With (*), only if the reply has the API's error body: a gateway may answer in place of
 * the cloud, and its page says nothing about a resource.
 *
 * | kind | when |
 * |---|---|
 * | `invalid` | 400, 422 and other 4xx (*): the cloud does not accept this request; also an id that is not allowed in a path (not sent) |
 * | `unauthorized` | 401: the key is missing, wrong or revoked; also a key that is not allowed in a header (not sent) |
 * | `forbidden` | 403 (*): the key may not do this, or belongs to another project |
 * | `notFound` | 404 (*), and 410 (*), which says the same for good |
 * | `conflict` | 409 (*): wrong state, or still in use |
 * | `rateLimited` | 429; `retryAfterMs` if the reply named a time; also a long wait for the rate limit (not sent) |
 * | `server` | 5xx; also 408 and 425, since they say nothing about the request itself |
 * | `network` | no complete reply: refused, reset, name or TLS failure, closed half-way |
 * | `timeout` | the call's deadline passed |
 * | `aborted` | the caller's signal, or `mayBeSent` returned false |
 * | `unreadable` | a reply that the API's document does not describe: not JSON, a wrong type, a redirect, a missing id, another resource than that of the request, the page of a gateway |
 */
export const cloudErrorKinds = [
  'invalid',
  'unauthorized',
  'forbidden',
  'notFound',
  'conflict',
  'rateLimited',
  'server',
  'network',
  'timeout',
  'aborted',
  'unreadable',
] as const;
/** The meaning of a failed call. See {@link cloudErrorKinds}. */
export type CloudErrorKind = (typeof cloudErrorKinds)[number];

/**
 * The facts of a {@link CloudError}. The message of `cause` becomes part of the message of the
 * error. Neither may contain a secret.
 */
export type CloudErrorDetails = Pick<CloudError, 'operation' | 'kind' | 'sent' | 'fromApi'> &
  Partial<
    Pick<
      CloudError,
      'status' | 'cloudMessage' | 'retryAfterMs' | 'pausedUntilMs' | 'field' | 'cause'
    >
  >;

/**
 * A failed call to the cloud. Neither its message nor its properties contain a key, a password or a
 * header.
 */
export class CloudError extends Error {
  override readonly name = 'CloudError';
  declare readonly operation: CloudOperation;
  declare readonly kind: CloudErrorKind;
  /** HTTP status, if there was a reply. */
  declare readonly status: number | undefined;
  /** The cloud's own message: `message` of a JSON error, otherwise its `code`. Bounded in length, without the secrets of the request. */
  declare readonly cloudMessage: string | undefined;
  /** From `Retry-After`, or the time until the rate limit has room. */
  declare readonly retryAfterMs: number | undefined;
  /** Policy time until which the cloud asked this API key to make no calls, if that is a minute or more. */
  declare readonly pausedUntilMs: number | undefined;
  /** False only if no byte of the request was written to a socket. */
  declare readonly sent: boolean;
  /** Whether the reply had the API's own JSON error object, unlike the page of a proxy. */
  declare readonly fromApi: boolean;
  /** For `unreadable`, and for requests that were not sent: the path of the field and the expected value, never the actual value. */
  declare readonly field: string | undefined;

  constructor(details: CloudErrorDetails) {
    super(describe(details), { cause: details.cause });
    Object.assign(this, details);
  }

  /**
   * Whether the request certainly had no effect: the API itself refused it, or no byte of it was written. Only this
   * closes an open attempt. (docs/safety.md, Creating exactly once)
   */
  get changedNothing(): boolean {
    if (!this.sent) return true;
    return this.fromApi && this.status !== undefined && refusals.has(this.status);
  }
}

/** For users: only message and code. The errors of the HTTP client itself may carry bytes of the reply. */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
    // The stack would only show the place of this constructor.
    this.stack = `${this.name}: ${message}`;
  }
}

/**
 * The result of a call, or its CloudError as a value, for callers that expect failures.
 * @throws any other error
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

/**
 * Such as ` until 11:12 UTC`: the minute in which the pause is over. Empty for a short pause or none. The text is the
 * same during the whole pause, and no pause is long enough for a date.
 */
export function pauseEnd({ pausedUntilMs }: Pick<CloudErrorDetails, 'pausedUntilMs'>): string {
  if (pausedUntilMs === undefined) return '';
  const minute = new Date(Math.ceil(pausedUntilMs / 60_000) * 60_000);
  return ` until ${minute.toISOString().slice(11, 16)} UTC`;
}

function describe({
  operation,
  kind,
  status,
  cloudMessage,
  field,
  cause,
  pausedUntilMs,
}: CloudErrorDetails): string {
  const what = (status === undefined ? kind : `${kind} (${status})`) + pauseEnd({ pausedUntilMs });
  const detail = cloudMessage ?? field ?? (cause instanceof Error ? cause.message : undefined);
  return detail ? `${operation}: ${what}: ${detail}` : `${operation}: ${what}`;
}
