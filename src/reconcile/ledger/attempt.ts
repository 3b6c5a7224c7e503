import type { CloudError } from '../../cloud/cloud-error.ts';
import type { Attempt } from '../../resources/ledger-entry.ts';

/**
 * Milliseconds after an attempt before lists can close it. A resource or a refusal closes it at once; otherwise
 * two lists must agree, the second begun after this time.
 */
export const attemptOpenMs = 120_000;

/** Milliseconds after an attempt's `at` in which its request must begin to be written, and after which it is aborted. */
export const sendWithinMs = 10_000;

/** So early that status reports the missing answer within 40 s. */
const attemptTimeoutMs = 35_000;

/** Milliseconds that the request may still take. `begun` is the start of the attempt on the steady clock, in real time. */
export function remainingMs(begun: number): number {
  return Math.max(attemptTimeoutMs - (performance.now() - begun), 1);
}

/**
 * The resources in a list that the create may have made.
 *
 * - `none`: the list shows no such resource
 * - `one`: this resource is the result
 * - `ambiguous`: a user must decide which of the resources is the result, if any
 */
export type Verdict =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly id: string }
  | { readonly kind: 'ambiguous'; readonly ids: readonly string[] };

/**
 * The result of an open create, as far as it is known.
 *
 * - `looking`: a later list may still show the result. `again` is the policy time of the next look
 * - `judged`: lists have shown the result; a verdict without a resource proves that nothing was
 *   created
 * - `unknown`: the cloud cannot be read
 */
export type ObservedAttempt =
  | { readonly state: 'looking'; readonly attempt: Attempt; readonly again: number }
  | { readonly state: 'judged'; readonly attempt: Attempt; readonly verdict: Verdict }
  | {
      readonly state: 'unknown';
      readonly attempt: Attempt;
      readonly error: CloudError | undefined;
    };

/** Whether the attempt may have created the resource of this id: it is unclaimed, and did not exist before under this name. */
export function mayBeNew(
  { sameNameIds }: Attempt,
  id: string,
  isClaimed: (id: string) => boolean,
): boolean {
  return !sameNameIds.includes(id) && !isClaimed(id);
}

/**
 * Decides the result of an attempt. A generated name is unique, so the only resource of that name is the
 * result. Under a chosen name, a resource may have another creator: a user must decide.
 */
export function judge(
  attempt: Attempt,
  items: ReadonlyMap<string, { readonly name?: string | undefined }>,
  isClaimed: (id: string) => boolean,
): Verdict {
  const wanted = attemptName(attempt);
  const ids = [...items]
    .filter(([id, { name }]) => name === wanted && mayBeNew(attempt, id, isClaimed))
    .map(([id]) => id);
  const [first, ...others] = ids;
  if (first === undefined) return { kind: 'none' };
  return hasGeneratedName(attempt) && others.length === 0
    ? { kind: 'one', id: first }
    : { kind: 'ambiguous', ids };
}

/** The name that the create requested; empty if the entry has none. */
export function attemptName(attempt: Attempt): string {
  const name = attempt.request['name'];
  return typeof name === 'string' ? name : '';
}

/** `<metadata.name>-<6 characters of the attempt id>`, within the cloud's limit of 128 characters. */
export function generatedName(prefix: string, attemptId: string): string {
  return `${prefix.slice(0, 121)}-${attemptId.slice(0, 6)}`;
}

/** Whether the name contains part of the attempt's id: then no other creator uses it. */
export function hasGeneratedName(attempt: Attempt): boolean {
  return attemptName(attempt).endsWith(`-${attempt.id.slice(0, 6)}`);
}
