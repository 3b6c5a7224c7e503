import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import {
  attemptOpenMs,
  mayBeResult,
  possibleResults,
  type ObservedAttempt,
  hasGeneratedName,
  judge,
  type Candidate,
  type Verdict,
} from '../record/attempt.ts';
import type { View } from '../process/context.ts';
import { isClaimedBesides } from '../process/claims.ts';
import { firstSeen } from '../situation/learned.ts';
import type { ObservedObject } from './observe-object.ts';
import type { PlaceIn } from './observe-by-id.ts';
import type { ListPoller } from '../../cloud/list-poller.ts';
import type { Attempt } from '../record/record.ts';
import { agreed } from './agreed.ts';
import { isSoleCreator, type RuleOptions } from '../situation/options.ts';
import { intervals } from '../step/intervals.ts';

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
      mayBeResult: (resource) => mayBeResult(attempt, candidate(resource, attempt)),
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

/** The evidence about an attempt. */
export interface Evidence<T> {
  readonly attempt: Attempt;
  /** Policy time after which lists show every request that was sent. */
  readonly closesAt: number;
  readonly list: Pick<ListPoller<T>, 'since' | 'unexplained'>;
  readonly candidatesAmong: (resources: Iterable<T>) => readonly Candidate[];
  /** Whether this resource, which the cloud shows without an id, may be the result. */
  readonly mayBeResult: (resource: T) => boolean;
  readonly now: () => number;
  readonly options: RuleOptions;
}

/**
 * Finds out what an attempt created: the conclusion of two agreeing lists.
 * @throws {CloudError} when the cloud cannot be read
 */
export async function resolveAttempt<T>(inquiry: Evidence<T>): Promise<ObservedAttempt> {
  const { attempt, closesAt, list, candidatesAmong, now, options } = inquiry;
  const first = await list.since(now());
  const candidates = candidatesAmong(first.items.values());
  const verdict = judge(attempt, candidates);
  // A single resource under a generated name is the result, at any time.
  if (hasGeneratedName(attempt) && verdict.kind === 'one') return { state: 'judged', attempt, verdict };
  const both = await agreed(first, {
    list,
    closesAt,
    conclude: (items) => judge(attempt, candidatesAmong(items)),
    mayBeResult: inquiry.mayBeResult,
  });
  if (!both) return { state: 'looking', attempt, again: Math.max(closesAt, now() + intervals.forCloudMs) };
  return { state: 'judged', attempt, verdict: besides(both.unidentified, certain(attempt, both.conclusion, options)) };
}

/** The verdict, or a question: something without an id may be the result as well. */
function besides(unidentified: number, verdict: Verdict): Verdict {
  if (unidentified === 0) return verdict;
  switch (verdict.kind) {
    case 'none':
      return { kind: 'ambiguous', ids: [], unidentified };
    case 'one':
      return { kind: 'ambiguous', ids: [verdict.id], unidentified };
    case 'ambiguous':
    case 'unnamed':
      return { ...verdict, unidentified };
  }
}

/** The verdict, or a question: under a chosen name, another operator or a person may have created the candidate. */
export function certain(attempt: Attempt, verdict: Verdict, options: RuleOptions): Verdict {
  if (verdict.kind !== 'one' || hasGeneratedName(attempt) || isSoleCreator(options)) return verdict;
  return { kind: 'ambiguous', ids: [verdict.id] };
}
