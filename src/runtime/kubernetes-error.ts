import * as z from 'zod';

/** What a failed call to the API server means. */
export type KubernetesErrorKind =
  | 'notFound'
  | 'conflict'
  | 'alreadyExists'
  | 'invalid'
  | 'forbidden'
  | 'unauthorized'
  | 'tooManyRequests'
  | 'gone'
  | 'server'
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'unreadable';

export interface KubernetesErrorDetails {
  /** `patch managedservices shop/orders` */
  readonly operation: string;
  readonly kind: KubernetesErrorKind;
  readonly status?: number | undefined;
  /** `reason` of the Status object, such as `AlreadyExists`. */
  readonly statusReason?: string | undefined;
  readonly statusMessage?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly namespaceTerminating?: boolean;
  readonly cause?: unknown;
}

/** A call to the API server that did not succeed. Never holds a token or the content of an object. */
export class KubernetesError extends Error {
  override readonly name = 'KubernetesError';
  readonly operation: string;
  readonly kind: KubernetesErrorKind;
  readonly status: number | undefined;
  readonly statusReason: string | undefined;
  /** The API server's own words. */
  readonly statusMessage: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** The namespace is being deleted: nothing new can be made in it. */
  readonly namespaceTerminating: boolean;

  /**
   * Kubernetes, or a webhook or policy in it, says no to this very request: the same again gets the same answer until somebody changes something.
   * Not so where the request was overtaken (404, 409, 410), the credentials do not do (401), or it comes too fast (429).
   */
  get isRefusal(): boolean {
    return this.kind === 'invalid' || this.kind === 'forbidden';
  }

  constructor(details: KubernetesErrorDetails) {
    const status = details.status === undefined ? '' : ` (${details.status})`;
    const message = details.statusMessage === undefined ? '' : `: ${details.statusMessage}`;
    super(`${details.operation}: ${details.kind}${status}${message}`, { cause: details.cause });
    this.operation = details.operation;
    this.kind = details.kind;
    this.status = details.status;
    this.statusReason = details.statusReason;
    this.statusMessage = details.statusMessage;
    this.retryAfterMs = details.retryAfterMs;
    this.namespaceTerminating = details.namespaceTerminating ?? false;
  }
}

/** Whether the API server could not be reached at all: that is told once for all, by its outage. */
export function isAway(error: unknown): boolean {
  return error instanceof KubernetesError && error.kind === 'network';
}

/** How long the API server wants to be left alone: it says so when too much comes at once (429, 503). */
export function askedToWaitMs(error: unknown): number {
  return error instanceof KubernetesError ? (error.retryAfterMs ?? 0) : 0;
}

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
 * The error that a reply tells of. `body` is parsed JSON, or undefined when it was none.
 * @param clean takes out of the server's words what must not be repeated
 */
export function errorOfReply(
  operation: string,
  status: number,
  body: unknown,
  retryAfter: string | undefined,
  clean: (words: string) => string = (words) => words,
): KubernetesError {
  const parsed = statusObject.safeParse(body);
  const { reason, message, details } = parsed.success ? parsed.data : { reason: undefined, message: undefined, details: undefined };
  const causes = details?.causes ?? [];
  const seconds = details?.retryAfterSeconds ?? Number(retryAfter);
  return new KubernetesError({
    operation,
    // Another object has this name by now: "metadata.uid: field is immutable".
    kind: status === 422 && causes.some(({ field }) => field === 'metadata.uid') ? 'conflict' : kindOf(status, reason),
    status,
    // A webhook may put anything here. Cut after cleaning: half a secret is found by no search.
    statusReason: reason === undefined ? undefined : clean(reason).slice(0, 100),
    statusMessage: message === undefined ? undefined : clean(message).slice(0, 500),
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
