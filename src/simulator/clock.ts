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
