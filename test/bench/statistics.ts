/** @throws {RangeError} when there is nothing */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined)
    throw new RangeError('there is no median of nothing');
  return (lower + upper) / 2;
}

/** The median of the ratios of each round, not the ratio of the medians: a slow machine slows down both parts of a round. */
export function medianOfRatios(
  rounds: readonly { readonly value: number; readonly of: number }[],
): number {
  return median(rounds.map(({ value, of }) => value / of));
}

/** The smallest value that this share of all values does not exceed. @param share above 0, at most 1 @throws {RangeError} when there is nothing */
export function quantile(values: readonly number[], share: number): number {
  const found = values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1];
  if (found === undefined) throw new RangeError('there is no quantile of nothing');
  return found;
}
