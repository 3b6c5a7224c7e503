import { Absences, type Judgement } from './absences.ts';
import { fieldOf, isFields } from './fields.ts';
import { inTurns } from './in-turns.ts';
import { CloudError, orCloudError } from './cloud-error.ts';
import type { FindOptions, Found, ListPollerOptions } from './list-poller.ts';

export interface Snapshot<T> {
  /** By id. Answers of mutations and GETs are put in at once, until the next list. */
  readonly items: ReadonlyMap<string, T>;
  readonly listed: ReadonlySet<string>;
  /** Policy time at which the LIST request began. */
  readonly begunAt: number;
  /** Known ids that the LIST lacks. */
  readonly missing: ReadonlySet<string>;
}

type SnapshotOptions<T> = Pick<
  ListPollerOptions<T>,
  'idOf' | 'clock' | 'knownIds' | 'isLeaving' | 'get'
>;

export interface Offer<T> extends Pick<Judgement, 'open' | 'known'> {
  /** Undefined for a list that is not believed. */
  readonly latest: Snapshot<T> | undefined;
  /** Ids that appeared, changed or vanished. */
  readonly changed: ReadonlySet<string>;
}

/** Items of a new list, each with the equal item of the list before. */
type Unchanged<T> = ReadonlyMap<T, T>;

/** The resource, or its absence, from an answer other than a list. */
interface Mark<T> {
  readonly at: number;
  readonly item: T | undefined;
  /** Whether no list had the resource when it was put. */
  readonly unlisted: boolean;
  /** Whether a GET found the resource although lists should have it by now. */
  readonly isOverdue: boolean;
}

/** Lists lag a write by seconds. A new resource may be missing from them for this time. */
const lagMs = 10_000;

/** The latest snapshot of a list. Nothing is cloned: items are kept as they were read. */
export class SnapshotKeeper<T> {
  readonly #options: SnapshotOptions<T>;
  readonly absences: Absences;
  readonly #marks = new Map<string, Mark<T>>();
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

  /** The items of a list that are the same as before, each with its earlier item. Takes turns, which {@link offer} does not. */
  async unchanged(list: readonly T[]): Promise<Unchanged<T>> {
    const same = new Map<T, T>();
    await inTurns(list, (item) => {
      const known = this.#items.get(this.#options.idOf(item));
      if (known !== undefined && sameResource(known, item)) same.set(item, known);
    });
    return same;
  }

  offer(list: readonly T[], begunAt: number, unchanged?: Unchanged<T>): Offer<T> {
    if (this.#latest && begunAt < this.#latest.begunAt)
      return { latest: this.#latest, changed: nothing, open: nothing, known: 0 };
    const items = new Map(list.map((item) => [this.#options.idOf(item), item]));
    const isLeaving = (id: string) => this.#isLeaving(items.get(id));
    const { isBelieved, missing, open, known } = this.absences.judge(
      this.#known(begunAt),
      items,
      begunAt,
      isLeaving,
    );
    if (!isBelieved) return { latest: undefined, changed: nothing, open, known };
    this.#listed = new Set(items.keys());
    this.#applyMarks(items, begunAt);
    const changed = difference(this.#items, items, unchanged);
    this.#items = items;
    this.#latest = { items, listed: this.#listed, begunAt, missing };
    return { latest: this.#latest, changed, open, known };
  }

  /** @param isOverdue whether lists lack the resource although they should have it by now */
  put(id: string, item: T, isOverdue = false): ReadonlySet<string> {
    this.#marks.set(id, {
      at: this.#options.clock.now(),
      item,
      unlisted: !this.#listed.has(id),
      isOverdue,
    });
    this.absences.record(
      id,
      { type: 'shown', isLeaving: this.#isLeaving(item) },
      this.#options.clock.now(),
    );
    if (!this.#latest) return new Set();
    const before = this.#items.get(id);
    this.#items.set(id, item);
    return new Set(before !== undefined && sameResource(before, item) ? [] : [id]);
  }

  acceptRemoval(id: string): ReadonlySet<string> {
    const isGone = this.#options.isLeaving === undefined;
    this.absences.record(id, { type: 'accepted', isSeen: isGone }, this.#options.clock.now());
    return isGone ? this.#hide(id) : new Set();
  }

  denyRemoval(id: string): ReadonlySet<string> {
    this.absences.record(id, { type: 'denied', by: 'DELETE' }, this.#options.clock.now());
    return this.#hide(id);
  }

  #hide(id: string): ReadonlySet<string> {
    this.#marks.set(id, {
      at: this.#options.clock.now(),
      item: undefined,
      unlisted: false,
      isOverdue: false,
    });
    return new Set(this.#items.delete(id) ? [id] : []);
  }

  #isLeaving(item: T | undefined): boolean {
    return item !== undefined && (this.#options.isLeaving?.(item) ?? false);
  }

  /** Every id that a list begun at this time should have. */
  #known(begunAt: number): ReadonlySet<string> {
    const known = new Set([...this.#listed, ...(this.#options.knownIds?.() ?? [])]);
    for (const [id, mark] of this.#marks)
      if (mayLag(mark, begunAt) && !mark.isOverdue) known.delete(id);
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

/** Whether a list begun at this time may still lack the resource although it exists. */
function mayLag<T>({ at, item, unlisted }: Mark<T>, begunAt: number): boolean {
  return unlisted && item !== undefined && begunAt - at < lagMs;
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

/** GETs for each list. If a whole fleet is gone, lists prove it, not GETs. */
const mostAsked = 10;
const lookAgainMs = 5_000;
/** A list older than this proves no absence: the resource may have been seen again. */
const freshMs = 5_000;

interface FinderOptions<T> extends Pick<
  ListPollerOptions<T>,
  'get' | 'isSameProject' | 'clock' | 'random'
> {
  readonly keeper: SnapshotKeeper<T>;
  readonly since: (notBefore: number) => Promise<Snapshot<T>>;
  readonly put: (id: string, resource: T) => void;
  readonly unreadable: (resource: T) => CloudError | undefined;
}

export class Finder<T> {
  readonly #options: FinderOptions<T>;
  /** GETs since the list that began at this time. */
  #asked = { begunAt: 0, times: 0 };
  #confirmed: { readonly begunAt: number; readonly answer: Promise<boolean> } | undefined;

  constructor(options: FinderOptions<T>) {
    this.#options = options;
  }

  async find(id: string, { notBefore, absentFrom }: FindOptions): Promise<Found<T>> {
    const { keeper, since, clock } = this.#options;
    const snapshot = notBefore === 0 && keeper.latest ? keeper.latest : await since(notBefore);
    const listed = snapshot.items.get(id);
    if (listed !== undefined) return this.#present(id, listed, snapshot.begunAt);
    if (!snapshot.listed.has(id)) keeper.absences.question(id, snapshot.begunAt);
    const asOf = clock.now();
    const resource = this.#mayAsk(id, snapshot.begunAt) ? await this.#ask(id) : undefined;
    if (resource !== undefined) return this.#present(id, resource, asOf);
    const again = clock.now() + lookAgainMs;
    if (absentFrom === undefined) return { state: 'missing', again };
    return keeper.absences.of(id).isShown || clock.now() >= absentFrom
      ? this.#prove(id)
      : { state: 'missing', again };
  }

  /** @throws {CloudError} for a resource that is there, but could not be read completely */
  #present(id: string, resource: T, asOf: number): Found<T> {
    const { unreadable, keeper } = this.#options;
    const error = unreadable(resource);
    if (error) throw error;
    return { state: 'present', resource, asOf, isShown: keeper.absences.of(id).isShown };
  }

  /** Sends a GET for some of the missing resources. Once the cloud has denied enough of them, the list is believed. */
  async sample(missing: ReadonlySet<string>): Promise<void> {
    const from = Math.floor(this.#options.random() * Math.max(1, missing.size - mostAsked + 1));
    await Promise.allSettled([...missing].slice(from, from + mostAsked).map((id) => this.#ask(id)));
  }

  async unexplained(
    { missing, begunAt }: Snapshot<T>,
    matters: (id: string) => boolean = () => true,
  ): Promise<readonly string[]> {
    const { absences } = this.#options.keeper;
    const open = [...missing].filter((id) => !absences.isExplained(id) && matters(id));
    // The GET of a resource may fail for ever. Only its own id stays without an explanation then.
    for (const id of open) if (this.#mayAsk(id, begunAt)) await orCloudError(this.#ask(id));
    return open.filter((id) => !absences.isExplained(id));
  }

  #mayAsk(id: string, begunAt: number): boolean {
    const { keeper, clock } = this.#options;
    if (!keeper.absences.isWorthAsking(id, clock.now())) return false;
    // The bound is for resources that vanish without the operator.
    if (keeper.absences.of(id).leaving?.isAccepted) return true;
    const times = this.#asked.begunAt === begunAt ? this.#asked.times : 0;
    if (times >= mostAsked) return false;
    this.#asked = { begunAt, times: times + 1 };
    return true;
  }

  async #ask(id: string): Promise<T | undefined> {
    const { keeper, get, put, clock } = this.#options;
    const resource = await orCloudError(get?.(id) ?? Promise.resolve(undefined));
    if (resource === undefined) return undefined;
    if (!(resource instanceof CloudError)) {
      put(id, resource);
      return resource;
    }
    if (resource.kind !== 'notFound') throw resource;
    keeper.absences.record(id, { type: 'denied', by: 'GET' }, clock.now());
    return undefined;
  }

  async #prove(id: string): Promise<Found<T>> {
    const { keeper, since, clock } = this.#options;
    const { absences } = keeper;
    const from = Math.max(absences.provenByListFrom(id) ?? clock.now(), clock.now() - freshMs);
    if (from > clock.now()) return { state: 'missing', again: from };
    const later = await since(from);
    const listed = later.items.get(id);
    if (listed !== undefined) return this.#present(id, listed, later.begunAt);
    if (absences.isProven(id) && (await this.#isConfirmed(later.begunAt)))
      return { state: 'absent' };
    return {
      state: 'missing',
      again: Math.max(absences.provenByListFrom(id) ?? 0, clock.now() + lookAgainMs),
    };
  }

  /** A key that was moved to another project finds no resource of this project. */
  #isConfirmed(begunAt: number): Promise<boolean> {
    const { isSameProject = () => Promise.resolve(true) } = this.#options;
    if (this.#confirmed?.begunAt === begunAt) return this.#confirmed.answer;
    const answer = isSameProject();
    this.#confirmed = { begunAt, answer };
    answer.catch(() => {
      if (this.#confirmed?.answer === answer) this.#confirmed = undefined;
    });
    return answer;
  }
}
