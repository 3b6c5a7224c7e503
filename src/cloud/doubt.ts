import { apartMs } from './absences.ts';
import type { CloudOperation } from './cloud-api.ts';
import { CloudError } from './cloud-error.ts';

/** Longer than the time after which an id that all lists lack is believed to be gone. */
const longestMs = apartMs + 5_000;

export interface Doubt {
  /** The begin of the first list that was not believed. */
  readonly since: number;
  readonly lists: number;
  readonly error: CloudError;
  /** Whether a caller got this error. */
  readonly isReported: boolean;
}

/** The doubt after a further list that lacks this many of the known ids. */
export function doubtAfter(
  earlier: Doubt | undefined,
  { operation, begunAt, open, known }: { operation: CloudOperation; begunAt: number; open: number; known: number },
): Doubt {
  const field = `${open} of ${known} known ids are missing from the list at once`;
  const error = new CloudError({ operation, kind: 'unreadable', sent: true, fromApi: false, field });
  return { since: begunAt, isReported: false, ...earlier, lists: (earlier?.lists ?? 0) + 1, error };
}

export function isTooLong(doubt: Doubt, begunAt: number): boolean {
  return begunAt - doubt.since >= longestMs;
}
