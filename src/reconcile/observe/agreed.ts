import type { ListPoller, Snapshot } from '../../cloud/list-poller.ts';

/** The evidence of lists about the result of a request that got no answer. */
export interface Evidence<T, V> {
  readonly list: Pick<ListPoller<T>, 'since' | 'unexplained'>;
  /** Policy time after which lists show the result of every request that was sent. */
  readonly closesAt: number;
  readonly conclude: (items: Iterable<T>) => V;
  /** Whether this item without an id may be the result. */
  readonly mayBeResult: (item: T) => boolean;
}

/**
 * The conclusion of two agreeing lists, the given one and another, of which both began late enough. Undefined while there is none: a list that may be
 * incomplete proves nothing. `unidentified`: the number of items without an id that may be the result all the same.
 * @throws {CloudError} when the cloud cannot be read
 */
export async function agreed<T, V>(
  first: Snapshot<T>,
  { list, closesAt, conclude, mayBeResult: unidentified }: Evidence<T, V>,
): Promise<{ readonly conclusion: V; readonly unidentified: number } | undefined> {
  if (first.begunAt < closesAt) return undefined;
  const conclusion = conclude(first.items.values());
  const second = await list.since(first.begunAt + 1);
  const unexplained = [await list.unexplained(first, { unidentified }), await list.unexplained(second, { unidentified })];
  if (unexplained.some(({ missing }) => missing.length > 0)) return undefined;
  if (JSON.stringify(conclusion) !== JSON.stringify(conclude(second.items.values()))) return undefined;
  return { conclusion, unidentified: Math.max(...unexplained.map((each) => each.unidentified)) };
}
