import type { ListPoller } from '../../cloud/list-poller.ts';
import { hasGeneratedName, judge, type ObservedAttempt, type Candidate, type Verdict } from '../record/attempt.ts';
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
  /** The id in status, which only the operator writes. */
  readonly inStatus?: string | undefined;
  readonly list: Pick<ListPoller<T>, 'since' | 'unexplained'>;
  /** Absent for a kind without a GET. */
  readonly get?: ((id: string) => Promise<T>) | undefined;
  readonly candidatesAmong: (resources: Iterable<T>) => readonly Candidate[];
  /** Whether this resource, which the cloud shows without an id, may be the result. */
  readonly mayBeResult: (resource: T) => boolean;
  readonly now: () => number;
  readonly options: RuleOptions;
}

/**
 * Finds out what an attempt created: the id in the Secret, if the cloud agrees; otherwise the conclusion of two agreeing lists.
 * @throws {CloudError} when the cloud cannot be read
 */
export async function resolveAttempt<T>(inquiry: Evidence<T>): Promise<ObservedAttempt> {
  const { attempt, closesAt, inStatus, list, candidatesAmong, mayBeResult, now, options } = inquiry;
  const first = await list.since(now());
  const candidates = candidatesAmong(first.items.values());
  const answered = await storedAnswer(inquiry, candidates, first.begunAt);
  if (answered) return answered;
  const verdict = judge(attempt, candidates);
  // A single resource under a generated name is the result, at any time.
  if (hasGeneratedName(attempt) && verdict.kind === 'one') return { state: 'judged', attempt, verdict };
  const both = await agreed(first, { list, closesAt, conclude: (items) => judge(attempt, candidatesAmong(items)), mayBeResult });
  if (!both) return { state: 'looking', attempt, again: Math.max(closesAt, now() + intervals.forCloudMs) };
  return { state: 'judged', attempt, verdict: besides(both.unidentified, certain(attempt, both.conclusion, options, inStatus)) };
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

/** The verdict, or a question: under a chosen name, another operator or a person may have created the candidate, unless it is the one that status names. */
export function certain(attempt: Attempt, verdict: Verdict, options: RuleOptions, inStatus?: string): Verdict {
  const [first, ...others] = verdict.kind === 'one' ? [verdict.id] : verdict.kind === 'none' ? [] : verdict.ids;
  if (first !== undefined && first === inStatus && others.length === 0) return { kind: 'one', id: first };
  if (verdict.kind !== 'one' || hasGeneratedName(attempt) || isSoleCreator(options)) return verdict;
  return { kind: 'ambiguous', ids: [verdict.id] };
}
