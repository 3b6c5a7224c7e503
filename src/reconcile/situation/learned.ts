import type { RefusedChange } from '../step/outcome.ts';

/** The additions of an observation to memory. `observe` itself changes no memory, so that printing a plan has no side effects. */
export interface Learned {
  /** Policy time at which this process first saw a recorded or shown fact, by its name. The clock of the recorded time may be wrong. */
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

export function firstSeen({ now, learned: { firstSeen: seen } }: Look, what: string): number {
  const since = seen.get(what) ?? now;
  seen.set(what, since);
  const [oldest] = seen.keys();
  if (seen.size > mostSeen && oldest !== undefined) seen.delete(oldest);
  return since;
}

/**
 * A recorded time in the policy time of this process. If its clock was ahead, the time of this process's first
 * sight counts, so that no wait depends on a wrong clock.
 * @param text RFC 3339
 */
export function writtenAt(look: Look, text: string): number {
  const at = Date.parse(text);
  const first = `written ${text}`;
  // A time that is over when it is first seen cannot be of a clock ahead.
  return at <= look.now && !look.learned.firstSeen.has(first) ? at : Math.min(Number.isNaN(at) ? Infinity : at, firstSeen(look, first));
}
