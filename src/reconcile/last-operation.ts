/** The last change that the cloud accepted: until it shows, an older-looking state means "in progress". */
export interface LastOperation {
  readonly operation: string;
  readonly wanted: string;
  /** RFC 3339, policy time. */
  readonly at: string;
}

export const settleMs = 30_000;

/** Whether the cloud accepted exactly this a short while ago, so that a list may not show it yet. */
export function isSettling(last: Partial<LastOperation> | undefined, operation: string, wanted: string, now: number): boolean {
  return last?.operation === operation && last.wanted === wanted && now - Date.parse(last.at ?? '') < settleMs;
}
