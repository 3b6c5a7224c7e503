import { AsyncLocalStorage } from 'node:async_hooks';

const visits = new AsyncLocalStorage<string>();

/** Runs a visit, in which {@link currentVisit} knows what is visited: for those who tell of what a visit does, and are not told by it. */
export function visiting<T>(name: string, visit: () => T): T {
  return visits.run(name, visit);
}

/**
 * What is visited: `ManagedService/shop/orders`; undefined outside of a visit. Timers that a visit sets belong to it, too: whoever shares work among
 * visits must not ask.
 */
export function currentVisit(): string | undefined {
  return visits.getStore();
}
