import { Absences, type Judgement } from './absences.ts';
import { fieldOf, isFields } from './fields.ts';
import { inTurns } from './in-turns.ts';
import type { Clock } from './clock.ts';

/**
 * The resources of a kind as the last believed LIST showed them, with the answers that came later. A poller changes
 * `items` in place until the next list replaces the snapshot.
 */
export interface Snapshot<T> {
  /** By id. Answers of mutations and GETs are put in at once, until the next list. */
  readonly items: ReadonlyMap<string, T>;
  /** The ids in the LIST itself, without later answers. */
  readonly listed: ReadonlySet<string>;
  /** Policy time at which the LIST request began. */
  readonly begunAt: number;
  /**
   * Ids that the LIST lacks although an earlier list showed them, an object claims them, or their
   * absence has evidence.
   */
  readonly missing: ReadonlySet<string>;
}

/** The facts about a list that its snapshots need. */
export interface SnapshotOptions<T> {
  readonly idOf: (item: T) => string;
  /** Absent for a kind without a GET. */
  readonly get?: (id: string) => Promise<T>;
  /** Policy time. */
  readonly clock: Clock;
  /** Ids that objects claim, so that the list should show them. */
  readonly knownIds?: (() => Iterable<string>) | undefined;
  /** Whether the cloud is deleting an item. Absent for a kind that is gone once its DELETE is answered. */
  readonly isLeaving?: (item: T) => boolean;
}

/** The result of a list that a {@link SnapshotKeeper} was offered. */
export interface Offer<T> extends Pick<Judgement, 'open' | 'known'> {
  /** Undefined for a list that is not believed. */
  readonly latest: Snapshot<T> | undefined;
  /** Ids that appeared, changed or vanished. */
  readonly changed: ReadonlySet<string>;
}

/** Items of a new list, each with the equal item of the list before. */
type Unchanged<T> = ReadonlyMap<T, T>;

/** The latest snapshot of a list. Nothing is cloned: items are kept as they were read. */
export class SnapshotKeeper<T> {
  readonly #options: SnapshotOptions<T>;
  readonly absences: Absences;
  /** The items of the last believed list with later answers; before that list, the answers alone. */
  #items = new Map<string, T>();
  #listed: ReadonlySet<string> = new Set();
  #latest: Snapshot<T> | undefined;

  constructor(options: SnapshotOptions<T>) {
    this.#options = options;
    this.absences = new Absences(options.get !== undefined);
  }

  get latest(): Snapshot<T> | undefined {
    return this.#latest;
  }

  /**
   * Finds the items of a list that are the same as before, each with its earlier item. Yields the event loop between
   * items, which {@link offer} does not: a caller with a large list compares it here first.
   */
  async unchanged(list: readonly T[]): Promise<Unchanged<T>> {
    const same = new Map<T, T>();
    await inTurns(list, (item) => {
      const known = this.#items.get(this.#options.idOf(item));
      if (known !== undefined && sameResource(known, item)) same.set(item, known);
    });
    return same;
  }

  /**
   * Takes in a complete list, unless it lacks too many ids. A list that began before the latest list changes nothing.
   * @param begunAt policy time at which the LIST request began
   * @param unchanged the result of {@link unchanged} for this list, to save comparisons
   */
  offer(list: readonly T[], begunAt: number, unchanged?: Unchanged<T>): Offer<T> {
    if (this.#latest && begunAt < this.#latest.begunAt)
      return { latest: this.#latest, changed: nothing, open: nothing, known: 0 };
    const items = new Map(list.map((item) => [this.#options.idOf(item), item]));
    const isLeaving = (id: string) => this.#isLeaving(items.get(id));
    const { isBelieved, missing, open, known } = this.absences.judge(
      this.#claimed(),
      items,
      begunAt,
      isLeaving,
    );
    if (!isBelieved) return { latest: undefined, changed: nothing, open, known };
    this.#listed = new Set(items.keys());
    for (const [id, shows] of this.absences.answersAfter(items, begunAt)) {
      const item = this.#items.get(id);
      if (!shows) items.delete(id);
      else if (item !== undefined) items.set(id, item);
    }
    const changed = difference(this.#latest?.items ?? new Map(), items, unchanged);
    this.#items = items;
    this.#latest = { items, listed: this.#listed, begunAt, missing };
    return { latest: this.#latest, changed, open, known };
  }

  /**
   * Shows a resource from an answer other than a list.
   * @param isOverdue whether lists lack the resource although they should have it by now
   * @returns the id if the latest snapshot lacked the resource, or had it with other fields
   */
  put(id: string, item: T, isOverdue = false): ReadonlySet<string> {
    const unlisted = isOverdue ? 'overdue' : 'new';
    this.absences.record(
      id,
      {
        type: 'shown',
        isLeaving: this.#isLeaving(item),
        ...(!this.#listed.has(id) && { unlisted }),
      },
      this.#options.clock.now(),
    );
    const before = this.#items.get(id);
    this.#items.set(id, item);
    return this.#changed(id, before === undefined || !sameResource(before, item));
  }

  /**
   * Records that the cloud accepted a DELETE.
   * @returns the id if the snapshot showed the resource and hides it now
   */
  acceptRemoval(id: string): ReadonlySet<string> {
    const isGone = this.#options.isLeaving === undefined;
    this.absences.record(id, { type: 'accepted', isSeen: isGone }, this.#options.clock.now());
    return isGone ? this.#hide(id) : new Set();
  }

  /**
   * Records a 404 to a DELETE, and hides the resource until a later list.
   * @returns the id if the snapshot showed the resource
   */
  denyRemoval(id: string): ReadonlySet<string> {
    this.absences.record(id, { type: 'denied', by: 'DELETE' }, this.#options.clock.now());
    return this.#hide(id);
  }

  #hide(id: string): ReadonlySet<string> {
    return this.#changed(id, this.#items.delete(id));
  }

  /** Before the first list, no snapshot changes. */
  #changed(id: string, isChanged: boolean): ReadonlySet<string> {
    return new Set(this.#latest && isChanged ? [id] : []);
  }

  #isLeaving(item: T | undefined): boolean {
    return item !== undefined && (this.#options.isLeaving?.(item) ?? false);
  }

  /** Every id that lists have shown, or that an object claims. */
  #claimed(): ReadonlySet<string> {
    return new Set([...this.#listed, ...(this.#options.knownIds?.() ?? [])]);
  }
}

function difference<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  unchanged?: Unchanged<T>,
): ReadonlySet<string> {
  const changed = new Set<string>();
  for (const [id, item] of after) {
    const known = before.get(id);
    if (known === undefined || (unchanged?.get(item) !== known && !sameResource(known, item)))
      changed.add(id);
  }
  for (const id of before.keys()) if (!after.has(id)) changed.add(id);
  return changed;
}

/** Fields that differ between two reads of an unchanged resource: usage figures, and a password that only some replies carry. */
const passing: ReadonlySet<string> = new Set(['metrics', 'initial_password']);

/** By deep equality of plain data. An absent field equals an undefined field. */
function sameResource(a: unknown, b: unknown): boolean {
  return sameValue(a, b, passing);
}

const nothing: ReadonlySet<string> = new Set();

function sameValue(a: unknown, b: unknown, except: ReadonlySet<string>): boolean {
  if (Object.is(a, b)) return true;
  if (!isFields(a) || !isFields(b)) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index], nothing));
  const isSame = (name: string) =>
    except.has(name) || sameValue(fieldOf(a, name), fieldOf(b, name), nothing);
  return (
    Object.keys(a).every(isSame) &&
    Object.keys(b).every((name) => Object.hasOwn(a, name) || isSame(name))
  );
}
