import { AsyncLocalStorage } from 'node:async_hooks';
import { unlessAborted } from './unless-aborted.ts';

interface Visit {
  readonly name: string;
  /** Aborts when the controller ends its visits. */
  readonly signal: AbortSignal;
}

const visits = new AsyncLocalStorage<Visit>();

/** Runs a visit, so that code below it knows its name and its end. */
export function visiting<T>(visit: Visit, run: () => T): T {
  return visits.run(visit, run);
}

/**
 * The name of the current visit, such as `ManagedService/shop/orders`; undefined outside of a visit. Timers of a visit
 * inherit its name: code that shares work among visits must not call this.
 */
export function currentVisit(): string | undefined {
  return visits.getStore()?.name;
}

/**
 * The result of a wait, which the stop of the controller ends. For a wait that many visits share, and that takes no
 * signal of a single visit. Outside of a visit it is just the promise.
 * @throws the rejection of the promise, or the reason of the stop
 */
export function untilStopped<T>(wait: Promise<T>): Promise<T> {
  const visit = visits.getStore();
  return visit ? unlessAborted(wait, visit.signal) : wait;
}
