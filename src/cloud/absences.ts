/**
 * What lists, answers and accepted DELETEs say of the ids that a list lacks.
 *
 * A resource that a list lacks is not gone: lists are cut short, and come from servers that lag. Each id that is missing needs an explanation:
 * a DELETE of it was accepted, an earlier list showed it on its way out, a GET was answered with 404, or it was missing from all lists of ten
 * seconds (of ten minutes, where its GET fails). Ids without one are open. A list with many open ids is not believed at all. One with a few proves nothing of anybody else.
 * (docs/safety.md, Gone)
 */
export class Absences {
  readonly #isAskedByGet: boolean;
  /** Lists in an unbroken row that lack an id: when the first and the last of them were begun. */
  readonly #rows = new Map<string, Row>();
  /** Since when an id is expected to vanish. */
  readonly #leaving = new Map<string, number>();
  /** Ids whose DELETE was accepted, which needs no GET to be believed. */
  readonly #accepted = new Set<string>();
  /** When a GET was last answered with 404, while lists lack it. */
  readonly #denied = new Map<string, number>();
  /** Ids whose GET the cloud could not answer, while lists lack them: it may fail with its lists, too. */
  readonly #unanswered = new Set<string>();
  #open = new Set<string>();
  /** A list begun from then on finds all ids that are open now explained, if it lacks them, too. */
  #openUntil = 0;

  /** @param isAskedByGet whether the kind has a GET; without one a resource is gone only by lists that are far enough apart */
  constructor(isAskedByGet: boolean) {
    this.#isAskedByGet = isAskedByGet;
  }

  /**
   * Takes note of a list, believed or not.
   * @param known every id that should be in it, as far as anybody knows
   */
  judge(known: ReadonlySet<string>, listed: { has(id: string): boolean }, begunAt: number): Judgement {
    this.#open = new Set();
    this.#openUntil = 0;
    this.#forgetOld(known, begunAt);
    const missing = new Set<string>();
    for (const id of known.union(this.#rows)) {
      if (listed.has(id)) {
        this.#seen(id, begunAt);
        continue;
      }
      missing.add(id);
      this.#extend(id, begunAt, known.has(id));
      if (!this.#isExplained(id)) this.#leaveOpen(id);
    }
    const present = known.difference(missing).size;
    const isBelieved = this.#open.size <= Math.max(fewAtOnce, (present + this.#open.size) * shareAtOnce);
    return { isBelieved, missing, open: this.#open, known: known.union(this.#open).size };
  }

  /** The id is asked about, and a list begun at this time lacks it. */
  question(id: string, begunAt: number): void {
    if (!this.#rows.has(id)) this.#extend(id, begunAt, false);
  }

  /** It will vanish from the lists, which is no reason for doubt. */
  expectRemoval(id: string, at: number): void {
    this.#leaving.set(id, Math.min(at, this.#leaving.get(id) ?? at));
    this.#open.delete(id);
  }

  /** The same, in the cloud's own words: it has accepted a DELETE. */
  acceptRemoval(id: string, at: number): void {
    this.expectRemoval(id, at);
    this.#accepted.add(id);
  }

  /** A GET was answered with 404. */
  deny(id: string, at: number): void {
    this.#denied.set(id, at);
    this.#unanswered.delete(id);
    this.#open.delete(id);
  }

  /** A GET came to nothing, and neither found it nor denied it. */
  leaveUnanswered(id: string): void {
    this.#unanswered.add(id);
  }

  /** Whether a GET of it could tell something new. */
  isWorthAsking(id: string, now: number): boolean {
    return this.#isAskedByGet && !this.#accepted.has(id) && now - (this.#denied.get(id) ?? Number.NEGATIVE_INFINITY) > askAgainMs;
  }

  /** Whether the cloud itself said why lists lack it, where it can be asked. Time alone explains nothing where a second create would follow. */
  isExplainedByCloud(id: string): boolean {
    return this.#leaving.has(id) || this.#denied.has(id) || (!this.#isAskedByGet && this.isMissingLong(id));
  }

  /** Whether lists that were begun far enough apart lack it. */
  isMissingLong(id: string): boolean {
    const row = this.#rows.get(id);
    return row !== undefined && row.last - row.since >= this.#apartMs(id);
  }

  /** A GET shows what the lists lack: they have lied, and what else they lack without explanation counts from the beginning. */
  distrust(id: string): void {
    this.#unanswered.delete(id);
    if (this.#denied.delete(id)) this.#leaveOpen(id);
    this.#rows.delete(id);
    this.beginAgain();
  }

  /** What lists lack without explanation counts from the beginning: so far nothing but time speaks for it. */
  beginAgain(): void {
    for (const each of this.#open) this.#rows.delete(each);
  }

  /** Policy time at or after which a list must have been begun that proves this absence, as things stand. Undefined while nobody asked about it. */
  provenByListFrom(id: string): number | undefined {
    const row = this.#rows.get(id);
    const long = row === undefined ? undefined : row.since + this.#apartMs(id);
    const denied = this.#denied.get(id);
    const own = earliest(long, denied, this.#isAskedByGet ? this.#leaving.get(id) : undefined);
    const others = this.#open.size - (this.#open.has(id) ? 1 : 0);
    if (own === undefined || others === 0) return own;
    // With the 404 of its own it needs no others, but time.
    return earliest(Math.max(own, this.#openUntil), denied === undefined || long === undefined ? undefined : Math.max(denied, long));
  }

  /** Whether the last list and all that is known beside it prove that it is gone. */
  isProven(id: string): boolean {
    const row = this.#rows.get(id);
    const from = this.provenByListFrom(id);
    return row !== undefined && from !== undefined && row.last >= from;
  }

  #extend(id: string, begunAt: number, isKnown: boolean): void {
    const row = this.#rows.get(id);
    this.#rows.set(id, { since: row?.since ?? begunAt, last: begunAt, isClaimed: isKnown || (row?.isClaimed ?? false) });
  }

  #apartMs(id: string): number {
    return this.#unanswered.has(id) ? apartUnansweredMs : apartMs;
  }

  #seen(id: string, begunAt: number): void {
    this.#rows.delete(id);
    this.#denied.delete(id);
    this.#unanswered.delete(id);
    if (begunAt - (this.#leaving.get(id) ?? begunAt) > removalMs) this.#stay(id);
  }

  #stay(id: string): void {
    this.#leaving.delete(id);
    this.#accepted.delete(id);
  }

  #forgetOld(known: ReadonlySet<string>, now: number): void {
    for (const [id, { since }] of this.#rows) {
      if (known.has(id) || now - since <= rememberMs) continue;
      this.#rows.delete(id);
      this.#denied.delete(id);
      this.#unanswered.delete(id);
    }
    for (const [id, at] of this.#leaving) if (!known.has(id) && now - at > rememberMs) this.#stay(id);
  }

  #isExplained(id: string): boolean {
    return this.#leaving.has(id) || this.#denied.has(id) || this.isMissingLong(id);
  }

  #leaveOpen(id: string): void {
    // Of what nobody claims nobody expects that lists show it.
    if (!this.#rows.get(id)?.isClaimed) return;
    this.#open.add(id);
    this.#openUntil = Math.max(this.#openUntil, (this.#rows.get(id)?.since ?? 0) + this.#apartMs(id));
  }
}

export interface Judgement {
  /** False: too much is missing at once to go by this list at all. */
  readonly isBelieved: boolean;
  /** Known ids that are not in the list. */
  readonly missing: ReadonlySet<string>;
  /** Those of them without an explanation that somebody claims, or did when lists began to lack them. */
  readonly open: ReadonlySet<string>;
  /** How many ids should be in it, the open ones included. */
  readonly known: number;
}

interface Row {
  readonly since: number;
  readonly last: number;
  /** It was among the known ids when a list lacked it, and not just asked about. */
  readonly isClaimed: boolean;
}

/** Where nothing else explains that lists lack an id, the first and the last of them must be this far apart. */
export const apartMs = 10_000;
/** The same for an id that the cloud was asked about and could not tell: its lists may fail as its GETs do. */
const apartUnansweredMs = 600_000;
/** People delete things: so few may vanish at once, or this share. */
const fewAtOnce = 3;
const shareAtOnce = 0.05;
/** A 404 that is older than this is asked for anew by whoever wants to know. */
const askAgainMs = 5_000;
/** A resource that is listed so long after its DELETE was accepted is not about to vanish: that DELETE came to nothing. */
const removalMs = 60_000;
/** How long an id is remembered that nobody claims any more. */
const rememberMs = 600_000;

function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
