import type { CloudError } from '../../cloud/cloud-error.ts';
import type { Attempt } from './record.ts';

/** A create is closed by a resource, a refusal, or two lists that agree, the second begun this long after the attempt. */
export const attemptOpenMs = 120_000;
/** The request must begin to be written within this time of the attempt's `at`, and is given up at the second. */
export const sendWithinMs = 10_000;
const attemptTimeoutMs = 40_000;
/** How long a request may still take whose attempt was begun at this reading of the steady clock; real time, as all transport deadlines. */
export function remainingMs(begun: number): number {
  return Math.max(attemptTimeoutMs - (performance.now() - begun), 1);
}

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

/** Those that carry the attempt's name, did not exist under it before, and are nobody's. */
export function inQuestion(attempt: Attempt, candidates: readonly Candidate[], isClaimed: (id: string) => boolean): readonly Candidate[] {
  const name = attemptName(attempt);
  return candidates.filter((found) => found.name === name && !attempt.sameNameIds.includes(found.id) && !isClaimed(found.id));
}

/**
 * Which of the resources in question is the attempt's. Only a contradicting field excludes; a missing field never does, nor does a clock. A creation
 * before the attempt, or later than the request was waited for, may still be what came of it: that is for a person to tell. Under a name that is ours
 * alone one resource is exact, whatever became of it since and whatever clocks say.
 */
export function judge(attempt: Attempt, candidates: readonly Candidate[]): Verdict {
  const isOurs = isOursAlone(attempt);
  const possible = candidates.filter((candidate) => isOurs || !candidate.contradicts);
  const [first, ...others] = possible;
  if (!first) return { kind: 'none' };
  if (others.length === 0 && (isOurs || (first.equal && isInTime(attempt, first)))) return { kind: 'one', id: first.id };
  return { kind: 'ambiguous', ids: possible.map(({ id }) => id) };
}

/** Created when the request was on its way, as far as the cloud tells. */
function isInTime({ at }: Attempt, { created }: Candidate): boolean {
  const afterMs = Date.parse(created ?? '') - Date.parse(at);
  return Number.isNaN(afterMs) || (afterMs >= -createdEarlyMs && afterMs <= createdLateMs);
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

/** Whether the attempt's name holds part of its id: then nobody else chooses it. */
export function isOursAlone(attempt: Attempt): boolean {
  return attemptName(attempt).endsWith(`-${attempt.id.slice(0, 6)}`);
}
