import { setTimeout as pause } from 'node:timers/promises';

/** Of the time waited so far: a look costs the API server a request, and forty tests wait side by side. */
const share = 0.1;
const shortestMs = 20;
const longestMs = 200;

/**
 * Waits until a condition holds, and returns its result. A failure contains the last observation.
 * @param look undefined or false: not yet
 * @param patienceMs the longest time to wait
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  describe?: () => unknown,
  patienceMs = 30_000,
): Promise<T> {
  const begun = performance.now();
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    const waitedMs = performance.now() - begun;
    if (waitedMs > patienceMs)
      throw new Error(
        `waited for ${what} in vain${describe ? `: ${JSON.stringify(await describe(), undefined, 2)}` : ''}`,
      );
    await pause(Math.min(Math.max(waitedMs * share, shortestMs), longestMs));
  }
}
