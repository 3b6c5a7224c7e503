/** Waits for a promise without occupying a worker. The runtime's `parked` has this shape. */
export type Parked = <T>(wait: Promise<T>) => Promise<T>;

/** A plain wait. */
export const notParked: Parked = (wait) => wait;
