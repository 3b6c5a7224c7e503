import { parseKey, type ResourceKey } from './kubernetes-object.ts';
import { Turns } from './turns.ts';
import type { HasRoom, Priority, Taken } from './work-queue.ts';

interface Place {
  readonly priority: Priority;
  readonly group: string;
  /** When it was added, in real time. */
  readonly since: number;
}

/** Keys that may be worked now: edits before resyncs; groups take turns, and tenants take turns within a group. */
export class ReadyKeys {
  // Maps keep their order: the first group is the next.
  readonly #groups: Readonly<Record<Priority, Map<string, Turns<ResourceKey>>>> = { edit: new Map(), resync: new Map() };
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
    const group = this.#groupOf(key);
    const turns = this.#groups[priority].get(group) ?? new Turns<ResourceKey>();
    this.#groups[priority].set(group, turns);
    turns.add(tenantOf(key), key);
    this.#places.set(key, { priority, group, since: known?.since ?? performance.now() });
    return true;
  }

  #leave(key: ResourceKey, { priority, group }: Place): void {
    const turns = this.#groups[priority].get(group);
    turns?.delete(tenantOf(key), key);
    if (turns?.isEmpty) this.#groups[priority].delete(group);
  }

  take(hasRoom: HasRoom): (Taken & { readonly since: number }) | undefined {
    for (const priority of ['edit', 'resync'] as const) {
      const groups = this.#groups[priority];
      for (const [group, turns] of groups) {
        const key = hasRoom(group, priority) ? turns.take() : undefined;
        if (key === undefined) continue;
        // The group moves to the end, so that the others are next.
        groups.delete(group);
        if (!turns.isEmpty) groups.set(group, turns);
        const since = this.#places.get(key)?.since ?? performance.now();
        this.#places.delete(key);
        return { key, priority, group, since };
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

function tenantOf(key: ResourceKey): string {
  return parseKey(key).namespace ?? '';
}
