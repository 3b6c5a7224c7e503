import type { CloudError } from '../cloud/cloud-error.ts';
import type { Attempt } from './record.ts';

/** A create is closed by a resource, a refusal, or two lists that agree, the second begun this long after the attempt. */
export const attemptOpenMs = 120_000;
/** The request must begin to be written within this time of the attempt's `at`, and is given up at the second. */
export const sendWithinMs = 10_000;
export const attemptTimeoutMs = 40_000;
/** `created` may lie this far from `at`: clocks differ by a little, requests take their time. */
const createdEarlyMs = 5_000;
const createdLateMs = attemptTimeoutMs + 5_000;

/** A resource in the cloud that may be what an attempt has made. */
export interface Candidate {
  readonly id: string;
  readonly name: string | undefined;
  /** RFC 3339, where the kind has it. */
  readonly created: string | undefined;
  /** A field that cannot change is there and differs from the request: it cannot be ours. */
  readonly contradicts: boolean;
  /** Every field of the request that the resource shows has the requested value. */
  readonly equal: boolean;
}

export type Verdict =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly id: string }
  | { readonly kind: 'ambiguous'; readonly ids: readonly string[] };

/** What is known of an open create. */
export type AttemptSight =
  /** The connection Secret, written between the answer and the record, carries the attempt and the id. */
  | { readonly state: 'stored'; readonly attempt: Attempt; readonly id: string }
  | { readonly state: 'looking'; readonly attempt: Attempt; readonly again: number }
  | { readonly state: 'judged'; readonly attempt: Attempt; readonly verdict: Verdict }
  | { readonly state: 'unknown'; readonly attempt: Attempt; readonly error: CloudError | undefined };

/**
 * Which of the resources is the attempt's. Only a different name, an earlier or claimed id, a creation time outside the attempt's window or
 * a contradicting field excludes; a missing field never does.
 * @param nameIsOursAlone the name holds part of the attempt's id: then one resource of that name is exact, whatever became of it since and
 * whatever clocks say
 */
export function judge(
  attempt: Attempt,
  name: string,
  nameIsOursAlone: boolean,
  candidates: readonly Candidate[],
  isClaimed: (id: string) => boolean,
): Verdict {
  const possible = candidates.filter(
    (candidate) =>
      candidate.name === name &&
      !attempt.sameNameIds.includes(candidate.id) &&
      !isClaimed(candidate.id) &&
      (nameIsOursAlone || (!candidate.contradicts && createdInWindow(attempt, candidate.created))),
  );
  const [first, ...others] = possible;
  if (!first) return { kind: 'none' };
  if (others.length === 0 && (nameIsOursAlone || first.equal)) return { kind: 'one', id: first.id };
  return { kind: 'ambiguous', ids: possible.map(({ id }) => id) };
}

function createdInWindow(attempt: Attempt, created: string | undefined): boolean {
  const createdAt = created === undefined ? Number.NaN : Date.parse(created);
  if (Number.isNaN(createdAt)) return true;
  const at = Date.parse(attempt.at);
  return createdAt >= at - createdEarlyMs && createdAt <= at + createdLateMs;
}

/** The name under which an attempt asks for a resource. */
export function attemptName(attempt: Attempt): string {
  const name = attempt.request['name'];
  return typeof name === 'string' ? name : '';
}

/** `<metadata.name>-<6 characters of the attempt id>`, within the 128 characters that the cloud takes. */
export function nameOfOurs(prefix: string, attemptId: string): string {
  return `${prefix.slice(0, 121)}-${attemptId.slice(0, 6)}`;
}
