import type { WaitOrStall } from './step.ts';
import { isReason, type ReconcilingReason, type StalledReason } from '../../resources/condition.ts';
import { backOffMs } from '../../runtime/index.ts';

/**
 * A create that the cloud refused, or answered unclearly (`waiting` is `ResolvingCreate`). It delays the next
 * create. In status it is `refusal`.
 */
export interface FailedCreate {
  /** The cloud may answer another spec differently. */
  readonly generation?: number | undefined;
  /** Such answers in a row. */
  readonly failures: number;
  /** RFC 3339, policy time. */
  readonly at: string;
  readonly message: string;
  readonly stalled?: StalledReason | undefined;
  readonly waiting?: ReconcilingReason | undefined;
}

const createRetry = { firstMs: 10_000, longestMs: 600_000 };

/** 10 s, doubling to 10 min. A refusal that only a person can end waits the full ten minutes. */
export function nextCreateInMs({
  failures,
  stalled,
}: Pick<FailedCreate, 'failures' | 'stalled'>): number {
  if (isReason(stalled, 'Rejected')) return createRetry.longestMs;
  return backOffMs(failures - 1, createRetry, 0);
}

/**
 * The failed create after another answer of the cloud. The time until the next create grows with
 * each answer.
 * @param step the report of the answer, which stays until the next answer
 */
export function failedCreate(
  { type, reason, message }: WaitOrStall,
  generation: number,
  earlier: FailedCreate | undefined,
  now: number,
): FailedCreate {
  return {
    generation,
    failures: (earlier?.failures ?? 0) + 1,
    at: new Date(now).toISOString(),
    message,
    ...(type === 'stall' ? { stalled: reason } : { waiting: reason }),
  };
}
