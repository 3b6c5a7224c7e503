/** The policy clock, as far as this folder needs it. The runtime's clock fits. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs once after the delay, unless disposed of before. */
  schedule(delayMs: number, run: () => void): Disposable;
}
