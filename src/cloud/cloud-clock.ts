/** The cloud's clock, taken from the `Date` headers of replies. Accurate to a second plus the time of a reply. */
export interface CloudClock {
  saw(dateHeader: string | undefined): void;
  /** Milliseconds since the epoch by the cloud's clock; undefined before the first reply with a date. */
  now(): number | undefined;
}

export function cloudClock(now: () => number): CloudClock {
  let aheadMs: number | undefined;
  return {
    saw(dateHeader) {
      const date = Date.parse(dateHeader ?? '');
      if (!Number.isNaN(date)) aheadMs = date - now();
    },
    now: () => (aheadMs === undefined ? undefined : now() + aheadMs),
  };
}
