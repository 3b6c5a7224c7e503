import * as z from 'zod';

/**
 * The meaning of a failed call to the API server.
 * - `notFound`: the API server has no object of the requested name.
 * - `placeMissing`: it answered 404 about something else, such as the namespace or the definition
 *   of the kind. The object may exist.
 * - `conflict`: the object has another version or uid than the request (409, or 422 about the uid).
 * - `alreadyExists`: another object has the name of the new object.
 * - `invalid`: the API server does not accept the request: 400, 422 and other 4xx.
 * - `forbidden`: 403, from the authorization, a quota, a webhook or an admission policy.
 * - `altered`: the call succeeded, and its reply does not show the written values.
 * - `unauthorized`: 401, or the credentials could not be read.
 * - `tooManyRequests`: 429.
 * - `gone`: 410, such as for a resourceVersion that is too old.
 * - `server`: 5xx and any other status.
 * - `network`: no complete reply arrived.
 * - `timeout`: the time of the call was over.
 * - `aborted`: the caller's signal, or the process may not write now.
 * - `unreadable`: the reply does not parse.
 */
export type KubernetesErrorKind =
  | 'notFound'
  | 'placeMissing'
  | 'conflict'
  | 'alreadyExists'
  | 'invalid'
  | 'forbidden'
  | 'altered'
  | 'unauthorized'
  | 'tooManyRequests'
  | 'gone'
  | 'server'
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'unreadable';

type KubernetesErrorDetails = Pick<KubernetesError, 'operation' | 'kind'> &
  Partial<
    Pick<
      KubernetesError,
      'about' | 'status' | 'statusMessage' | 'retryAfterMs' | 'namespaceTerminating' | 'cause'
    >
  >;

/** A failed call to the API server. It never contains a token or the content of an object. */
export class KubernetesError extends Error {
  override readonly name = 'KubernetesError';
  /** Such as `patch managedservices shop/orders`. */
  declare readonly operation: string;
  /** Undefined for a list, a watch, a create, and a request without a reply. */
  declare readonly about: Requested | undefined;
  declare readonly kind: KubernetesErrorKind;
  declare readonly status: number | undefined;
  declare readonly statusMessage: string | undefined;
  declare readonly retryAfterMs: number | undefined;
  /** The namespace is being deleted, so it takes no new objects. */
  declare readonly namespaceTerminating: boolean | undefined;

  /**
   * Kubernetes, a webhook or an admission policy refused this request. It will refuse the request again until a user
   * changes something. Other errors are no refusals: an outdated request (404, 409, 410), bad credentials (401), or too
   * many requests (429).
   */
  get isRefusal(): boolean {
    return ['invalid', 'forbidden', 'altered'].includes(this.kind);
  }

  constructor(details: KubernetesErrorDetails) {
    const status = details.status === undefined ? '' : ` (${details.status})`;
    const message = details.statusMessage === undefined ? '' : `: ${details.statusMessage}`;
    super(`${details.operation}: ${details.kind}${status}${message}`, { cause: details.cause });
    Object.assign(this, details);
  }
}

/** Whether the API server could not be reached, which the {@link Outage} reports once for all requests. */
export function isAway(error: unknown): boolean {
  return error instanceof KubernetesError && error.kind === 'network';
}

/** Milliseconds that the API server asked to wait, under load (429, 503). Otherwise 0. */
export function askedToWaitMs(error: unknown): number {
  return error instanceof KubernetesError ? (error.retryAfterMs ?? 0) : 0;
}

/** The cause stands at the end of a refusal, so only a text without any sense is cut. */
const longestWords = 10_000;

const statusObject = z.object({
  kind: z.literal('Status'),
  code: z.number().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  details: z
    .object({
      name: z.string().optional(),
      kind: z.string().optional(),
      retryAfterSeconds: z.number().optional(),
      causes: z
        .array(z.object({ reason: z.string().optional(), field: z.string().optional() }))
        .optional(),
    })
    .optional(),
});

/** The object of a request. */
export interface Requested {
  readonly plural: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** A call to the API server, as its errors describe it. */
export interface FailedCall {
  /** Such as `patch managedservices shop/orders`. */
  readonly operation: string;
  /** The requested object. Undefined for a list, a watch and a create. */
  readonly about?: Requested | undefined;
  /** Removes text from the server's message that must not be repeated. Default: the text stays. */
  readonly clean?: ((text: string) => string) | undefined;
}

/** A reply with an error. `body` is parsed JSON, or undefined if it was none. */
export interface FailedReply {
  readonly status: number;
  readonly body: unknown;
  /** The header of this name. */
  readonly retryAfter?: string | undefined;
}

/** Makes the error of a reply that is no success. */
export function errorOfReply(
  { operation, about, clean = (text) => text }: FailedCall,
  { status, body, retryAfter }: FailedReply,
): KubernetesError {
  const parsed = statusObject.safeParse(body);
  const { reason, message, details } = parsed.success
    ? parsed.data
    : { reason: undefined, message: undefined, details: undefined };
  const causes = details?.causes ?? [];
  const seconds = details?.retryAfterSeconds ?? Number(retryAfter);
  const isAboutObject =
    about !== undefined && details?.kind === about.plural && details.name === about.name;
  const kindOfReply = (): KubernetesErrorKind => {
    if (status === 404) return isAboutObject ? 'notFound' : 'placeMissing';
    // "metadata.uid: field is immutable" means that another object has taken the name.
    const isOther = status === 422 && causes.some(({ field }) => field === 'metadata.uid');
    return isOther ? 'conflict' : kindOf(status, reason);
  };
  return new KubernetesError({
    operation,
    about,
    kind: kindOfReply(),
    status,
    // A webhook may put anything here. Cut only after cleaning: no search would find half a secret.
    statusMessage: message === undefined ? undefined : clean(message).slice(0, longestWords),
    retryAfterMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined,
    namespaceTerminating: causes.some((cause) => cause.reason === 'NamespaceTerminating'),
  });
}

function kindOf(status: number, reason: string | undefined): KubernetesErrorKind {
  switch (status) {
    case 400:
    case 422:
      return 'invalid';
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 409:
      return reason === 'AlreadyExists' ? 'alreadyExists' : 'conflict';
    case 410:
      return 'gone';
    case 429:
      return 'tooManyRequests';
    default:
      return status >= 400 && status < 500 ? 'invalid' : 'server';
  }
}

/** Whether another writer was faster: the resourceVersion differs, another object has the name, the name is taken, or the object is gone. */
export function isConflict(error: unknown): error is KubernetesError {
  return (
    error instanceof KubernetesError &&
    ['conflict', 'alreadyExists', 'notFound'].includes(error.kind)
  );
}

/**
 * Waits for a request about an object. Undefined if the object is gone.
 * @throws each other error of the request
 */
export async function unlessNotFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === 'notFound') return undefined;
    throw error;
  }
}
