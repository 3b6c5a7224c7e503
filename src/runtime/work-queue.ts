import TinyQueue from 'tinyqueue';
import type { Clock } from './clock.ts';
import { parseKey, type ResourceKey } from './kubernetes-object.ts';

/**
 * The class of a key.
 * - `edit`: a user changed the object, or waits for it.
 * - `resync`: no user waits.
 */
export type Priority = 'edit' | 'resync';

/**
 * A queue of keys. It holds a key at most once, however often the key is added. A key that is added during its work
 * comes again afterwards, never twice at a time. A later time never replaces an earlier time.
 */
export interface WorkQueue {
  /** Adds a key, which can be taken at once. */
  add(key: ResourceKey, priority: Priority): void;
  /** Adds a key after a delay of policy time. With `resync`, the queue still counts as quiet. */
  addAfter(
    key: ResourceKey,
    delayMs: number,
    options: { readonly priority: Priority; readonly resync: boolean },
  ): void;
  /** The next key with a free slot, edits first. It keeps its class and its slot until `done`. */
  take(): Taken | undefined;
  /** Ends the work at a key, and frees its slot. Every key that was taken must end. */
  done(key: ResourceKey): void;
  /** A key without a further visit: if it is added once more, it counts as new. */
  forget(key: ResourceKey): void;
  /** Sets the only listener. The queue calls it when a key can be taken. */
  onReady(listener: () => void): void;
  /** No key is queued or being worked, and only resyncs are planned. */
  readonly quiet: boolean;
  /** The number of keys that can be taken once a slot is free. */
  readonly length: number;
  /** Real time in milliseconds of the work at each current key. */
  readonly workingMs: readonly number[];
  /** Drops all keys, and takes no more. Keys that were taken can still end. */
  close(): void;
}

/**
 * Observes the keys of a queue, in real time. A key that is added during its work is reported as added once. It is
 * reported as taken at the next `take`.
 */
export interface QueueObserver {
  added(): void;
  taken(waitedMs: number): void;
  done(workedMs: number): void;
}

/** A key that was taken, and its slot: the class and the group. */
export interface Taken {
  readonly key: ResourceKey;
  readonly priority: Priority;
  readonly group: string;
}

/** The slots of a queue, and the groups of its keys. */
export interface WorkQueueOptions {
  /** Policy time, for the delays. */
  readonly clock: Clock;
  /** Keys of each class that are worked at a time, in each group. No class takes a slot of the other. */
  readonly slots: Readonly<Record<Priority, number>>;
  /** Each group has its own slots. Default: a single group. */
  readonly groupOf?: ((key: ResourceKey) => string) | undefined;
  readonly observer?: QueueObserver | undefined;
}

const nothing = (): void => undefined;
const unobserved: QueueObserver = { added: nothing, taken: nothing, done: nothing };

/**
 * Makes an empty queue. Groups take turns, and within a group namespaces: many objects of a tenant
 * do not delay another tenant's first object.
 * Within a namespace, keys that come again go before new keys: a burst of creates delays no report of a
 * finished create.
 */
export function workQueue({
  clock,
  slots,
  groupOf = () => '',
  observer = unobserved,
}: WorkQueueOptions): WorkQueue {
  const visited = new Set<ResourceKey>();
  const ready = new ReadyKeys(groupOf, visited);
  const worked = new WorkedKeys();
  let listener = nothing;
  let closed = false;

  const add = (key: ResourceKey, priority: Priority): void => {
    if (closed) return;
    const isNew = worked.has(key) ? worked.comesAgain(key, priority) : !ready.has(key);
    if (isNew) observer.added();
    if (!worked.has(key) && ready.enter(key, priority)) listener();
  };
  const delayed = new DelayedKeys(clock, add);

  return {
    add,
    addAfter(key, delayMs, options) {
      if (closed) return;
      if (delayMs <= 0) add(key, options.priority);
      else delayed.plan(key, delayMs, options);
    },
    take() {
      const taken = ready.take(
        (priority, group) => worked.count(priority, group) < slots[priority],
      );
      if (!taken) return undefined;
      observer.taken(performance.now() - taken.since);
      worked.begin(taken);
      visited.add(taken.key);
      // The visit that begins now serves every planned visit.
      delayed.drop(taken.key);
      return taken;
    },
    done(key) {
      const ended = worked.end(key);
      if (!ended) return;
      observer.done(performance.now() - ended.since);
      if (ended.again !== undefined && !closed) ready.enter(key, ended.again);
      listener();
    },
    forget(key) {
      visited.delete(key);
    },
    onReady(next) {
      listener = next;
    },
    get quiet() {
      return ready.size === 0 && worked.size === 0 && delayed.areResyncs;
    },
    get length() {
      return ready.size;
    },
    get workingMs() {
      return worked.workingMs;
    },
    close() {
      closed = true;
      delayed.clear();
      ready.clear();
    },
  };
}

interface Work extends Taken {
  readonly since: number;
  /** The class in which the key was added again meanwhile. */
  again?: Priority;
}

class WorkedKeys {
  readonly #works = new Map<ResourceKey, Work>();
  readonly #taken: Readonly<Record<Priority, Map<string, number>>> = {
    edit: new Map(),
    resync: new Map(),
  };

  get size(): number {
    return this.#works.size;
  }

  get workingMs(): readonly number[] {
    const now = performance.now();
    return [...this.#works.values()].map(({ since }) => now - since);
  }

  count(priority: Priority, group: string): number {
    return this.#taken[priority].get(group) ?? 0;
  }

  has(key: ResourceKey): boolean {
    return this.#works.has(key);
  }

  begin({ key, priority, group }: Taken): void {
    this.#works.set(key, { key, priority, group, since: performance.now() });
    this.#taken[priority].set(group, this.count(priority, group) + 1);
  }

  /**
   * Records that a key was added during its work.
   * @returns whether this is the first addition since the work began
   */
  comesAgain(key: ResourceKey, priority: Priority): boolean {
    const work = this.#works.get(key);
    if (!work) return false;
    const isFirst = work.again === undefined;
    if (work.again !== 'edit') work.again = priority;
    return isFirst;
  }

  end(key: ResourceKey): Work | undefined {
    const work = this.#works.get(key);
    if (!work) return undefined;
    this.#works.delete(key);
    const { priority, group } = work;
    const left = this.count(priority, group) - 1;
    if (left > 0) this.#taken[priority].set(group, left);
    else this.#taken[priority].delete(group);
    return work;
  }
}

interface Urgency {
  priority: Priority;
  resync: boolean;
}

interface Plan extends Urgency {
  readonly key: ResourceKey;
  readonly at: number;
}

/** So many outdated plans are no reason to rebuild the line. */
const toleratedOutdated = 100;

/** Keys with a delay, each at most once. A single timer serves all: a timer holds the whole context that set it. */
export class DelayedKeys {
  readonly #plans = new Map<ResourceKey, Plan>();
  /** By time. A plan that was dropped or replaced stays here for a while. */
  #line = lineOf([]);
  #timer: { readonly at: number; readonly handle: Disposable } | undefined;
  readonly #clock: Clock;
  readonly #due: (key: ResourceKey, priority: Priority) => void;

  constructor(clock: Clock, due: (key: ResourceKey, priority: Priority) => void) {
    this.#clock = clock;
    this.#due = due;
  }

  /** Whether all planned keys are resyncs, for which no user waits. */
  get areResyncs(): boolean {
    return [...this.#plans.values()].every(({ resync }) => resync);
  }

  plan(key: ResourceKey, delayMs: number, { priority, resync }: Readonly<Urgency>): void {
    const at = this.#clock.now() + delayMs;
    const known = this.#plans.get(key);
    // A single visit serves both plans, so it gets the more urgent of the two priorities.
    const both: Urgency = {
      priority: known?.priority === 'edit' ? 'edit' : priority,
      resync: resync && (known?.resync ?? true),
    };
    if (known && known.at <= at) {
      Object.assign(known, both);
      return;
    }
    const plan = { key, at, ...both };
    this.#plans.set(key, plan);
    this.#line.push(plan);
    if (this.#line.length > 2 * this.#plans.size + toleratedOutdated)
      this.#line = lineOf([...this.#plans.values()]);
    if (!this.#timer || at < this.#timer.at) this.#setTimer(at);
  }

  drop(key: ResourceKey): void {
    this.#plans.delete(key);
  }

  clear(): void {
    this.#plans.clear();
    this.#line = lineOf([]);
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = undefined;
  }

  #setTimer(at: number): void {
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = { at, handle: this.#clock.schedule(at - this.#clock.now(), () => this.#fire()) };
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    const due: Plan[] = [];
    for (let next = this.#line.peek(); next; next = this.#line.peek()) {
      const isPlanned = this.#plans.get(next.key) === next;
      if (isPlanned && next.at > now) break;
      this.#line.pop();
      if (!isPlanned) continue;
      this.#plans.delete(next.key);
      due.push(next);
    }
    const next = this.#line.peek();
    if (next) this.#setTimer(next.at);
    for (const { key, priority } of due) this.#due(key, priority);
  }
}

function lineOf(plans: Plan[]): TinyQueue<Plan> {
  return new TinyQueue(plans, (one, other) => one.at - other.at);
}

interface Queued {
  readonly priority: Priority;
  readonly group: string;
  /** When it was added, in real time. */
  readonly since: number;
}

/**
 * Keys that can be taken, edits before resyncs. Groups take turns, and within a group namespaces.
 */
export class ReadyKeys {
  // The first group is the next.
  readonly #groups: Readonly<Record<Priority, Map<string, Group>>> = {
    edit: new Map(),
    resync: new Map(),
  };
  readonly #queued = new Map<ResourceKey, Queued>();
  readonly #groupOf: (key: ResourceKey) => string;
  readonly #visited: ReadonlySet<ResourceKey>;

  /** @param visited the keys that count as coming again */
  constructor(groupOf: (key: ResourceKey) => string, visited: ReadonlySet<ResourceKey>) {
    this.#groupOf = groupOf;
    this.#visited = visited;
  }

  get size(): number {
    return this.#queued.size;
  }

  has(key: ResourceKey): boolean {
    return this.#queued.has(key);
  }

  /**
   * Adds a key, or moves it up. A key never moves down.
   * @returns whether the key is new or has moved up
   */
  enter(key: ResourceKey, priority: Priority): boolean {
    const known = this.#queued.get(key);
    if (known?.priority === 'edit' || known?.priority === priority) return false;
    if (known) this.#leave(key, known);
    const name = this.#groupOf(key);
    const group = this.#groups[priority].get(name) ?? new Group();
    this.#groups[priority].set(name, group);
    group.add(key, this.#visited.has(key));
    this.#queued.set(key, { priority, group: name, since: known?.since ?? performance.now() });
    return true;
  }

  #leave(key: ResourceKey, { priority, group: name }: Queued): void {
    const group = this.#groups[priority].get(name);
    group?.delete(key);
    if (group?.isEmpty) this.#groups[priority].delete(name);
  }

  /**
   * Removes and returns the next key whose class and group have room. `since`: real time of its
   * addition.
   */
  take(
    hasRoom: (priority: Priority, group: string) => boolean,
  ): (Taken & { readonly since: number }) | undefined {
    for (const priority of ['edit', 'resync'] as const) {
      const groups = this.#groups[priority];
      for (const [name, group] of groups) {
        const key = hasRoom(priority, name) ? group.take() : undefined;
        if (key === undefined) continue;
        // The group moves to the end, so that the other groups are next.
        groups.delete(name);
        if (!group.isEmpty) groups.set(name, group);
        const since = this.#queued.get(key)?.since ?? performance.now();
        this.#queued.delete(key);
        return { key, priority, group: name, since };
      }
    }
    return undefined;
  }

  clear(): void {
    this.#groups.edit.clear();
    this.#groups.resync.clear();
    this.#queued.clear();
  }
}

class Group {
  readonly #namespaces = new Map<string, Line>();

  get isEmpty(): boolean {
    return this.#namespaces.size === 0;
  }

  add(key: ResourceKey, comesAgain: boolean): void {
    const namespace = namespaceOf(key);
    const line = this.#namespaces.get(namespace) ?? new Line();
    this.#namespaces.set(namespace, line);
    line.add(key, comesAgain);
  }

  delete(key: ResourceKey): void {
    const namespace = namespaceOf(key);
    const line = this.#namespaces.get(namespace);
    line?.delete(key);
    if (line?.isEmpty) this.#namespaces.delete(namespace);
  }

  take(): ResourceKey | undefined {
    const [first] = this.#namespaces;
    if (!first) return undefined;
    const [namespace, line] = first;
    const key = line.take();
    this.#namespaces.delete(namespace);
    if (!line.isEmpty) this.#namespaces.set(namespace, line);
    return key;
  }
}

/** So many keys that come again go before a new key. A create has fewer visits after its first. */
const againInRow = 4;

/** The ready keys of a namespace. */
class Line {
  readonly #again = new Set<ResourceKey>();
  readonly #fresh = new Set<ResourceKey>();
  #inRow = 0;

  get isEmpty(): boolean {
    return this.#again.size + this.#fresh.size === 0;
  }

  add(key: ResourceKey, comesAgain: boolean): void {
    (comesAgain ? this.#again : this.#fresh).add(key);
  }

  delete(key: ResourceKey): void {
    this.#again.delete(key);
    this.#fresh.delete(key);
  }

  take(): ResourceKey | undefined {
    const isFreshNext =
      this.#again.size === 0 || (this.#fresh.size > 0 && this.#inRow >= againInRow);
    this.#inRow = isFreshNext ? 0 : this.#inRow + 1;
    const [key] = isFreshNext ? this.#fresh : this.#again;
    if (key !== undefined) this.delete(key);
    return key;
  }
}

function namespaceOf(key: ResourceKey): string {
  return parseKey(key).namespace ?? '';
}
