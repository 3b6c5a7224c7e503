/** The simulator's time: policy time of whoever runs it. */
export interface Clock {
  now(): number;
}

/** Time that runs `scale` times as fast as the real one, from now on. */
export function scaledClock(scale: number): Clock {
  const startedAt = Date.now();
  const steadyStart = performance.now();
  return { now: () => startedAt + (performance.now() - steadyStart) * scale };
}
