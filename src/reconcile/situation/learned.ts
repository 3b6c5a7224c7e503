import type { RefusedChange } from '../step/outcome.ts';

/**
 * The additions of an observation to the memory of the process. `observe` itself changes no memory, so that printing a plan has no side effects. The pipeline
 * stores them.
 */
export interface Learned {
  /** Policy time at which this process first saw something that is recorded or shown, by its name. The recorded time itself may be of a wrong clock. */
  firstSeen: Map<string, number>;
  /** None, if a user requested a visit: changes that the cloud refused are then requested again. */
  readonly refusals?: ReadonlyMap<string, RefusedChange>;
  /** The last `requestedAt` text that was answered by an observation, and its policy time. */
  requestedVisit?: { readonly text: string; readonly at: number };
  /** The VPC in the spec, and the policy time since which the spec names it. */
  vpc?: { readonly wanted: string; readonly since: number };
}

/** An observation of an object. */
interface Look {
  /** Policy time. */
  readonly now: number;
  readonly learned: Pick<Learned, 'firstSeen'>;
}

const mostSeen = 200;

/** Policy time at which this process first saw this. */
export function firstSeen({ now, learned: { firstSeen: seen } }: Look, what: string): number {
  const since = seen.get(what) ?? now;
  seen.set(what, since);
  const [oldest] = seen.keys();
  if (seen.size > mostSeen && oldest !== undefined) seen.delete(oldest);
  return since;
}

/**
 * A recorded time in the policy time of this process. The clock that wrote it may have been ahead; it then counts as written when this process first saw it.
 * So no wait depends on a wrong clock.
 * @param text RFC 3339
 */
export function writtenAt(look: Look, text: string): number {
  const at = Date.parse(text);
  const first = `written ${text}`;
  // A time that is over when it is first seen cannot be of a clock ahead.
  return at <= look.now && !look.learned.firstSeen.has(first) ? at : Math.min(Number.isNaN(at) ? Infinity : at, firstSeen(look, first));
}
