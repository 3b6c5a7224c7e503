import type { Learned } from '../situation/learned.ts';
import type { RefusedChange } from '../step/refusal.ts';
import type { ResourceKey } from '../../runtime/index.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** What a process remembers of an object between visits and may forget: losing it costs time, never safety. */
export interface ObjectMemory extends Learned {
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
  /** A DELETE of this id was answered with 404, at this policy time. */
  notFoundOnDelete?: { readonly id: string; readonly at: number };
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

/** What is remembered of an object, for those who only look. */
export type Remembered = Readonly<Omit<ObjectMemory, 'refusals' | 'firstSeen'>> & {
  readonly refusals: ReadonlyMap<string, RefusedChange>;
  readonly firstSeen: ReadonlyMap<string, number>;
};

export interface Memory {
  /** To be changed. */
  of(kind: string, key: ResourceKey): ObjectMemory;
  /** To be read: changes nothing. */
  known(kind: string, key: ResourceKey): Remembered;
  forget(kind: string, key: ResourceKey): void;
}

export function memory(): Memory {
  const objects = new Map<string, ObjectMemory>();
  return {
    of(kind, key) {
      const name = `${kind}/${key}`;
      const known = objects.get(name);
      if (known) return known;
      const fresh = nothing();
      objects.set(name, fresh);
      return fresh;
    },
    known: (kind, key) => objects.get(`${kind}/${key}`) ?? nothing(),
    forget: (kind, key) => void objects.delete(`${kind}/${key}`),
  };
}

function nothing(): ObjectMemory {
  return { failures: 0, refusals: new Map(), firstSeen: new Map() };
}
