import * as z from 'zod';

/** The meaning of a failed call to the API server. `altered`: it succeeded, and its reply does not show the written values. */
export type KubernetesErrorKind =
  | 'notFound'
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
  Partial<Pick<KubernetesError, 'status' | 'statusMessage' | 'retryAfterMs' | 'namespaceTerminating' | 'cause'>>;

/** Never contains a token or the content of an object. */
export class KubernetesError extends Error {
  override readonly name = 'KubernetesError';
  /** Such as `patch managedservices shop/orders`. */
  declare readonly operation: string;
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
      retryAfterSeconds: z.number().optional(),
      causes: z.array(z.object({ reason: z.string().optional(), field: z.string().optional() })).optional(),
    })
    .optional(),
});

/**
 * The error for a reply. `body` is parsed JSON, or undefined if it was none.
 * @param clean removes text from the server's message that must not be repeated
 */
export function errorOfReply(
  operation: string,
  status: number,
  body: unknown,
  retryAfter: string | undefined,
  clean: (text: string) => string = (text) => text,
): KubernetesError {
  const parsed = statusObject.safeParse(body);
  const { reason, message, details } = parsed.success ? parsed.data : { reason: undefined, message: undefined, details: undefined };
  const causes = details?.causes ?? [];
  const seconds = details?.retryAfterSeconds ?? Number(retryAfter);
  return new KubernetesError({
    operation,
    // "metadata.uid: field is immutable" means that another object has taken the name.
    kind: status === 422 && causes.some(({ field }) => field === 'metadata.uid') ? 'conflict' : kindOf(status, reason),
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
    case 404:
      return 'notFound';
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
  return error instanceof KubernetesError && ['conflict', 'alreadyExists', 'notFound'].includes(error.kind);
}

/** Waits for a request about an object. Undefined if the object is gone. */
export async function unlessNotFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === 'notFound') return undefined;
    throw error;
  }
}
