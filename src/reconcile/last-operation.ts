/** The last change that the cloud accepted: until it shows, an older-looking state means "in progress". */
export interface LastOperation {
  readonly operation: string;
  readonly wanted: string;
  /** The value before, where it is a change of a value. */
  readonly from?: string | undefined;
  /** RFC 3339, policy time. */
  readonly at: string;
  /** The resource was seen at work since: when it is at rest again, the change is over. */
  readonly wasBusy?: boolean | undefined;
}

export const settleMs = 30_000;

/** Whether the cloud accepted exactly this a short while ago, so that a list may not show it yet. */
export function isSettling(last: Partial<LastOperation> | undefined, operation: string, wanted: string, now: number): boolean {
  return last?.operation === operation && last.wanted === wanted && now - Date.parse(last.at ?? '') < settleMs;
}
