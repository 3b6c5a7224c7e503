import type { RefusedChange } from '../step/refusal.ts';
import type { ResourceKey } from '../../runtime/index.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** What a process remembers of an object between visits and may forget: losing it costs time, never safety. */
export interface ObjectMemory {
  /** Failed visits in a row, for the back-off. */
  failures: number;
  /** Policy time at which the first of the visits was begun that have learned nothing, or could not write, since. */
  waitingSince?: number;
  /** Policy time of the first of the visits that have seen the cloud at work since. */
  untoldSince?: number;
  /** Policy time of the first of the visits whose status was overtaken since. */
  overtakenSince?: number;
  /** Policy time of the last answer that was not a clear no: it may have been carried out, and nothing is sent before a look that began later. */
  unclearAt?: number;
  /** The last change that the cloud accepted, should status not take it. */
  accepted?: NonNullable<ManagedObject['status']>['lastOperation'];
  /** The text of `requestedAt` that was last looked for, and when; policy time. */
  requestedLook?: { readonly text: string; readonly at: number };
  /** A DELETE of this id was answered with 404, at this policy time. */
  notFoundOnDelete?: { readonly id: string; readonly at: number };
  /** The cloud's word for its state, and since when (policy time) it has been that. */
  state?: { readonly word: string; readonly since: number };
  /** A call that set the password was not answered, at this policy time: it may still be carried out. */
  passwordUnansweredAt?: number;
  /** uid of the object that was let go, or is about to be. */
  releasedUid?: string;
  /** The `external-id` that was told to have no effect. */
  uselessAdoption?: string;
  /** The password on its way that was last worked with. */
  pending?: PendingPassword;
  /** Changes that the cloud refused, by {@link refusalKey}. */
  readonly refusals: Map<string, RefusedChange>;
  /** The record of the object with this uid, as this process last wrote it or saw it to be sound. */
  record?: { readonly uid: string; readonly text: string };
  /** When this process first knew of something that is written down, by what it is; policy time. The time beside it may be of a clock that was wrong. */
  readonly firstSeen: Map<string, number>;
  /** What the cloud showed when all was as wanted, while nothing of ours was under way since: what differs from it, somebody else changed. */
  asWanted?: Readonly<Record<string, unknown>>;
}

export interface PendingPassword {
  /** Of the pending Secret. */
  readonly uid: string;
  readonly origin: string;
  /** `taken`: the cloud answered with success. `perhaps`: it may have arrived, and may be the cloud's by now. */
  readonly isSent: 'no' | 'perhaps' | 'taken';
}

export interface Memory {
  of(kind: string, key: ResourceKey): ObjectMemory;
  forget(kind: string, key: ResourceKey): void;
}

export function memory(): Memory {
  const objects = new Map<string, ObjectMemory>();
  return {
    of(kind, key) {
      const name = `${kind}/${key}`;
      const known = objects.get(name);
      if (known) return known;
      const fresh: ObjectMemory = { failures: 0, refusals: new Map(), firstSeen: new Map() };
      objects.set(name, fresh);
      return fresh;
    },
    forget: (kind, key) => void objects.delete(`${kind}/${key}`),
  };
}

/** Since when this process has known of this, in policy time. */
export function firstSeen({ firstSeen: seen }: ObjectMemory, what: string, now: number): number {
  const since = seen.get(what) ?? now;
  seen.set(what, since);
  const [oldest] = seen.keys();
  if (seen.size > mostSeen && oldest !== undefined) seen.delete(oldest);
  return since;
}

const mostSeen = 200;

/**
 * When something was written down, in this process's policy time. The clock that it was written by may have been ahead: then it counts as written when
 * this process first saw it, so that nothing waits for as long as that clock was wrong.
 * @param text RFC 3339
 */
export function writtenAt(known: ObjectMemory, text: string, now: number): number {
  const since = firstSeen(known, `written ${text}`, now);
  const at = Date.parse(text);
  return Number.isNaN(at) ? since : Math.min(at, since);
}
