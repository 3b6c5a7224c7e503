const firstMs = 1_000;
const growth = 0.5;
const longestMs = 15_000;
const idleMs = 60_000;
const idleJitter = 0.1;
const longestBackOffMs = 60_000;
const longestDoubtMs = 5_000;

/** How long to wait after a poll for the next, by the age of the operation that is waited for: 1 s, growing by half each time, to 15 s. */
export function progressDelayMs(ageMs: number): number {
  // After waits of 1, 1.5, 2.25 … the age is 2 (1.5^n - 1): each wait is 1 s and half the age.
  return Math.min(longestMs, firstMs + Math.max(0, ageMs) * growth);
}

/** A minute and up to a tenth more, so that many lists do not move in step. */
export function idleDelayMs(random: number): number {
  return idleMs * (1 + idleJitter * random);
}

/** After so many failed polls in a row: 1 s, doubling to a minute, the upper half of it by chance. */
export function failureDelayMs(failures: number, random: number): number {
  const upTo = Math.min(longestBackOffMs, firstMs * 2 ** Math.max(0, failures - 1));
  return upTo * (0.5 + random * 0.5);
}

/** After so many lists in a row that were not believed: 1 s, doubling to 5 s. What seems to be missing from one is often in the next. */
export function doubtDelayMs(doubtfulLists: number): number {
  return Math.min(longestDoubtMs, firstMs * 2 ** Math.max(0, doubtfulLists - 1));
}

/**
 * When a list should be asked for again, given when it was last begun and what is in progress since when. The earliest of all times: the
 * youngest operation wins among those that a poll has seen, and a stream of new ones does not push the next poll away.
 */
export function nextProgressPollMs(lastBegunAt: number, startedAts: Iterable<number>): number | undefined {
  let earliest: number | undefined;
  for (const startedAt of startedAts) {
    const at = Math.max(lastBegunAt, startedAt) + progressDelayMs(lastBegunAt - startedAt);
    earliest = Math.min(earliest ?? at, at);
  }
  return earliest;
}
