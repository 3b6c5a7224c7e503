import { backOffMs } from '../../runtime/index.ts';

/**
 * In how long an object is visited again, where nothing may tell that it is time. Policy time, in milliseconds.
 * What a watch or a list of the cloud tells wakes the object sooner.
 */
export const lookAgain = {
  /** Somebody else wrote at the same moment: the watch has told it by then. */
  afterOvertakenMs: 1_000,
  /** A create was not answered: a list that was begun after it tells what came of it. */
  afterUnansweredMs: 1_000,
  /** The cloud accepted a change and does not show it: at least so long is left to it. */
  forEffectMs: 2_000,
  /** What the cloud shows cannot be read, or proves nothing yet: the next list may. */
  forCloudMs: 5_000,
  /** A DELETE of a resource that no list shows is sent again. */
  forUnlistedMs: 10_000,
  /** What may or may not have been made is looked for: lists of minutes tell, not the next one. */
  forTraceMs: 15_000,
  /** An API key is missing, or is still needed: Secrets of users are not watched everywhere. */
  forCredentialsMs: 15_000,
  /** What the spec names is not there or not ready yet: its changes wake whoever names it. */
  forReferenceMs: 30_000,
  /** The cloud is at work: its lists show the progress, unless they cannot be read. */
  forProgressMs: 30_000,
  /** A person has to do something, here or in the cloud. */
  forPersonMs: 60_000,
  /** The longest time that somebody who reads "waiting" or "tried again" has to wait for a visit. */
  atLatestMs: 60_000,
  /** Only a new spec would change anything; also what is Ready is looked at so often. */
  nowAndThenMs: 600_000,
} as const;

const retry = { firstMs: 1_000, longestMs: 300_000 };
export const longestRetryMs = retry.longestMs;

/** What failed is tried again after 1 s, doubling to 5 min, by up to a quarter more. @param random from 0 up to 1 */
export function retryDelayMs(failures: number, random: number): number {
  return backOffMs(failures, retry, random);
}
