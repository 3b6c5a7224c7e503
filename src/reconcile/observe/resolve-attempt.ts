import type { ListPoller, Snapshot } from '../../cloud/list-poller.ts';
import { isOursAlone, judge, type AttemptSight, type Candidate, type Verdict } from '../record/attempt.ts';
import type { Attempt } from '../record/record.ts';
import { unlessNotFound } from './sight-by-id.ts';
import { createsAlone, type Policy } from '../situation/policy.ts';
import { lookAgain } from '../step/intervals.ts';

/** Where it is looked for what became of an attempt, and what is known of it. */
export interface Inquiry<T> {
  readonly attempt: Attempt;
  /** Policy time from which on everything that was sent shows. */
  readonly closesAt: number;
  /** The id that the connection Secret says this attempt has made. */
  readonly stored: string | undefined;
  readonly list: Pick<ListPoller<T>, 'since'>;
  /** For a kind that can be asked for one by one. */
  readonly get?: ((id: string) => Promise<T>) | undefined;
  readonly candidatesAmong: (resources: Iterable<T>) => readonly Candidate[];
  /** Whether what this list lacks may be taken as not there. */
  readonly isWhole: (snapshot: Snapshot<T>) => Promise<boolean>;
  readonly now: () => number;
  readonly policy: Policy;
}

/**
 * Finds out what an attempt has made: what the Secret says, as far as the cloud agrees; else what two lists agree on, both begun late enough for
 * everything that was sent to show. A list that may lack something proves nothing.
 * @throws {CloudError} when the cloud cannot be asked
 */
export async function resolveAttempt<T>(inquiry: Inquiry<T>): Promise<AttemptSight> {
  const { attempt, closesAt, list, candidatesAmong, isWhole, now, policy } = inquiry;
  const first = await list.since(now());
  const candidates = candidatesAmong(first.items.values());
  const answered = await storedAnswer(inquiry, candidates, first.begunAt);
  if (answered) return answered;
  const verdict = judge(attempt, candidates);
  // One resource under a name that nobody else would choose is the answer, whenever it is seen.
  if (isOursAlone(attempt) && verdict.kind === 'one') return { state: 'judged', attempt, verdict };
  if (first.begunAt < closesAt) return { state: 'looking', attempt, again: closesAt };
  const second = await list.since(first.begunAt + 1);
  const areWhole = (await isWhole(first)) && (await isWhole(second));
  if (!areWhole || !isSame(verdict, judge(attempt, candidatesAmong(second.items.values()))))
    return { state: 'looking', attempt, again: now() + lookAgain.forCloudMs };
  return { state: 'judged', attempt, verdict: certain(attempt, verdict, policy) };
}

/**
 * Anybody who may write Secrets can make one that names an id: what it names must carry the name that this attempt chose. What is gone by now was made all
 * the same: it is lost, and not a reason to make another.
 */
async function storedAnswer<T>(
  { attempt, stored, get, candidatesAmong, closesAt, now }: Inquiry<T>,
  candidates: readonly Candidate[],
  begunAt: number,
): Promise<AttemptSight | undefined> {
  if (stored === undefined) return undefined;
  const answer: AttemptSight = { state: 'stored', attempt, id: stored };
  if (candidates.some(({ id }) => id === stored)) return answer;
  const seen = get && (await unlessNotFound(get(stored)));
  if (seen !== undefined) return candidatesAmong([seen]).length > 0 ? answer : undefined;
  return begunAt < closesAt ? { state: 'looking', attempt, again: now() + lookAgain.forCloudMs } : answer;
}

function isSame(a: Verdict, b: Verdict): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The same verdict, or a question: under a chosen name another operator, or a person, may have made what looks like ours. */
export function certain(attempt: Attempt, verdict: Verdict, policy: Policy): Verdict {
  if (verdict.kind !== 'one' || isOursAlone(attempt) || createsAlone(policy)) return verdict;
  return { kind: 'ambiguous', ids: [verdict.id] };
}
