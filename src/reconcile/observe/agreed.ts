import type { ListPoller, Snapshot } from '../../cloud/list-poller.ts';

/** The evidence of lists about the result of a request that got no answer. */
export interface Evidence<T, V> {
  readonly list: Pick<ListPoller<T>, 'since' | 'unexplained'>;
  /** Policy time after which lists show the result of every request that was sent. */
  readonly closesAt: number;
  readonly conclude: (items: ReadonlyMap<string, T>) => V;
}

/**
 * The conclusion of two agreeing lists, the given one and another, of which both began late enough. Undefined while there is none: a list that may be
 * incomplete proves nothing.
 * @throws {CloudError} when the cloud cannot be read
 */
export async function agreed<T, V>(first: Snapshot<T>, { list, closesAt, conclude }: Evidence<T, V>): Promise<V | undefined> {
  if (first.begunAt < closesAt) return undefined;
  const conclusion = conclude(first.items);
  const second = await list.since(first.begunAt + 1);
  for (const snapshot of [first, second]) if ((await list.unexplained(snapshot)).length > 0) return undefined;
  return JSON.stringify(conclusion) === JSON.stringify(conclude(second.items)) ? conclusion : undefined;
}
