import { isDeepStrictEqual } from 'node:util';
import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import type { ListPoller } from '../../cloud/list-poller.ts';
import { attemptOpenMs, judge, possibleResults, type ObservedAttempt } from '../record/attempt.ts';
import type { Attempt } from '../record/record.ts';
import type { View } from '../process/context.ts';
import { isClaimedBesides } from '../process/claims.ts';
import { firstSeen } from '../situation/learned.ts';
import { intervals } from '../step/intervals.ts';
import type { ObservedObject } from './observe-object.ts';
import type { PlaceIn } from './observe-by-id.ts';

interface Named {
  readonly name?: string | undefined;
}

export async function observeAttempt<T extends Named>(
  observed: ObservedObject,
  placeIn: PlaceIn<T>,
  { clock, claims }: View,
): Promise<ObservedAttempt | undefined> {
  const { object, openAttempt: attempt, usable: account } = observed;
  if (!attempt) return undefined;
  const place = account && placeIn(account);
  if (!place) return { state: 'unknown', attempt, error: undefined };
  const { list } = place;
  const isClaimed = isClaimedBesides(attempt, { kind: object.kind, projectId: account.projectId }, claims);
  // Counted from this process's first observation: the clock behind the recorded time may be wrong.
  const closesAt = firstSeen(observed, `attempt ${attempt.id}`) + attemptOpenMs;
  const seen = await orCloudError(resolveAttempt({ attempt, closesAt, list, isClaimed, now: () => clock.now() }));
  if (!(seen instanceof CloudError)) return seen;
  const isPlaceGone = seen.kind === 'notFound' && (await place.isPlaceGone?.());
  if (!isPlaceGone) return { state: 'unknown', attempt, error: seen };
  // A parent that is gone has no children, and accepts no late requests. A created child is lost with it.
  return { state: 'judged', attempt, verdict: { kind: 'none' } };
}

export interface Evidence<T> {
  readonly attempt: Attempt;
  /** Policy time after which lists show every request that was sent. */
  readonly closesAt: number;
  readonly list: Pick<ListPoller<T>, 'since' | 'unexplained'>;
  readonly isClaimed: (id: string) => boolean;
  readonly now: () => number;
}

/**
 * Finds the result of an attempt: the conclusion of two complete lists that agree, and began late enough.
 * @throws {CloudError} when the cloud cannot be read
 */
export async function resolveAttempt<T extends Named>({ attempt, closesAt, list, isClaimed, now }: Evidence<T>): Promise<ObservedAttempt> {
  const conclude = (items: ReadonlyMap<string, T>) =>
    judge(
      attempt,
      possibleResults(
        attempt,
        [...items].map(([id, { name }]) => ({ id, name })),
        isClaimed,
      ),
    );
  const first = await list.since(now());
  const verdict = conclude(first.items);
  const judged = { state: 'judged', attempt, verdict } as const;
  // A single resource under a generated name is the result, at any time.
  if (verdict.kind === 'one') return judged;
  const looking = { state: 'looking', attempt, again: Math.max(closesAt, now() + intervals.forCloudMs) } as const;
  if (first.begunAt < closesAt) return looking;
  const second = await list.since(first.begunAt + 1);
  // If known resources are missing from a list, so may be the result.
  for (const snapshot of [first, second]) if ((await list.unexplained(snapshot)).length > 0) return looking;
  return isDeepStrictEqual(verdict, conclude(second.items)) ? judged : looking;
}
