import type { Dispatcher } from 'undici';

/** How Kubernetes, or something before it, can say no. */
export type Refusal =
  | 'conflict'
  | 'forbidden'
  | 'webhook'
  | 'tooLarge'
  | 'invalid'
  | 'tooMany'
  | 'broken';

interface Reply {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const refusals: Readonly<Record<Refusal, Reply>> = {
  conflict: {
    status: 409,
    reason: 'Conflict',
    message: 'the object has been modified; please apply your changes to the latest version',
  },
  forbidden: { status: 403, reason: 'Forbidden', message: 'exceeded quota: secrets' },
  webhook: {
    status: 400,
    reason: '',
    message: 'admission webhook "names.example.com" denied the request: not on a Saturday',
  },
  tooLarge: {
    status: 413,
    reason: 'RequestEntityTooLarge',
    message: 'a policy finds it too large',
  },
  invalid: { status: 422, reason: 'Invalid', message: 'a policy finds it not valid' },
  tooMany: {
    status: 429,
    reason: 'TooManyRequests',
    message: 'too many requests',
    headers: { 'retry-after': '1' },
  },
  broken: { status: 500, reason: 'InternalError', message: 'etcdserver: request timed out' },
};

/** Answers a request that never leaves. Not at once: nothing does. */
export async function syntheticReply(
  handler: Dispatcher.DispatchHandler,
  { status, reason, message, headers = {} }: Reply,
): Promise<void> {
  await Promise.resolve();
  const controller = standIn();
  const body = JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason,
    message,
    code: status,
  });
  handler.onRequestStart?.(controller, {});
  handler.onResponseStart?.(
    controller,
    status,
    { 'content-type': 'application/json', ...headers },
    reason,
  );
  handler.onResponseData?.(controller, Buffer.from(body));
  handler.onResponseEnd?.(controller, {});
}

/** For a request that has no socket. */
export function standIn(): Dispatcher.DispatchController {
  return {
    aborted: false,
    paused: false,
    reason: null,
    abort: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
  };
}
