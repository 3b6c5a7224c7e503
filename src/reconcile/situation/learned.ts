/**
 * What a look at an object adds to what the process remembers of it. `observe` only says so: it changes nothing, and who prints a plan starts no clocks.
 * The pipeline takes it in.
 */
export interface Learned {
  /** When this process first knew of something that is written down or shown, by what it is; policy time. The time beside it may be of a clock that was wrong. */
  firstSeen: Map<string, number>;
  /** The record of the object with this uid, as it was last seen to be sound, or written. */
  record?: { readonly uid: string; readonly text: string };
  /** The text of `requestedAt` that was last looked for, and when; policy time. */
  requestedLook?: { readonly text: string; readonly at: number };
  /** The cloud's word for its state, and since when (policy time) it has been that. */
  state?: { readonly word: string; readonly since: number };
}

/** One look at an object. */
interface Look {
  /** Policy time. */
  readonly now: number;
  readonly learned: Learned;
}

const mostSeen = 200;

/** Since when this process has known of this, in policy time. */
export function firstSeen({ now, learned: { firstSeen: seen } }: Look, what: string): number {
  const since = seen.get(what) ?? now;
  seen.set(what, since);
  const [oldest] = seen.keys();
  if (seen.size > mostSeen && oldest !== undefined) seen.delete(oldest);
  return since;
}

/**
 * When something was written down, in this process's policy time. The clock that it was written by may have been ahead: then it counts as written when
 * this process first saw it, so that nothing waits for as long as that clock was wrong.
 * @param text RFC 3339
 */
export function writtenAt(look: Look, text: string): number {
  const since = firstSeen(look, `written ${text}`);
  const at = Date.parse(text);
  return Number.isNaN(at) ? since : Math.min(at, since);
}
