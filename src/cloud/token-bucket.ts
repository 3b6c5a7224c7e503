import type { CallPriority } from './cloud-api.ts';

/** Tokens at a moment. Pure data. */
export interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

export interface BucketSize {
  readonly perSecond: number;
  readonly burst: number;
}

/** The bucket with the tokens since then. A clock that went back adds none. */
export function refilled({ tokens, atMs }: Bucket, nowMs: number, { perSecond, burst }: BucketSize): Bucket {
  const passedMs = Math.max(0, nowMs - atMs);
  return { tokens: Math.min(burst, tokens + (passedMs * perSecond) / 1_000), atMs: nowMs };
}

/** Milliseconds until there is a whole token. */
export function untilNextTokenMs({ tokens }: Bucket, { perSecond }: BucketSize): number {
  return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 1_000) / perSecond);
}

/** At least 1 token in this many goes to a read, however many changes wait. */
const readEvery = 5;

/** The priority that gets the next token. `sinceRead`: tokens for changes since a read got a token or began to wait. */
export function nextTurn(isWaiting: (priority: CallPriority) => boolean, sinceRead: number): CallPriority | undefined {
  if (isWaiting('read') && sinceRead >= readEvery - 1) return 'read';
  return (['edit', 'resync', 'read'] as const).find(isWaiting);
}
