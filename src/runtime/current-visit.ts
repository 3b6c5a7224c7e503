import { AsyncLocalStorage } from 'node:async_hooks';

const visits = new AsyncLocalStorage<string>();

/** Runs a visit with a name that {@link currentVisit} returns. Code below the visit can then name it without a parameter. */
export function visiting<T>(name: string, visit: () => T): T {
  return visits.run(name, visit);
}

/**
 * The name of the current visit, such as `ManagedService/shop/orders`; undefined outside of a visit. Timers that a visit sets inherit its name. So code that
 * shares work among visits must not call this.
 */
export function currentVisit(): string | undefined {
  return visits.getStore();
}
