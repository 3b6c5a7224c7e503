import type { Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { refusalDelayMs } from '../../step/refusal.ts';
import { stall, wait } from '../../step/step.ts';

/** A refused create is tried again later, or at once when the spec has changed. */
export const backOffAfterRefusal: Rule<Situation> = ({ object, identity, cloud, refusedAt, now }) => {
  const { refusal, observedGeneration } = object.status ?? {};
  const isThere = identity.state === 'known' && cloud.state !== 'absent';
  if (isThere || !refusal || refusedAt === undefined || observedGeneration !== object.metadata.generation) return undefined;
  const again = refusedAt + refusalDelayMs(refusal);
  if (now >= again) return undefined;
  return refusal.stalled
    ? stall(refusal.stalled, refusal.message, { retryAfterMs: again - now })
    : wait(refusal.waiting ?? 'WaitingForCloud', refusal.message, { afterMs: again - now });
};
