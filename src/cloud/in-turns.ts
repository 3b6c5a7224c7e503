import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds for which a long calculation may hold the event loop. */
const turnMs = 5;
/** The clock is read after so many items. Shorter work takes a single turn. */
const partSize = 50;

/**
 * Works on the items in order, and lets other work have its turns between them.
 * @throws each error of the work or the iteration
 */
export async function inTurns<T>(
  items: Iterable<T>,
  work: (item: T, index: number) => void,
): Promise<void> {
  let begunAt = performance.now();
  let index = 0;
  for (const item of items) {
    work(item, index);
    index += 1;
    if (index % partSize !== 0 || performance.now() - begunAt < turnMs) continue;
    await nextTurn();
    begunAt = performance.now();
  }
}
