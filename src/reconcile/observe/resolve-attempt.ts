import type { ListPoller } from '../../cloud/list-poller.ts';
import { hasGeneratedName, judge, type ObservedAttempt, type Candidate, type Verdict } from '../record/attempt.ts';
import type { Attempt } from '../record/record.ts';
import { agreed } from './agreed.ts';
import { isSoleCreator, type RuleOptions } from '../situation/options.ts';
import { intervals } from '../step/intervals.ts';

/** The evidence about an attempt. */
export interface Evidence<T> {
  readonly attempt: Attempt;
  /** Policy time after which lists show every request that was sent. */
  readonly closesAt: number;
  readonly list: Pick<ListPoller<T>, 'since' | 'unexplained'>;
  readonly candidatesAmong: (resources: Iterable<T>) => readonly Candidate[];
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
  const both = await agreed(first, { list, closesAt, conclude: (items) => judge(attempt, candidatesAmong(items)) });
  if (!both) return { state: 'looking', attempt, again: Math.max(closesAt, now() + intervals.forCloudMs) };
  return { state: 'judged', attempt, verdict: certain(attempt, both, options) };
}

/** The verdict, or a question: under a chosen name, another operator or a person may have created the candidate. */
export function certain(attempt: Attempt, verdict: Verdict, options: RuleOptions): Verdict {
  if (verdict.kind !== 'one' || hasGeneratedName(attempt) || isSoleCreator(options)) return verdict;
  return { kind: 'ambiguous', ids: [verdict.id] };
}
