/** The part of the policy clock that this folder needs. The clock of the runtime has this shape. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs the function once after the delay, unless disposed of before. */
  schedule(delayMs: number, run: () => void): Disposable;
}
