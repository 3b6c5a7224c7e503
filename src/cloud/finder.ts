import { CloudError, orCloudError } from './cloud-error.ts';
import type { FindOptions, Found, ListPollerOptions } from './list-poller.ts';
import type { Snapshot, SnapshotKeeper } from './snapshot.ts';

/** GETs for each list. If a whole fleet is gone, lists prove it, not GETs. */
const mostAsked = 10;
const lookAgainMs = 5_000;
/** A list older than this proves no absence: the resource may have been seen again. */
const freshMs = 5_000;

type Lister<T> = Pick<ListPollerOptions<T>, 'get' | 'isSameProject' | 'clock' | 'random'>;

export interface FinderOptions<T> extends Lister<T> {
  readonly keeper: SnapshotKeeper<T>;
  readonly since: (notBefore: number) => Promise<Snapshot<T>>;
  readonly put: (id: string, resource: T) => void;
}

/** Finds single resources beside a list, and proves their absence. */
export class Finder<T> {
  readonly #options: FinderOptions<T>;
  /** GETs since the list with this ordinal. */
  #asked = { ordinal: 0, times: 0 };
  #confirmed: { readonly ordinal: number; readonly answer: Promise<boolean> } | undefined;

  constructor(options: FinderOptions<T>) {
    this.#options = options;
  }

  async find(id: string, { notBefore, absentFrom }: FindOptions): Promise<Found<T>> {
    const { keeper, since, clock } = this.#options;
    const snapshot = notBefore === 0 && keeper.latest ? keeper.latest : await since(notBefore);
    const listed = snapshot.items.get(id);
    if (listed !== undefined) return { state: 'present', resource: listed, asOf: snapshot.begunAt };
    if (!snapshot.listed.has(id)) keeper.absences.question(id, snapshot.begunAt);
    const asOf = clock.now();
    const resource = this.#mayAsk(id, snapshot.ordinal) ? await this.#ask(id) : undefined;
    if (resource !== undefined) return { state: 'present', resource, asOf };
    const again = clock.now() + lookAgainMs;
    if (absentFrom === undefined) return { state: 'missing', again };
    return keeper.absences.wasShown(id) || clock.now() >= absentFrom ? this.#prove(id) : { state: 'missing', again, isNew: true };
  }

  /**
   * Checks some of the missing resources of a doubtful list by a GET. Once the cloud has denied enough of them, the
   * list is believed.
   */
  async sample(missing: ReadonlySet<string>): Promise<void> {
    const from = Math.floor(this.#options.random() * Math.max(1, missing.size - mostAsked + 1));
    await Promise.allSettled([...missing].slice(from, from + mostAsked).map((id) => this.#ask(id)));
  }

  async unexplained({ missing, ordinal }: Snapshot<T>, matters: (id: string) => boolean = () => true): Promise<readonly string[]> {
    const { absences } = this.#options.keeper;
    const open = [...missing].filter((id) => !absences.isExplained(id) && matters(id));
    // The GET of a resource may fail for ever. Only its own id stays without an explanation then.
    for (const id of open) if (this.#mayAsk(id, ordinal)) await orCloudError(this.#ask(id));
    return open.filter((id) => !absences.isExplained(id));
  }

  #mayAsk(id: string, ordinal: number): boolean {
    const { keeper, clock } = this.#options;
    if (!keeper.absences.isWorthAsking(id, clock.now())) return false;
    // The bound is for resources that vanish without the operator.
    if (keeper.absences.removalAcceptedAt(id) !== undefined) return true;
    const times = this.#asked.ordinal === ordinal ? this.#asked.times : 0;
    if (times >= mostAsked) return false;
    this.#asked = { ordinal, times: times + 1 };
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
    if (listed !== undefined) return { state: 'present', resource: listed, asOf: later.begunAt };
    if (absences.isProven(id) && (await this.#isConfirmed(later.ordinal))) return { state: 'absent' };
    return { state: 'missing', again: Math.max(absences.provenByListFrom(id) ?? 0, clock.now() + lookAgainMs) };
  }

  /**
   * A key that was moved to another project finds no resource of this project. Checked once for each list that proves
   * an absence.
   */
  #isConfirmed(ordinal: number): Promise<boolean> {
    const { isSameProject = () => Promise.resolve(true) } = this.#options;
    if (this.#confirmed?.ordinal === ordinal) return this.#confirmed.answer;
    const answer = isSameProject();
    this.#confirmed = { ordinal, answer };
    answer.catch(() => {
      if (this.#confirmed?.answer === answer) this.#confirmed = undefined;
    });
    return answer;
  }
}
