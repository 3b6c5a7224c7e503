import type { ListPoller } from '../../cloud/list-poller.ts';
import {
  attemptName,
  hasGeneratedName,
  judge,
  mayHaveName,
  type ObservedAttempt,
  type Candidate,
  type Verdict,
} from '../record/attempt.ts';
import type { Attempt } from '../record/record.ts';
import { agreed } from './agreed.ts';
import { unlessNotFound } from './observe-by-id.ts';
import { isSoleCreator, type RuleOptions } from '../situation/options.ts';
import { intervals } from '../step/intervals.ts';

/** The evidence about an attempt. */
export interface Evidence<T> {
  readonly attempt: Attempt;
  /** Policy time after which lists show every request that was sent. */
  readonly closesAt: number;
  /** The id of this attempt's resource in the connection Secret. */
  readonly stored: string | undefined;
  readonly list: Pick<ListPoller<T>, 'since' | 'unexplained'>;
  /** Absent for a kind without a GET. */
  readonly get?: ((id: string) => Promise<T>) | undefined;
  readonly candidatesAmong: (resources: Iterable<T>) => readonly Candidate[];
  readonly now: () => number;
  readonly options: RuleOptions;
}

/**
 * Finds out what an attempt created: the id in the Secret, if the cloud agrees; otherwise the conclusion of two agreeing lists.
 * @throws {CloudError} when the cloud cannot be read
 */
export async function resolveAttempt<T extends { readonly name?: string | undefined }>(inquiry: Evidence<T>): Promise<ObservedAttempt> {
  const { attempt, closesAt, list, candidatesAmong, now, options } = inquiry;
  const first = await list.since(now());
  const candidates = candidatesAmong(first.items.values());
  const answered = await storedAnswer(inquiry, candidates, first.begunAt);
  if (answered) return answered;
  const verdict = judge(attempt, candidates);
  // A single resource under a generated name is the result, at any time.
  if (hasGeneratedName(attempt) && verdict.kind === 'one') return { state: 'judged', attempt, verdict };
  const mayBeResult = (item: T) => mayHaveName(item, attemptName(attempt));
  const both = await agreed(first, { list, closesAt, conclude: (items) => judge(attempt, candidatesAmong(items)), mayBeResult });
  if (both) return { state: 'judged', attempt, verdict: certain(attempt, both.conclusion, options) };
  const unidentified = first.unidentified.filter(mayBeResult).length;
  const again = Math.max(closesAt, now() + intervals.forCloudMs);
  return { state: 'looking', attempt, again, ...(unidentified === 0 ? {} : { unidentified }) };
}

/**
 * Everybody with the right to write Secrets can make one with an id, so the resource must have the name of this attempt. A resource that is gone by now was
 * created nevertheless: it is lost, and no second one is created.
 */
async function storedAnswer<T>(
  { attempt, stored, get, candidatesAmong, closesAt, now }: Evidence<T>,
  candidates: readonly Candidate[],
  begunAt: number,
): Promise<ObservedAttempt | undefined> {
  if (stored === undefined) return undefined;
  const answer: ObservedAttempt = { state: 'stored', attempt, id: stored };
  const looking: ObservedAttempt = { state: 'looking', attempt, again: now() + intervals.forCloudMs };
  const listed = candidates.find(({ id }) => id === stored);
  if (listed) return listed.name === undefined ? undefined : answer;
  const seen = get && (await unlessNotFound(get(stored)));
  if (seen === undefined) return begunAt < closesAt ? looking : answer;
  const [found] = candidatesAmong([seen]);
  if (!found) return undefined;
  return found.name === undefined ? looking : answer;
}

/** The verdict, or a question: under a chosen name, another operator or a person may have created the candidate. */
export function certain(attempt: Attempt, verdict: Verdict, options: RuleOptions): Verdict {
  if (verdict.kind !== 'one' || hasGeneratedName(attempt) || isSoleCreator(options)) return verdict;
  return { kind: 'ambiguous', ids: [verdict.id] };
}
