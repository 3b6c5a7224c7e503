import { expectLoss, judgeList, noLosses, type Losses } from './plausible-list.ts';
import { sameResource } from './same-resource.ts';

export interface Snapshot<T> {
  /** By id. Answers of mutations and GETs go in at once, in place, until the next list. */
  readonly items: ReadonlyMap<string, T>;
  /** The ids that the LIST itself showed, whatever is known beside it. */
  readonly listed: ReadonlySet<string>;
  /** Policy time at which the LIST request was begun. */
  readonly begunAt: number;
  /** LISTs so far, so that two snapshots can be told apart. */
  readonly ordinal: number;
}

export interface SnapshotOptions<T> {
  readonly idOf: (item: T) => string | undefined;
  readonly clock: { now(): number };
  readonly knownIds?: () => Iterable<string>;
  readonly isLeaving?: (item: T) => boolean;
}

export interface Offer {
  /** Ids that appeared, changed or vanished; undefined when the list was not believed. */
  readonly changed: ReadonlySet<string> | undefined;
  /** Known ids that the list lacks and whose loss is not confirmed; of how many known ones. */
  readonly doubtful: number;
  readonly known: number;
}

/** What was learned other than by a list: the resource as an answer showed it, or that it is gone. */
interface Mark<T> {
  readonly at: number;
  readonly item: T | undefined;
  /** No list had it when it was put. */
  readonly unlisted: boolean;
}

/** Lists may lag a write by seconds: so long a resource that was just answered may be missing from them. */
const lagMs = 10_000;

/** The latest snapshot of one list and what goes into it. Nothing is cloned: lists are kept as they were read. */
export class SnapshotKeeper<T> {
  readonly #options: SnapshotOptions<T>;
  readonly #marks = new Map<string, Mark<T>>();
  #items = new Map<string, T>();
  #listed: ReadonlySet<string> = new Set();
  #losses: Losses = noLosses;
  #latest: Snapshot<T> | undefined;

  constructor(options: SnapshotOptions<T>) {
    this.#options = options;
  }

  get latest(): Snapshot<T> | undefined {
    return this.#latest;
  }

  /** A list came in. One that was begun before the latest changes nothing. */
  offer(list: readonly T[], begunAt: number): Offer {
    if (this.#latest && begunAt < this.#latest.begunAt) return { changed: new Set(), doubtful: 0, known: 0 };
    const items = new Map<string, T>();
    for (const item of list) {
      const id = this.#options.idOf(item);
      if (id !== undefined) items.set(id, item);
    }
    const { plausible, losses, doubtful, known } = judgeList(this.#losses, this.#known(), items, begunAt);
    this.#losses = losses;
    if (!plausible) return { changed: undefined, doubtful, known };
    this.#listed = new Set(items.keys());
    this.#applyMarks(items, begunAt);
    const changed = difference(this.#items, items);
    this.#items = items;
    this.#latest = { items, listed: this.#listed, begunAt, ordinal: (this.#latest?.ordinal ?? 0) + 1 };
    return { changed, doubtful, known };
  }

  put(id: string, item: T): ReadonlySet<string> {
    this.#marks.set(id, { at: this.#options.clock.now(), item, unlisted: !this.#listed.has(id) });
    if (!this.#latest) return new Set();
    const before = this.#items.get(id);
    this.#items.set(id, item);
    return new Set(before !== undefined && sameResource(before, item) ? [] : [id]);
  }

  remove(id: string): ReadonlySet<string> {
    const at = this.#options.clock.now();
    this.#marks.set(id, { at, item: undefined, unlisted: false });
    this.#losses = expectLoss(this.#losses, id, at);
    return new Set(this.#items.delete(id) ? [id] : []);
  }

  /** Every id that the next list should have. */
  #known(): ReadonlySet<string> {
    const known = new Set([...this.#listed, ...(this.#options.knownIds?.() ?? [])]);
    for (const id of known) {
      const item = this.#items.get(id);
      const isGone = this.#marks.get(id)?.item === undefined && this.#marks.has(id);
      if (isGone || (item !== undefined && this.#options.isLeaving?.(item))) known.delete(id);
    }
    return known;
  }

  #applyMarks(items: Map<string, T>, begunAt: number): void {
    for (const [id, { at, item, unlisted }] of this.#marks) {
      const isNewer = at >= begunAt;
      const mayLag = unlisted && item !== undefined && !items.has(id) && begunAt - at < lagMs;
      if (!isNewer && !mayLag) this.#marks.delete(id);
      else if (item === undefined) items.delete(id);
      else items.set(id, item);
    }
  }
}

function difference<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): ReadonlySet<string> {
  const changed = new Set<string>();
  for (const [id, item] of after) if (!before.has(id) || !sameResource(before.get(id), item)) changed.add(id);
  for (const id of before.keys()) if (!after.has(id)) changed.add(id);
  return changed;
}
