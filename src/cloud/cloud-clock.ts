/** What the `Date` headers of replies tell about the cloud's clock. Good to a second, and to the time a reply takes. */
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
