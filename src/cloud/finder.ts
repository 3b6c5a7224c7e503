import { CloudError, orCloudError } from './cloud-error.ts';
import type { FindOptions, Found, ListPollerOptions } from './list-poller.ts';
import type { Snapshot, SnapshotKeeper } from './snapshot.ts';

/** GETs for each list. If a whole fleet is gone, lists prove it, not GETs. */
const mostAsked = 10;
/** A 404 to a GET counts as new evidence for this time; after it, a GET is worth a call again. */
const askAgainMs = 5_000;
/** A visit of an object whose resource is missing looks again after this time. */
const lookAgainMs = 5_000;
/** A list older than this proves no absence: the resource may have been seen again. */
const freshMs = 5_000;

/** The list of a poller, and the requests of a {@link Finder}. */
interface FinderOptions<T> extends Pick<
  ListPollerOptions<T>,
  'get' | 'isSameProject' | 'clock' | 'random'
> {
  readonly keeper: SnapshotKeeper<T>;
  /** See `ListPoller.since`. */
  readonly since: (notBefore: number) => Promise<Snapshot<T>>;
  /** Puts the answer of a GET into the latest snapshot. */
  readonly put: (id: string, resource: T) => void;
  /** See `ListPoller.unreadable`. */
  readonly unreadable: (resource: T) => CloudError | undefined;
}

/**
 * Looks for single resources: in the latest list, then by a GET, and proves that a resource is absent. Its bounds keep
 * the GETs few, however many resources vanish at once.
 */
export class Finder<T> {
  readonly #options: FinderOptions<T>;
  /** The number of GETs since the list that began at this time. */
  #asked = { begunAt: 0, times: 0 };
  /** Whether the API key belonged to the project of the list that began at this time. */
  #confirmed: { readonly begunAt: number; readonly answer: Promise<boolean> } | undefined;

  constructor(options: FinderOptions<T>) {
    this.#options = options;
  }

  /** See `ListPoller.find`. */
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

  /**
   * Makes the answer for a resource that is there.
   * @throws {CloudError} if the resource could not be read completely
   */
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

  /** See `ListPoller.unexplained`. */
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
    const { clock, keeper } = this.#options;
    const { leaving, lookedAt = -Infinity } = keeper.absences.of(id);
    if (clock.now() - lookedAt <= askAgainMs || !keeper.absences.needsLook(id)) return false;
    // The bound is for resources that vanish without the operator.
    if (leaving?.isAccepted) return true;
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

  /** Waits for a list that is new enough to prove the absence. It may show the resource instead. */
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
