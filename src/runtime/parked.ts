import { AsyncLocalStorage } from 'node:async_hooks';
import { unlessAborted } from './unless-aborted.ts';

/** The hold of a visit on its worker. */
export interface Hold {
  /** Aborts when the controller ends its visits. */
  readonly signal: AbortSignal;
  /** The visit begins to wait, so its worker is free for other keys. */
  leave(): void;
  /** The visit is about to continue. Resolves once it has a worker again; never rejects. */
  comeBack(): Promise<void>;
  /** Somebody waits for the visit now: it goes on as an edit. */
  hurry(): void;
}

const holds = new AsyncLocalStorage<Hold>();

/** Runs a visit whose worker {@link parked} can set free. */
export function holding<T>(hold: Hold, visit: () => Promise<T>): Promise<T> {
  return holds.run(hold, visit);
}

/** The visit has found work: it goes on as an edit, so that it takes none of the few workers of resyncs. Outside of a visit it does nothing. */
export function goOnAsEdit(): void {
  holds.getStore()?.hurry();
}

/**
 * Lets a visit wait without its worker: other keys are worked meanwhile. After the wait, the visit gets a worker before any key that has not begun. Outside
 * of a visit it is just the promise.
 *
 * Meant for a wait that ends for many visits at once, such as for a list. Not for a place in a queue: without the limit of workers, all keys of one tenant
 * would enter that queue before the first key of another.
 *
 * A stop of the controller ends unfinished waits only: a result that has arrived is not lost.
 * @throws what the promise rejects with, or the reason of the stop
 */
export async function parked<T>(wait: Promise<T>): Promise<T> {
  const hold = holds.getStore();
  if (!hold) return wait;
  hold.leave();
  try {
    return await unlessAborted(wait, hold.signal);
  } finally {
    await hold.comeBack();
  }
}
