import { backOffMs } from '../../runtime/index.ts';

/**
 * Intervals until the next visit if no event wakes the object, in milliseconds of policy time. Watches and
 * lists of the cloud wake it sooner.
 */
export const intervals = {
  /** Another client wrote at the same time. The watch delivers that write within this time. */
  afterConflictMs: 1_000,
  /** A create got no answer. A list that begins after it shows the result. */
  afterUnansweredMs: 1_000,
  /** The status has the last words of an object, which is released next. */
  beforeReleaseMs: 1_000,
  /** The cloud accepted a change and does not show it yet. It gets at least this time. */
  forEffectMs: 2_000,
  /** The cloud's data cannot be read, or proves nothing yet. The next list may. */
  forCloudMs: 5_000,
  /** Interval for a repeated DELETE of a resource that no list shows. */
  forUnlistedMs: 10_000,
  /** The result of an unanswered request is unknown. Only lists some minutes later show it. */
  forTraceMs: 15_000,
  /** An API key is missing or still needed. Users' Secrets are not watched everywhere. */
  forCredentialsMs: 15_000,
  /** An object in a reference is missing or not ready. Its changes wake the objects that refer to it. */
  forReferenceMs: 30_000,
  /** The cloud is working. Its lists show the progress, unless they cannot be read. */
  forProgressMs: 30_000,
  /** A person must act, in Kubernetes or in the cloud. */
  forPersonMs: 60_000,
  /** The longest wait for a visit after a message such as "waiting" or "tried again". */
  atLatestMs: 60_000,
  /** Held changes begin within this time after an opening, since thousands may wait for the same opening. */
  openingSpreadMs: 60_000,
  /** Only a new spec would change anything. Ready objects are visited at this interval, too. */
  nowAndThenMs: 600_000,
} as const;

const visitRetry = { firstMs: 1_000, longestMs: 300_000 };

/** The longest delay of a retry, in milliseconds. */
export const longestRetryMs = visitRetry.longestMs;

/**
 * The delay of a retry: 1 s, doubling to 5 min, plus up to a quarter.
 * @param random a number from 0 to 1
 */
export function retryDelayMs(failures: number, random: number): number {
  return backOffMs(failures, visitRetry, random);
}
