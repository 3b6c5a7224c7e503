import { parseKey, type ResourceKey } from './kubernetes-object.ts';
import type { Priority, Taken } from './work-queue.ts';

interface Place {
  readonly priority: Priority;
  readonly group: string;
  /** When it was added, in real time. */
  readonly since: number;
}

/** Keys that may be worked now. Edits go before resyncs; groups take turns within a class, and namespaces within a group. */
export class ReadyKeys {
  // Maps keep their order: the first group is the next.
  readonly #groups: Readonly<Record<Priority, Map<string, Group>>> = { edit: new Map(), resync: new Map() };
  readonly #places = new Map<ResourceKey, Place>();
  readonly #groupOf: (key: ResourceKey) => string;

  constructor(groupOf: (key: ResourceKey) => string) {
    this.#groupOf = groupOf;
  }

  get size(): number {
    return this.#places.size;
  }

  has(key: ResourceKey): boolean {
    return this.#places.has(key);
  }

  /** @returns whether the key is new or has moved up. A key never moves down. */
  enter(key: ResourceKey, priority: Priority): boolean {
    const known = this.#places.get(key);
    if (known?.priority === 'edit' || known?.priority === priority) return false;
    if (known) this.#leave(key, known);
    const name = this.#groupOf(key);
    const group = this.#groups[priority].get(name) ?? new Group();
    this.#groups[priority].set(name, group);
    group.add(key);
    this.#places.set(key, { priority, group: name, since: known?.since ?? performance.now() });
    return true;
  }

  #leave(key: ResourceKey, { priority, group: name }: Place): void {
    const group = this.#groups[priority].get(name);
    group?.delete(key);
    if (group?.isEmpty) this.#groups[priority].delete(name);
  }

  take(hasRoom: (priority: Priority, group: string) => boolean): (Taken & { readonly since: number }) | undefined {
    for (const priority of ['edit', 'resync'] as const) {
      const groups = this.#groups[priority];
      for (const [name, group] of groups) {
        const key = hasRoom(priority, name) ? group.take() : undefined;
        if (key === undefined) continue;
        // The group moves to the end, so that the other groups are next.
        groups.delete(name);
        if (!group.isEmpty) groups.set(name, group);
        const since = this.#places.get(key)?.since ?? performance.now();
        this.#places.delete(key);
        return { key, priority, group: name, since };
      }
    }
    return undefined;
  }

  clear(): void {
    this.#groups.edit.clear();
    this.#groups.resync.clear();
    this.#places.clear();
  }
}

/** The keys of a group. Namespaces take turns; keys of a namespace keep their order. */
class Group {
  // Maps and sets keep their order.
  readonly #namespaces = new Map<string, Set<ResourceKey>>();

  get isEmpty(): boolean {
    return this.#namespaces.size === 0;
  }

  add(key: ResourceKey): void {
    const namespace = namespaceOf(key);
    const keys = this.#namespaces.get(namespace) ?? new Set();
    this.#namespaces.set(namespace, keys.add(key));
  }

  delete(key: ResourceKey): void {
    const namespace = namespaceOf(key);
    const keys = this.#namespaces.get(namespace);
    keys?.delete(key);
    if (keys?.size === 0) this.#namespaces.delete(namespace);
  }

  take(): ResourceKey | undefined {
    const [first] = this.#namespaces;
    if (!first) return undefined;
    const [namespace, keys] = first;
    const [key] = keys;
    this.#namespaces.delete(namespace);
    if (key === undefined) return undefined;
    keys.delete(key);
    if (keys.size > 0) this.#namespaces.set(namespace, keys);
    return key;
  }
}

function namespaceOf(key: ResourceKey): string {
  return parseKey(key).namespace ?? '';
}
