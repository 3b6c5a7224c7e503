/** Waits for the promise, in such a way that whoever waits holds nobody up meanwhile. The runtime's `parked` fits. */
export type Parked = <T>(wait: Promise<T>) => Promise<T>;

/** Just waits. */
export const notParked: Parked = (wait) => wait;
