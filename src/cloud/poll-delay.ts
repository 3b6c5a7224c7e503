const firstMs = 1_000;
const growth = 0.5;
const longestMs = 15_000;
const idleMs = 60_000;
const idleJitter = 0.1;
const longestBackOffMs = 60_000;
const longestDoubtMs = 5_000;

/** By the age of the operation: 1 s, growing by half each time, to 15 s. */
export function progressDelayMs(ageMs: number): number {
  // After delays of 1, 1.5, 2.25 … the age is 2 (1.5^n - 1). So each delay is 1 s plus half the age.
  return Math.min(longestMs, firstMs + Math.max(0, ageMs) * growth);
}

/** A minute plus up to a tenth, so that many lists are not polled in step. */
export function idleDelayMs(random: number): number {
  return idleMs * (1 + idleJitter * random);
}

/** 1 s, doubling to a minute. Half of it is random. */
export function failureDelayMs(failures: number, random: number): number {
  const upTo = Math.min(longestBackOffMs, firstMs * 2 ** Math.max(0, failures - 1));
  return upTo * (0.5 + random * 0.5);
}

/** 1 s, doubling to 5 s. The next list often has an id that the last list lacked. */
export function doubtDelayMs(doubtfulLists: number): number {
  return Math.min(longestDoubtMs, firstMs * 2 ** Math.max(0, doubtfulLists - 1));
}

/**
 * The time of the next poll while the cloud works, from the begins of the last poll and the operations. The earliest
 * time counts: the youngest polled operation decides, and new operations do not postpone the poll.
 */
export function nextProgressPollMs(lastBegunAt: number, startedAts: Iterable<number>): number | undefined {
  let earliest: number | undefined;
  for (const startedAt of startedAts) {
    const at = Math.max(lastBegunAt, startedAt) + progressDelayMs(lastBegunAt - startedAt);
    earliest = Math.min(earliest ?? at, at);
  }
  return earliest;
}
