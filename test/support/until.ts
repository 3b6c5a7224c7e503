import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until a condition holds, and returns its result. A failure contains the last observation.
 * @param look undefined or false: not yet
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  describe?: () => unknown,
): Promise<T> {
  const deadline = performance.now() + 30_000;
  for (let looks = 0; ; looks++) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > deadline)
      throw new Error(`waited for ${what} in vain${describe ? `: ${JSON.stringify(await describe(), undefined, 2)}` : ''}`);
    await pause(looks < 10 ? 20 : 50);
  }
}
