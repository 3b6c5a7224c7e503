import type { Unexplained } from '../../cloud/list-poller.ts';

/** Why a list does not say that something does not exist. */
export function describeUnexplained({ missing, unidentified }: Unexplained, list = "the cloud's list"): string {
  const lacks = `lacks ${missing.join(', ')}, and the cloud does not say that it is gone`;
  const shows = `shows ${withoutId(unidentified)}, which may be it`;
  return `${list} ${[...(missing.length > 0 ? [lacks] : []), ...(unidentified > 0 ? [shows] : [])].join('; it ')}`;
}

/** Resources that the cloud shows without an id, so that nothing can be said of one of them. */
export function withoutId(count: number): string {
  return count === 1 ? 'an item without an id' : `${count} items without an id`;
}

/** The end of a sentence about a resource that is missing, and that an item without an id may be. */
export const orUnidentified =
  ": the cloud's list shows an item without an id, which may be it; ten minutes of such lists count as its absence";
