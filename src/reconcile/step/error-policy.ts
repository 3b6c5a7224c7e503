import type { CloudError } from '../../cloud/cloud-error.ts';
import type { ReconcilingReason, StalledReason } from '../../resources/condition.ts';
import { intervals } from './intervals.ts';

/** The effect of a failed call on the status of the object. */
export type Consequence =
  | { readonly type: 'stall'; readonly reason: StalledReason; readonly retryAfterMs: number }
  | { readonly type: 'wait'; readonly reason: ReconcilingReason; readonly retryAfterMs: number | undefined };

/** The effect of a cloud error on status and retries. `retryAfterMs` undefined: the back-off of the object applies. */
export function errorPolicy(error: CloudError): Consequence {
  switch (error.kind) {
    case 'invalid':
      return { type: 'stall', reason: 'Rejected', retryAfterMs: intervals.nowAndThenMs };
    case 'unauthorized':
    case 'forbidden':
      return { type: 'stall', reason: 'Unauthorized', retryAfterMs: intervals.forPersonMs };
    case 'notFound':
    case 'conflict':
      return { type: 'wait', reason: 'WaitingForCloud', retryAfterMs: undefined };
    case 'rateLimited':
      // Bounded, however long the key must pause: another key may be used by then.
      return {
        type: 'wait',
        reason: 'RateLimited',
        retryAfterMs: error.retryAfterMs && Math.min(error.retryAfterMs, intervals.forPersonMs),
      };
    case 'unreadable':
      return { type: 'wait', reason: 'UnexpectedReply', retryAfterMs: undefined };
    case 'server':
    case 'network':
    case 'timeout':
    case 'aborted':
      return { type: 'wait', reason: 'CloudUnavailable', retryAfterMs: undefined };
  }
}
