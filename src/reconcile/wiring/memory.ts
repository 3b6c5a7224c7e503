import type { Learned } from '../situation/situation.ts';
import type { RefusedChange } from '../step/outcome.ts';
import type { ResourceKey } from '../../runtime/index.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/**
 * The memory of a process about an object between visits, which only `publish` writes. Losing it costs time, never safety. Empty values are
 * shared: there are thousands of objects.
 */
export interface ObjectMemory extends OrUndefined<Omit<Learned, 'firstSeen'>> {
  /** The id of the resource that requests and results are about. Undefined before there was a resource. */
  resource?: string | undefined;
  firstSeen: ReadonlyMap<string, number>;
  failures: number;
  /** Policy time of the first visit in the present row of visits that learned nothing, or could not write. */
  waitingSince?: number | undefined;
  /** Policy time of the first visit that saw the cloud's present work. */
  unreportedSince?: number | undefined;
  /** Policy time of the first visit in the present row of failed visits, including visits whose status write is outdated. */
  failingSince?: number | undefined;
  /** Policy time of the last unclear answer. The change may have been carried out: nothing is sent before a later observation. */
  unclearAt?: number | undefined;
  /** The last change that the cloud accepted, in case its status write fails. */
  accepted?: NonNullable<ManagedObject['status']>['lastOperation'] | undefined;
  /** Policy time of a password call without an answer. The cloud may still carry it out. */
  passwordUnansweredAt?: number | undefined;
  /** The resourceVersion of the ledger entry whose next password this process wrote, and has not sent. */
  neverSent?: string | undefined;
  /** Changes that the cloud refused, by {@link refusalKey}. */
  refusals: ReadonlyMap<string, RefusedChange>;
  /**
   * The annotations that this process removed, by `annotationKey`: it removes none of them twice. It forgets an approval with the
   * next request of the operation.
   */
  removedAnnotations?: ReadonlySet<string> | undefined;
  /** The values in the cloud when all was as wanted, with no change of the operator under way. A difference is drift. */
  asWanted?: Readonly<Record<string, unknown>> | undefined;
}

type OrUndefined<T> = { [K in keyof T]?: T[K] | undefined };

/** The memory of an object, for a reader that changes nothing. */
export type Remembered = Readonly<ObjectMemory>;

/** The memory of a process about all objects. */
export interface Memory {
  of(kind: string, key: ResourceKey): ObjectMemory;
  /** Creates nothing. */
  known(kind: string, key: ResourceKey): Remembered;
  forget(kind: string, key: ResourceKey): void;
  /**
   * Forgets an object as a restart of the process does. A request that was sent before counts as a request
   * without an answer: earlier lists do not show its effect.
   */
  restart(kind: string, key: ResourceKey, now: number): void;
}

/** Makes the empty memory of a new process. */
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
    restart: (kind, key, now) =>
      void objects.set(`${kind}/${key}`, { ...nothing(), unclearAt: now }),
  };
}

/**
 * The memory for a visit to an object with this resource. Requests about another resource, whose place this one took,
 * and their results do not apply to it. (docs/safety.md, Changing) Pure.
 */
export function memoryAbout(known: Remembered, id: string | undefined): Remembered {
  if (id === undefined || known.resource === undefined || known.resource === id) return known;
  return {
    ...known,
    resource: id,
    refusals: empty,
    accepted: undefined,
    removedAnnotations: undefined,
    asWanted: undefined,
    passwordUnansweredAt: undefined,
    neverSent: undefined,
  };
}

/** Shared by all objects without values. */
export const empty: ReadonlyMap<string, never> = new Map<string, never>();

/** The shared empty map in place of an own empty map. */
export function orEmpty<T>(map: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return map.size === 0 ? empty : map;
}

function nothing(): ObjectMemory {
  return { failures: 0, firstSeen: empty, refusals: empty };
}
