import { AsyncLocalStorage } from 'node:async_hooks';
import { unlessAborted } from './unless-aborted.ts';

/** A visit's hold on its worker. */
export interface Hold {
  /** Aborts when the controller ends its visits. */
  readonly signal: AbortSignal;
  /** The visit begins to wait: the worker is free for others. */
  leave(): void;
  /** The visit is about to go on. Resolves once it has a worker again; never rejects. */
  comeBack(): Promise<void>;
}

const holds = new AsyncLocalStorage<Hold>();

/** Runs a visit, in which {@link parked} knows its worker. */
export function holding<T>(hold: Hold, visit: () => Promise<T>): Promise<T> {
  return holds.run(hold, visit);
}

/**
 * A wait of a visit, without its worker: other keys are worked meanwhile, and the visit gets a worker again, before any key that has not begun,
 * once the wait is over. Outside of a visit it is just the promise.
 *
 * For waits that end for many visits at once, such as for a list that is on its way. Not for a turn that is given in the order of arrival: without
 * their workers, all keys of one tenant would stand in that line before the first of another.
 *
 * What the wait brings is not lost when the controller stops: only a wait that is not over then ends.
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
