import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import { attemptOpenMs, possibleResults, type ObservedAttempt } from '../record/attempt.ts';
import type { View } from '../process/context.ts';
import { isClaimedBesides } from '../process/claims.ts';
import { firstSeen } from '../situation/learned.ts';
import type { ObservedObject } from './observe-object.ts';
import type { PlaceIn } from './place.ts';
import { resolveAttempt } from './resolve-attempt.ts';

/** Observes an open create, if there is one. */
export async function observeAttempt<T>(
  observed: ObservedObject,
  placeIn: PlaceIn<T>,
  context: View,
): Promise<ObservedAttempt | undefined> {
  const { object, openAttempt: attempt, usable: account } = observed;
  if (!attempt) return undefined;
  const place = account && placeIn(account);
  if (!place) return { state: 'unknown', attempt, error: undefined };
  const { clock, options, claims } = context;
  const { kind } = object;
  const { projectId } = account;
  const { list, candidate } = place;
  const isClaimed = isClaimedBesides(attempt, { kind, projectId }, claims);
  const seen = await orCloudError(
    resolveAttempt({
      attempt,
      // Counted from the first observation by this process, not from the recorded time: the clock behind that time may be wrong.
      closesAt: firstSeen(observed, `attempt ${attempt.id}`) + attemptOpenMs,
      list,
      candidatesAmong(resources) {
        const candidates = [...resources].map((resource) => candidate(resource, attempt));
        return possibleResults(attempt, candidates, isClaimed);
      },
      now: () => clock.now(),
      options,
    }),
  );
  if (!(seen instanceof CloudError)) return seen;
  const isPlaceGone = seen.kind === 'notFound' && (await place.isPlaceGone?.());
  if (!isPlaceGone) return { state: 'unknown', attempt, error: seen };
  // A parent that is gone has no children, and accepts no late requests. A child that was created is lost with it.
  return { state: 'judged', attempt, verdict: { kind: 'none' } };
}
