import type { ResourceKey } from '../runtime/kubernetes-object.ts';

/** What a process remembers of an object between visits and may forget: losing it costs time, never safety. */
export interface ObjectMemory {
  /** Failed visits in a row, for the back-off. */
  failures: number;
  /** A DELETE of this id was answered with 404, at this policy time. */
  notFoundOnDelete?: { readonly id: string; readonly at: number };
  /** A list begun at this policy time lacked a replica set, and so has every one since. */
  missingSince?: number;
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
      const fresh: ObjectMemory = { failures: 0 };
      objects.set(name, fresh);
      return fresh;
    },
    forget: (kind, key) => void objects.delete(`${kind}/${key}`),
  };
}
