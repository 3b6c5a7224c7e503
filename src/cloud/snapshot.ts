import { Absences } from './absences.ts';
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
  /** Ids that should have been in the LIST as far as others know, and were not. */
  readonly missing: ReadonlySet<string>;
}

export interface SnapshotOptions<T> {
  readonly idOf: (item: T) => string | undefined;
  readonly clock: { now(): number };
  readonly knownIds?: () => Iterable<string>;
  readonly isLeaving?: (item: T) => boolean;
  /** Whether the cloud can be asked for one by itself. */
  readonly hasGet: boolean;
}

export interface Offer {
  /** Ids that appeared, changed or vanished; undefined when the list was not believed. */
  readonly changed: ReadonlySet<string> | undefined;
  /** Known ids that the list lacks without an explanation; of how many known ones. */
  readonly open: ReadonlySet<string>;
  readonly known: number;
}

/** What was learned other than by a list: the resource as an answer showed it, or that it is gone. */
interface Mark<T> {
  readonly at: number;
  readonly item: T | undefined;
  /** No list had it when it was put. */
  readonly unlisted: boolean;
  /** A GET shows what lists lack, though they should have it. */
  readonly isOverdue: boolean;
}

/** Lists may lag a write by seconds: so long a resource that was just answered may be missing from them. */
const lagMs = 10_000;

/** The latest snapshot of one list and what goes into it. Nothing is cloned: lists are kept as they were read. */
export class SnapshotKeeper<T> {
  readonly #options: SnapshotOptions<T>;
  /** What is known of the ids that lists lack. */
  readonly absences: Absences;
  readonly #marks = new Map<string, Mark<T>>();
  #items = new Map<string, T>();
  #listed: ReadonlySet<string> = new Set();
  #latest: Snapshot<T> | undefined;

  constructor(options: SnapshotOptions<T>) {
    this.#options = options;
    this.absences = new Absences(options.hasGet);
  }

  get latest(): Snapshot<T> | undefined {
    return this.#latest;
  }

  /** A list came in. One that was begun before the latest changes nothing. */
  offer(list: readonly T[], begunAt: number): Offer {
    if (this.#latest && begunAt < this.#latest.begunAt) return { changed: new Set(), open: new Set(), known: 0 };
    const items = new Map<string, T>();
    for (const item of list) {
      const id = this.#options.idOf(item);
      if (id !== undefined) items.set(id, item);
    }
    this.#expectToGo(items);
    const { isBelieved, missing, open, known } = this.absences.judge(this.#known(begunAt), items, begunAt);
    if (!isBelieved) return { changed: undefined, open, known };
    this.#listed = new Set(items.keys());
    this.#applyMarks(items, begunAt);
    const changed = difference(this.#items, items);
    this.#items = items;
    this.#latest = { items, listed: this.#listed, begunAt, ordinal: (this.#latest?.ordinal ?? 0) + 1, missing };
    return { changed, open, known };
  }

  /** @param isOverdue lists lack it, though they should have it by now */
  put(id: string, item: T, isOverdue = false): ReadonlySet<string> {
    this.#marks.set(id, { at: this.#options.clock.now(), item, unlisted: !this.#listed.has(id), isOverdue });
    if (!this.#latest) return new Set();
    const before = this.#items.get(id);
    this.#items.set(id, item);
    return new Set(before !== undefined && sameResource(before, item) ? [] : [id]);
  }

  remove(id: string): ReadonlySet<string> {
    const at = this.#options.clock.now();
    this.#marks.set(id, { at, item: undefined, unlisted: false, isOverdue: false });
    this.absences.expectRemoval(id, at);
    return new Set(this.#items.delete(id) ? [id] : []);
  }

  acceptRemoval(id: string): void {
    this.absences.acceptRemoval(id, this.#options.clock.now());
  }

  /** What was on its way out may be gone by now. */
  #expectToGo(listed: ReadonlyMap<string, T>): void {
    const at = this.#latest?.begunAt ?? 0;
    for (const [id, item] of this.#items) if (!listed.has(id) && this.#options.isLeaving?.(item)) this.absences.expectRemoval(id, at);
  }

  /** Every id that a list begun at this time should have. */
  #known(begunAt: number): ReadonlySet<string> {
    const known = new Set([...this.#listed, ...(this.#options.knownIds?.() ?? [])]);
    for (const [id, mark] of this.#marks) if (mayLag(mark, begunAt) && !mark.isOverdue) known.delete(id);
    return known;
  }

  #applyMarks(items: Map<string, T>, begunAt: number): void {
    for (const [id, mark] of this.#marks) {
      const { at, item } = mark;
      const isNeeded = at >= begunAt || (mayLag(mark, begunAt) && !items.has(id));
      if (!isNeeded) this.#marks.delete(id);
      else if (item === undefined) items.delete(id);
      else items.set(id, item);
    }
  }
}

/** Whether a list begun at this time may still lack what was answered, though it is there. */
function mayLag<T>({ at, item, unlisted }: Mark<T>, begunAt: number): boolean {
  return unlisted && item !== undefined && begunAt - at < lagMs;
}

function difference<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): ReadonlySet<string> {
  const changed = new Set<string>();
  for (const [id, item] of after) if (!before.has(id) || !sameResource(before.get(id), item)) changed.add(id);
  for (const id of before.keys()) if (!after.has(id)) changed.add(id);
  return changed;
}
