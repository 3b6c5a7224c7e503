/**
 * The evidence about ids that lists lack.
 *
 * A resource that a list lacks is not necessarily gone: lists are cut short, or come from servers that lag. Each missing id needs an explanation: an accepted
 * DELETE, an earlier list in a leaving state, a 404, or its absence from all lists of ten seconds (ten minutes if its GET fails). An id without an
 * explanation is open. A list with many open ids is not believed. A list with few open ids proves no other absence.
 * (docs/safety.md, Gone)
 */
export class Absences {
  readonly #isAskedByGet: boolean;
  /** For each missing id, the lists in an unbroken row that lack it. */
  readonly #rows = new Map<string, Row>();
  /** Ids that are expected to vanish, and the time since when. */
  readonly #leaving = new Map<string, number>();
  /** Ids whose DELETE the cloud accepted. Their absence needs no GET if the deletion was seen. */
  readonly #accepted = new Map<string, Removal>();
  /** Ids that a list has shown, or whose DELETE the cloud accepted. */
  readonly #shown = new Set<string>();
  /** For each missing id, its last 404. */
  readonly #denied = new Map<string, { readonly at: number; readonly to: 'GET' | 'DELETE' }>();
  /** Missing ids whose GET failed. The lists of such a cloud may be wrong, too. */
  readonly #unanswered = new Set<string>();
  #open = new Set<string>();
  /** A list that begins at or after this time, and lacks the open ids too, explains all of them. */
  #openUntil = 0;

  /** @param isAskedByGet whether the kind has a GET. Without one, only lists that are far enough apart prove an absence */
  constructor(isAskedByGet: boolean) {
    this.#isAskedByGet = isAskedByGet;
  }

  /**
   * Records a list, believed or not.
   * @param known every id that should be in the list, as far as anybody knows
   */
  judge(known: ReadonlySet<string>, listed: Pick<ReadonlySet<string>, 'has' | 'keys'>, begunAt: number): Judgement {
    this.#open = new Set();
    this.#openUntil = 0;
    this.#forgetOld(known, begunAt);
    for (const id of listed.keys()) this.#shown.add(id);
    const missing = new Set<string>();
    for (const id of known.union(this.#rows)) {
      if (listed.has(id)) this.#seen(id, begunAt);
      else missing.add(id);
    }
    for (const id of missing) {
      this.#extend(id, begunAt, known.has(id));
      if (!this.isExplainedByCloud(id) && !this.isMissingLong(id)) this.#leaveOpen(id);
    }
    const present = known.difference(missing).size;
    const isBelieved = this.#open.size <= Math.max(fewAtOnce, (present + this.#open.size) * shareAtOnce);
    return { isBelieved, missing, open: this.#open, known: known.union(this.#open).size };
  }

  /** Records that a caller asks about the id, and that a list begun at this time lacks it. */
  question(id: string, begunAt: number): void {
    if (!this.#rows.has(id)) this.#extend(id, begunAt, false);
  }

  /** The id will vanish from the lists. Its absence gives no reason for doubt. */
  expectRemoval(id: string, at: number): void {
    this.#leaving.set(id, Math.min(at, this.#leaving.get(id) ?? at));
    this.#open.delete(id);
  }

  /**
   * The cloud accepted a DELETE. The id will vanish from the lists.
   * @param isSeen whether the answer itself says that the resource is gone; otherwise a list must show the deletion, or a GET is needed
   */
  acceptRemoval(id: string, at: number, isSeen: boolean): void {
    this.expectRemoval(id, at);
    this.#accepted.set(id, { at, isSeen });
    this.#shown.add(id);
  }

  /**
   * Records what a list, believed or not, shows of the accepted deletions. A resource that is not leaving after its DELETE may stay, so a GET must explain its
   * absence.
   * @param isLeaving undefined for an id that the list lacks
   */
  sawRemovals(isLeaving: (id: string) => boolean | undefined, begunAt: number): void {
    for (const [id, { at }] of this.#accepted) {
      const leaves = begunAt < at ? undefined : isLeaving(id);
      if (leaves === true) this.#accepted.set(id, { at, isSeen: true });
      else if (leaves === false) this.#accepted.delete(id);
    }
  }

  /** Records a 404. Whatever a DELETE does not find is still asked for by a GET. */
  deny(id: string, at: number, to: 'GET' | 'DELETE' = 'GET'): void {
    if (to === 'GET' || !this.#denied.has(id)) this.#denied.set(id, { at, to });
    this.#unanswered.delete(id);
    this.#open.delete(id);
  }

  /** Records a GET that failed, and so neither found the resource nor proved its absence. */
  leaveUnanswered(id: string): void {
    this.#unanswered.add(id);
  }

  /** Whether another GET could give new evidence. */
  isWorthAsking(id: string, now: number): boolean {
    const denied = this.#denied.get(id);
    const isAnswered = denied?.to === 'GET' && now - denied.at <= askAgainMs;
    return this.#isAskedByGet && this.#accepted.get(id)?.isSeen !== true && !isAnswered;
  }

  /** Whether the cloud answered a GET or a DELETE with 404, and has not shown the resource since. */
  isDenied(id: string): boolean {
    return this.#denied.has(id);
  }

  /** Whether every part of the cloud knows the resource. Otherwise it may be too new for its absence to mean anything. */
  wasShown(id: string): boolean {
    return this.#shown.has(id);
  }

  /**
   * Whether the cloud itself explained the absence. For a kind without a GET, time must do. Otherwise time alone is no explanation, since a second create
   * could follow from it.
   */
  isExplainedByCloud(id: string): boolean {
    return this.#leaving.has(id) || this.#denied.has(id) || (!this.#isAskedByGet && this.isMissingLong(id));
  }

  /** Whether the lists that lack the id are far enough apart. */
  isMissingLong(id: string): boolean {
    const row = this.#rows.get(id);
    return row !== undefined && row.last >= this.#longFrom(id, row);
  }

  /** A GET found the resource, so the lists were wrong. For all open ids, the time of absence begins anew. */
  distrust(id: string): void {
    this.#unanswered.delete(id);
    if (this.#denied.delete(id)) this.#leaveOpen(id);
    this.#rows.delete(id);
    this.beginAgain();
  }

  /** For all open ids, the time of absence begins anew: only time spoke for their absence so far. */
  beginAgain(): void {
    for (const each of this.#open) this.#rows.delete(each);
  }

  /** The earliest policy time at which a list can begin that proves this absence, by the present evidence. Undefined without any evidence. */
  provenByListFrom(id: string): number | undefined {
    const row = this.#rows.get(id);
    const long = row && this.#longFrom(id, row);
    const denied = this.#isAskedByGet ? this.#denied.get(id)?.at : undefined;
    const own = earliest(long, denied, this.#isAskedByGet ? this.#leaving.get(id) : undefined);
    const others = this.#open.size - (this.#open.has(id) ? 1 : 0);
    if (own === undefined || others === 0) return own;
    // An id with a 404 of its own does not depend on the open ids, but needs the time.
    return earliest(Math.max(own, this.#openUntil), denied === undefined || long === undefined ? undefined : Math.max(denied, long));
  }

  /** Whether the last list, with the other evidence, proves that the resource is gone. */
  isProven(id: string): boolean {
    const row = this.#rows.get(id);
    const from = this.provenByListFrom(id);
    return row !== undefined && from !== undefined && row.last >= from;
  }

  #extend(id: string, begunAt: number, isKnown: boolean): void {
    const { since, isClaimed } = this.#rows.get(id) ?? { since: begunAt, isClaimed: false };
    this.#rows.set(id, { since, last: begunAt, isClaimed: isKnown || isClaimed });
  }

  #longFrom(id: string, { since }: Row): number {
    return since + (this.#unanswered.has(id) ? apartUnansweredMs : apartMs);
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
    for (const [id, at] of this.#leaving) if (!known.has(id) && !this.#rows.has(id) && now - at > rememberMs) this.#stay(id);
    for (const id of this.#shown) if (!known.has(id) && !this.#rows.has(id) && !this.#leaving.has(id)) this.#shown.delete(id);
  }

  #leaveOpen(id: string): void {
    // No object claims this id, so lists need not show it.
    const row = this.#rows.get(id);
    if (!row?.isClaimed) return;
    this.#open.add(id);
    this.#openUntil = Math.max(this.#openUntil, this.#longFrom(id, row));
  }
}

export interface Judgement {
  /** False: too many ids are missing at once, so this list is ignored. */
  readonly isBelieved: boolean;
  /** Known ids that are not in the list. */
  readonly missing: ReadonlySet<string>;
  /** The missing ids without an explanation that an object claims, or claimed when lists began to lack them. */
  readonly open: ReadonlySet<string>;
  /** Number of ids that should be in the list, the open ones included. */
  readonly known: number;
}

interface Removal {
  /** When the cloud accepted the DELETE. */
  readonly at: number;
  /** Whether the cloud has shown the deletion since then. */
  readonly isSeen: boolean;
}

interface Row {
  readonly since: number;
  readonly last: number;
  /** Whether the id was a known one when a list lacked it, and not only asked about. */
  readonly isClaimed: boolean;
}

/** Without other evidence, the first and the last list that lack an id must be so far apart. */
export const apartMs = 10_000;
/** The same for an id whose GET failed, since the lists may fail like the GETs. */
const apartUnansweredMs = 600_000;
/** People delete resources, so this number or this share may vanish at once. */
const fewAtOnce = 3;
const shareAtOnce = 0.05;
/** A 404 counts as new evidence for this time; after it, a GET is worth a call again. */
const askAgainMs = 5_000;
/** A resource that is still listed so long after its accepted DELETE is not being deleted: the DELETE had no effect. */
const removalMs = 60_000;
/** Time for which an id is remembered that no object claims any more: longer than any proof takes. */
const rememberMs = 2 * apartUnansweredMs;

function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
