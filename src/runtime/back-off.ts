export interface BackOff {
  readonly firstMs: number;
  readonly longestMs: number;
  /** By which part chance makes it longer at most, so that many do not try in step. Default: a quarter. */
  readonly spread?: number;
}

/**
 * How long to wait before the next try: doubling with each failure. Pure.
 * @param failures in a row before this one
 * @param random 0 to 1; 0 for where nobody else would try at the same moment
 */
export function backOffMs(failures: number, { firstMs, longestMs, spread = 0.25 }: BackOff, random: number): number {
  return Math.min(firstMs * 2 ** failures, longestMs) * (1 + random * spread);
}
