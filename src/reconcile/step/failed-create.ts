import type { WaitOrStall } from './step.ts';
import type { ReconcilingReason, StalledReason } from '../../resources/condition.ts';
import { backOffMs } from '../../runtime/index.ts';

/** The cloud may answer another spec, or another key, differently. */
export interface Question {
  readonly generation?: number | undefined;
  /** The version of the API key in its Secret, as the process knew it; undefined for the operator's own key. */
  readonly credentialsVersion?: string | undefined;
}

/**
 * A create that the cloud refused, or answered unclearly (`waiting` is `ResolvingCreate`). It delays the next
 * create. In status it is `refusal`.
 */
export interface FailedCreate extends Question {
  /** Such answers in a row; 0 once the cause was known and waited for. */
  readonly failures: number;
  /** RFC 3339, policy time. */
  readonly at: string;
  readonly message: string;
  readonly stalled?: StalledReason | undefined;
  readonly waiting?: ReconcilingReason | undefined;
}

const retry = { firstMs: 10_000, longestMs: 600_000 };

/** 10 s, doubling to 10 min. A refusal that only a person can end waits the full ten minutes. */
export function nextCreateInMs({ failures, stalled }: Pick<FailedCreate, 'failures' | 'stalled'>): number {
  if (stalled === 'Rejected') return retry.longestMs;
  return failures === 0 ? 0 : backOffMs(failures - 1, retry, 0);
}

/** @param step the report of the answer, which stays until the next answer */
export function failedCreate(
  { type, reason, message }: WaitOrStall,
  question: Question,
  earlier: FailedCreate | undefined,
  now: number,
): FailedCreate {
  return {
    ...question,
    failures: (earlier?.failures ?? 0) + 1,
    at: new Date(now).toISOString(),
    message,
    ...(type === 'stall' ? { stalled: reason } : { waiting: reason }),
  };
}
