/** The last change that the cloud accepted: until it shows, an older-looking state means "in progress". */
export interface LastOperation {
  readonly operation: string;
  readonly wanted: string;
  /** The value before, where it is a change of a value. */
  readonly from?: string | undefined;
  /** Policy time. */
  readonly at: number;
  /** The resource was seen at work since: when it is at rest again, the change is over. */
  readonly wasBusy?: boolean | undefined;
}

export const settleMs = 30_000;

/**
 * Whether the cloud accepted exactly this, and nobody has looked late enough to say that it came to nothing.
 * @param asOf policy time of the look that does not show it
 */
export function isSettling(last: LastOperation | undefined, operation: string, wanted: string, asOf: number): boolean {
  return last?.operation === operation && last.wanted === wanted && asOf - last.at < settleMs;
}
