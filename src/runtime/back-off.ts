export interface BackOff {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Largest random addition, as a part of the delay, so that clients do not try in step. Default: a quarter. */
  readonly spread?: number;
}

/**
 * The delay in milliseconds before the next try. It doubles with each failure. Pure.
 * @param failures earlier failures in a row, before the latest failure
 * @param random 0 to 1; 0 where no other client could try at the same moment
 */
export function backOffMs(failures: number, { firstMs, longestMs, spread = 0.25 }: BackOff, random: number): number {
  return Math.min(firstMs * 2 ** failures, longestMs) * (1 + random * spread);
}
