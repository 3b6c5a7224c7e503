const maxRetryAfterMs = 3_600_000;

/**
 * Milliseconds that a `Retry-After` header asks to wait: seconds, or an HTTP date that is compared with the reply's own
 * `Date`. At most an hour, so that a wrong header does not silence a key for good. Undefined without a readable header.
 */
export function retryAfterMs(header: string | undefined, date: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const wait = /^\d+(\.\d+)?$/u.test(text) ? Number(text) * 1_000 : Date.parse(text) - (Date.parse(date ?? '') || Date.now());
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, Math.ceil(wait)), maxRetryAfterMs);
}
