import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The result of a promise, or the signal's reason as soon as it aborts. undici notices an abort only once a connection
 * is open; with this function the caller of the aborted request, which is never sent, need not wait for that.
 */
export async function unlessAborted<T>(begun: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(reasonOf(signal));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([begun, promise]).finally(() => signal.removeEventListener('abort', abort));
}

/** The reason of an aborted signal, as an error. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new Error('aborted', { cause: signal?.reason });
}

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
