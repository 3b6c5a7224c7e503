import type { CloudError } from './cloud-error.ts';

/** A failure so long ago, without a poll since, says nothing about the present. */
const staleMs = 120_000;

/** The last of the failed polls in a row, in policy time. */
export interface PollFailure {
  readonly error: CloudError;
  /** The begin of the first failed poll. */
  readonly since: number;
  /** The end of the last failed poll. */
  readonly at: number;
}

/** Undefined if the last failure is too old. */
export function failingSince(failure: PollFailure | undefined, now: number): number | undefined {
  return failure && now - failure.at <= staleMs ? failure.since : undefined;
}

/** The failure after a further poll that began at this time. */
export function failureAfter(earlier: PollFailure | undefined, error: CloudError, begunAt: number, now: number): PollFailure {
  return { error, since: failingSince(earlier, now) ?? begunAt, at: now };
}
