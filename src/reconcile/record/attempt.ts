import type { CloudError } from '../../cloud/cloud-error.ts';
import type { Attempt } from './record.ts';

/**
 * Milliseconds after an attempt before lists can close it. A resource or a refusal closes it at once; otherwise two lists must agree, the second begun after
 * this time.
 */
export const attemptOpenMs = 120_000;
/** Milliseconds after an attempt's `at` in which its request must begin to be written, and after which the request is aborted. */
export const sendWithinMs = 10_000;
/** So early that status tells of the missing answer within 40 s. */
const attemptTimeoutMs = 35_000;
/** Milliseconds that the request of an attempt may still take. `begun` is the start of the attempt on the steady clock, in real time. */
export function remainingMs(begun: number): number {
  return Math.max(attemptTimeoutMs - (performance.now() - begun), 1);
}

/** Tolerance between `created` and `at`: clocks differ a little, and requests take time, also after they were aborted. */
const createdEarlyMs = 5_000;
const createdLateMs = 45_000;

/** A resource in the cloud, compared with the request of an attempt. */
export interface Candidate {
  readonly id: string;
  readonly name: string | undefined;
  /** RFC 3339; undefined if the kind has no such field. */
  readonly created: string | undefined;
  /** An immutable field differs from the request, so this attempt did not create the resource. */
  readonly contradicts: boolean;
  /** Every field of the request that the resource shows has the requested value. */
  readonly equal: boolean;
}

export type Verdict =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly id: string }
  | { readonly kind: 'ambiguous'; readonly ids: readonly string[] }
  /** At least one is shown without a name, so it may be anybody's. */
  | { readonly kind: 'unnamed'; readonly ids: readonly string[] };

/** The observation of an open create. */
export type ObservedAttempt =
  | { readonly state: 'looking'; readonly attempt: Attempt; readonly again: number }
  | { readonly state: 'judged'; readonly attempt: Attempt; readonly verdict: Verdict }
  | { readonly state: 'unknown'; readonly attempt: Attempt; readonly error: CloudError | undefined };

/** Candidates with the attempt's name, or shown without a name, that did not exist before under this name, and that no object claims. */
export function possibleResults(
  attempt: Attempt,
  candidates: readonly Candidate[],
  isClaimed: (id: string) => boolean,
): readonly Candidate[] {
  const name = attemptName(attempt);
  return candidates.filter((found) => mayHaveName(found, name) && mayBeNew(attempt, found.id, isClaimed));
}

/** Whether the attempt may have created the resource of this id: it did not exist before under this name, and no object claims it. */
export function mayBeNew({ sameNameIds }: Attempt, id: string, isClaimed: (id: string) => boolean): boolean {
  return !sameNameIds.includes(id) && !isClaimed(id);
}

/** Whether nothing that the cloud shows of a resource excludes it. Under a generated name no field does: that name is unique. */
function mayBeResult(attempt: Attempt, found: Candidate): boolean {
  const isOurs = hasGeneratedName(attempt) && found.name !== undefined;
  return mayHaveName(found, attemptName(attempt)) && (isOurs || !found.contradicts);
}

/**
 * Decides which candidate the attempt created. Only a contradicting field excludes a candidate; a missing field or a clock never does. A resource that was
 * created before the attempt, or long after it, or is shown without a name, may still be its result, so a user must decide. A generated name is unique: a
 * single candidate under it is the result, whatever its fields and the clocks say.
 */
export function judge(attempt: Attempt, candidates: readonly Candidate[]): Verdict {
  const isOurs = hasGeneratedName(attempt);
  const possible = candidates.filter((found) => mayBeResult(attempt, found));
  const named = possible.filter(({ name }) => name !== undefined);
  const [first, ...others] = isOurs ? named : possible;
  const isFit = first?.name !== undefined && (isOurs || (first.equal && isInTime(attempt, first)));
  if (isFit && others.length === 0) return { kind: 'one', id: first.id };
  if (possible.length === 0) return { kind: 'none' };
  return { kind: named.length < possible.length ? 'unnamed' : 'ambiguous', ids: possible.map(({ id }) => id) };
}

/** Whether the resource has this name as far as the cloud shows it: one that is shown without a name may have any. */
export function mayHaveName({ name }: { readonly name?: string | undefined }, wanted: string): boolean {
  return name === undefined || name === wanted;
}

/** Whether the candidate was created while the request was under way, as far as the cloud reports it. */
function isInTime({ at }: Attempt, { created }: Candidate): boolean {
  const afterMs = Date.parse(created ?? '') - Date.parse(at);
  return Number.isNaN(afterMs) || (afterMs >= -createdEarlyMs && afterMs <= createdLateMs);
}

/** The name in the request of an attempt. */
export function attemptName(attempt: Attempt): string {
  const name = attempt.request['name'];
  return typeof name === 'string' ? name : '';
}

/** A unique name: `<metadata.name>-<6 characters of the attempt id>`, within the cloud's limit of 128 characters. */
export function generatedName(prefix: string, attemptId: string): string {
  return `${prefix.slice(0, 121)}-${attemptId.slice(0, 6)}`;
}

/** Whether the name contains part of the attempt's id: then no other creator uses it. */
export function hasGeneratedName(attempt: Attempt): boolean {
  return attemptName(attempt).endsWith(`-${attempt.id.slice(0, 6)}`);
}
