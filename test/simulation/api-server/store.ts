import type { Kind } from './kinds.ts';
import type { StoredObject } from './stored-object.ts';

/** A write that the server carried out. */
export interface Change {
  readonly revision: number;
  readonly kind: Kind;
  /** Undefined: the object is new. */
  readonly before: StoredObject | undefined;
  /** Undefined: the object is gone. */
  readonly after: StoredObject | undefined;
}

/** The first revision: an earlier resourceVersion is always too old. */
const firstRevision = 100;

interface Follower {
  /** The follower knows all changes up to this revision. */
  readonly from: number;
  readonly take: (change: Change) => void;
}

/** The objects of the server, their revision, and the history for watches. */
export class Store {
  #revision = firstRevision;
  #compacted = firstRevision;
  readonly #objects = new Map<Kind, Map<string, StoredObject>>();
  readonly #history = new Map<Kind, Change[]>();
  readonly #followers = new Map<Kind, Set<Follower>>();
  /** The changes that not all followers have: a follower may make a change, or begin to follow. */
  readonly #untold: Change[] = [];
  #isTelling = false;

  /** The revision of the last write. */
  get revision(): number {
    return this.#revision;
  }

  /** A watch that begins before this revision is refused: its history is forgotten. */
  get compacted(): number {
    return this.#compacted;
  }

  get(kind: Kind, key: string): StoredObject | undefined {
    return this.#objects.get(kind)?.get(key);
  }

  /** All objects of a kind in the order of their keys, as the server lists them. */
  all(kind: Kind): readonly StoredObject[] {
    return [...(this.#objects.get(kind) ?? [])]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, object]) => object);
  }

  /** Stores an object under a new resourceVersion, and returns it with this version. */
  put(kind: Kind, key: string, object: StoredObject): StoredObject {
    const objects = this.#objects.get(kind) ?? new Map<string, StoredObject>();
    const before = objects.get(key);
    this.#revision += 1;
    const after = atRevision(object, this.#revision);
    this.#objects.set(kind, objects.set(key, after));
    this.#tell({ revision: this.#revision, kind, before, after });
    return after;
  }

  /** Removes an object. Nothing happens without such an object. */
  remove(kind: Kind, key: string): void {
    const before = this.get(kind, key);
    if (!before) return;
    this.#objects.get(kind)?.delete(key);
    this.#revision += 1;
    this.#tell({ revision: this.#revision, kind, before, after: undefined });
  }

  /** The changes of a kind after a revision. */
  since(kind: Kind, revision: number): readonly Change[] {
    return (this.#history.get(kind) ?? []).filter((change) => change.revision > revision);
  }

  /** Calls `take` with each later change of a kind, in order, until the returned function is called. */
  follow(kind: Kind, take: (change: Change) => void): () => void {
    const followers = this.#followers.get(kind) ?? new Set<Follower>();
    const follower = { from: this.#revision, take };
    this.#followers.set(kind, followers.add(follower));
    return () => void followers.delete(follower);
  }

  /** Forgets the history up to a write of another kind: every earlier version is too old. */
  compact(): void {
    this.#revision += 1;
    this.#compacted = this.#revision;
    this.#history.clear();
  }

  #tell(change: Change): void {
    const history = this.#history.get(change.kind) ?? [];
    history.push(change);
    this.#history.set(change.kind, history);
    this.#untold.push(change);
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      for (let next = this.#untold.shift(); next; next = this.#untold.shift())
        for (const { from, take } of this.#followers.get(next.kind) ?? [])
          if (next.revision > from) take(next);
    } finally {
      this.#isTelling = false;
    }
  }
}

/** The object with another resourceVersion. */
export function atRevision(object: StoredObject, revision: number): StoredObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
