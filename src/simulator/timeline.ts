/** Each version of a resource holds from its time on; without a value, the resource does not exist. */
export interface Timeline<T> {
  /** Undefined before its creation and after its deletion. */
  at(time: number): T | undefined;
  /** Replaces the future: each step changes the result of the previous step; undefined deletes the resource. */
  plan(now: number, steps: readonly Step<T>[]): void;
}

export interface Step<T> {
  readonly afterMs: number;
  readonly change: (before: T) => T | undefined;
}

interface Version<T> {
  readonly from: number;
  readonly value: T | undefined;
}

/** Milliseconds of the past that are kept, for lists that lag. */
export const rememberMs = 600_000;

export function timeline<T>(madeAt: number, first: T): Timeline<T> {
  let versions: Version<T>[] = [{ from: madeAt, value: first }];
  const at = (time: number) => versions.findLast(({ from }) => from <= time)?.value;
  return {
    at,
    plan(now, steps) {
      const current = at(now);
      if (current === undefined) return;
      const past = versions.filter(({ from }) => from <= now);
      const recent = past.findLastIndex(({ from }) => from < now - rememberMs);
      versions = past.slice(Math.max(recent, 0));
      let value: T | undefined = current;
      for (const { afterMs, change } of steps) {
        if (value === undefined) return;
        value = change(value);
        versions.push({ from: now + afterMs, value });
      }
    },
  };
}

/** The simulator's time: the policy time of its user. */
export interface Clock {
  now(): number;
}

/** Starts at the current time and runs `scale` times as fast. */
export function scaledClock(scale: number): Clock {
  const startedAt = Date.now();
  const steadyStart = performance.now();
  return { now: () => startedAt + (performance.now() - steadyStart) * scale };
}
