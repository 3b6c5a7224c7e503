/**
 * The evidence about the presence or the absence of a single id. Times are policy time.
 * (docs/safety.md, Gone)
 */
export interface AbsenceEvidence {
  /** Whether a list has shown the id, or the cloud has accepted its DELETE. */
  readonly isShown: boolean;
  /** The lists in a row that lack the id: when the first and the last began. */
  readonly missing?:
    | { readonly since: number; readonly last: number; readonly isClaimed: boolean }
    | undefined;
  /** The resource will vanish from the lists: the cloud accepted a DELETE, or showed a leaving state (`isSeen`). */
  readonly leaving?:
    | { readonly at: number; readonly isAccepted: boolean; readonly isSeen: boolean }
    | undefined;
  /** The first 404 since a list or a GET showed the resource. */
  readonly deniedAt?: number | undefined;
  /** The last 404 to a GET. */
  readonly lookedAt?: number | undefined;
  /** The last answer that shows or hides the resource (`shows`), until a believed list replaces it. */
  readonly answer?:
    | { readonly at: number; readonly shows: boolean; readonly unlisted?: Unlisted | undefined }
    | undefined;
}

/**
 * An answer shows a resource that the last believed list lacks. The resource stays in the snapshot while lists may
 * lag.
 * - `new`: until then, lists need not show it.
 * - `overdue`: lists should show it by now, so its absence from them needs an explanation.
 */
export type Unlisted = 'new' | 'overdue';

/**
 * An observation about a single id.
 * - `listed`: a list has the id.
 * - `missing`: a list lacks the id. `isClaimed`: by the operator's knowledge, the list should show
 *   the id.
 * - `shown`: an answer other than a list shows the resource. `unlisted`: the last believed list
 *   lacks it.
 * - `accepted`: the cloud accepted a DELETE. `isSeen`: the answer itself says that the resource is
 *   gone, and hides it. Otherwise a list must show the deletion, or a GET is needed.
 * - `denied`: the cloud answered a GET or a DELETE with 404. The 404 to a DELETE hides the
 *   resource.
 *
 * `isLeaving`: the resource is in a state that ends in its deletion.
 */
export type AbsenceEvent =
  | { readonly type: 'listed'; readonly isLeaving: boolean }
  | { readonly type: 'missing'; readonly isClaimed: boolean }
  | {
      readonly type: 'shown';
      readonly isLeaving: boolean;
      readonly unlisted?: Unlisted | undefined;
    }
  | { readonly type: 'accepted'; readonly isSeen: boolean }
  | { readonly type: 'denied'; readonly by: 'GET' | 'DELETE' };

/**
 * Returns the evidence after an observation. Pure.
 * @param at policy time of the answer; for a list, the time at which its request began
 */
export function reduce(
  seen: AbsenceEvidence = { isShown: false },
  event: AbsenceEvent,
  at: number,
): AbsenceEvidence {
  const { missing, leaving, deniedAt, answer } = seen;
  const hidden = { at, shows: false };
  switch (event.type) {
    case 'listed':
      return { isShown: true, leaving: leavingAfterLook(leaving, event.isLeaving, at), answer };
    case 'shown':
      return {
        isShown: seen.isShown,
        missing: missing && { ...missing, since: at },
        leaving: leavingAfterLook(leaving, event.isLeaving, at),
        answer: { at, shows: true, unlisted: event.unlisted },
      };
    case 'missing':
      return {
        ...seen,
        missing: {
          since: missing?.since ?? at,
          last: at,
          isClaimed: event.isClaimed || missing?.isClaimed === true,
        },
      };
    case 'accepted':
      return {
        ...seen,
        isShown: true,
        leaving: { at, isAccepted: true, isSeen: event.isSeen },
        answer: event.isSeen ? hidden : answer,
      };
    case 'denied':
      return event.by === 'GET'
        ? { ...seen, deniedAt: deniedAt ?? at, lookedAt: at }
        : { ...seen, deniedAt: deniedAt ?? at, answer: hidden };
  }
}

/** A resource that is not leaving after its DELETE may stay: a GET must explain its absence. */
function leavingAfterLook(
  leaving: AbsenceEvidence['leaving'],
  isLeaving: boolean,
  at: number,
): AbsenceEvidence['leaving'] {
  if (isLeaving) return { at, isAccepted: false, ...leaving, isSeen: true };
  if (!leaving?.isAccepted || at - leaving.at > removalMs) return undefined;
  return at < leaving.at ? leaving : { ...leaving, isSeen: false };
}

/** Whether a list begun at this time may still lack the resource although it exists. */
function mayLag({ answer }: AbsenceEvidence, begunAt: number): boolean {
  return answer?.unlisted !== undefined && begunAt - answer.at < lagMs;
}

/** Whether the absence is no reason to doubt the list. Time alone explains only the absence of a kind without a GET. */
export function isExplained(
  { missing, leaving, deniedAt }: AbsenceEvidence,
  hasGet: boolean,
): boolean {
  const isLong = missing !== undefined && missing.last - missing.since >= apartMs;
  return leaving !== undefined || deniedAt !== undefined || (!hasGet && isLong);
}

/** The earliest begin of a list that proves the absence by lacking the id. Undefined without enough evidence. */
export function proof(
  { missing, leaving, deniedAt }: AbsenceEvidence,
  { hasGet, isComplete }: { readonly hasGet: boolean; readonly isComplete: boolean },
): number | undefined {
  const long = missing && missing.since + apartMs;
  if (!hasGet) return isComplete ? long : undefined;
  if (isComplete && leaving && (leaving.isSeen || deniedAt !== undefined)) return leaving.at;
  // A 404 and a list may be wrong together for a moment: without an accepted DELETE, they must last. Then the
  // list need not be complete.
  return deniedAt === undefined ? undefined : long && Math.max(deniedAt, long);
}

/**
 * The evidence about all ids of a list. It decides whether a list is believed, and whether an
 * absence is proven. A list that lacks many ids without an explanation is not believed.
 */
export class Absences {
  readonly #hasGet: boolean;
  readonly #seen = new Map<string, AbsenceEvidence>();
  /** The ids that the last list lacked without an explanation. Some ids may have an explanation since. */
  #open = new Set<string>();

  constructor(hasGet: boolean) {
    this.#hasGet = hasGet;
  }

  /**
   * Records a list, believed or not.
   * @param claimed every id that the list should show by the operator's knowledge
   */
  judge(
    claimed: ReadonlySet<string>,
    listed: Pick<ReadonlySet<string>, 'has' | 'keys'>,
    begunAt: number,
    isLeaving: (id: string) => boolean = () => false,
  ): Judgement {
    const known = this.#due(claimed, begunAt);
    this.#forgetOld(known, begunAt);
    const missing = new Set(known);
    for (const [id, seen] of this.#seen) if (isAboutAbsence(seen)) missing.add(id);
    for (const id of listed.keys()) {
      missing.delete(id);
      this.record(id, { type: 'listed', isLeaving: isLeaving(id) }, begunAt);
    }
    for (const id of missing)
      this.record(id, { type: 'missing', isClaimed: known.has(id) }, begunAt);
    this.#open = new Set([...missing].filter((id) => this.#isOpen(id)));
    const present = known.difference(missing).size;
    const isBelieved =
      this.#open.size <= Math.max(fewAtOnce, (present + this.#open.size) * shareAtOnce);
    return { isBelieved, missing, open: this.#open, known: known.union(this.#open).size };
  }

  /**
   * The answers that hold against a believed list: whether each shows or hides its resource. Forgets the other
   * answers.
   */
  answersAfter(
    listed: Pick<ReadonlySet<string>, 'has'>,
    begunAt: number,
  ): ReadonlyMap<string, boolean> {
    const holding = new Map<string, boolean>();
    for (const [id, seen] of this.#seen) {
      if (!seen.answer) continue;
      if (seen.answer.at >= begunAt || (mayLag(seen, begunAt) && !listed.has(id)))
        holding.set(id, seen.answer.shows);
      else this.#seen.set(id, { ...seen, answer: undefined });
    }
    return holding;
  }

  /** The evidence about an id. An id without evidence was not shown. */
  of(id: string): AbsenceEvidence {
    return this.#seen.get(id) ?? { isShown: false };
  }

  /**
   * Adds an observation.
   * @param at policy time of the answer; for a list, the time at which its request began
   */
  record(id: string, event: AbsenceEvent, at: number): void {
    this.#seen.set(id, reduce(this.#seen.get(id), event, at));
    if (event.type === 'shown') this.#open.add(id);
  }

  /** Records that a caller asks about the id, which a list begun at this time lacks. */
  question(id: string, begunAt: number): void {
    if (!this.of(id).missing) this.record(id, { type: 'missing', isClaimed: false }, begunAt);
  }

  /** Whether a GET could add to the proof of an absence. */
  needsLook(id: string): boolean {
    const { leaving } = this.of(id);
    // In an incomplete list, only a 404 of its own proves an absence.
    const needsNone = leaving?.isAccepted === true && leaving.isSeen && this.#isComplete(id);
    return this.#hasGet && !needsNone;
  }

  /** See {@link isExplained}, by the present evidence. */
  isExplained(id: string): boolean {
    return isExplained(this.of(id), this.#hasGet);
  }

  /** See {@link proof}, by the present evidence. Times are policy time. */
  provenByListFrom(id: string): number | undefined {
    return proof(this.of(id), { hasGet: this.#hasGet, isComplete: this.#isComplete(id) });
  }

  /** Whether a list that lacks the id began late enough to prove its absence. */
  isProven(id: string): boolean {
    const { missing } = this.of(id);
    return missing !== undefined && missing.last >= (this.provenByListFrom(id) ?? Infinity);
  }

  /** Whether the last list lacks no other id without an explanation. */
  #isComplete(id: string): boolean {
    return ![...this.#open].some((other) => other !== id && this.#isOpen(other));
  }

  /** No object claims an id that was only asked about, so lists need not show it. */
  #isOpen(id: string): boolean {
    const seen = this.of(id);
    return seen.missing?.isClaimed === true && !isExplained(seen, this.#hasGet);
  }

  /** The claimed ids without those of new resources, which lists may still lack. */
  #due(claimed: ReadonlySet<string>, begunAt: number): ReadonlySet<string> {
    const due = new Set(claimed);
    for (const [id, seen] of this.#seen)
      if (seen.answer?.unlisted === 'new' && mayLag(seen, begunAt)) due.delete(id);
    return due;
  }

  /** An answer that lists may contradict outlasts all other evidence. */
  #forgetOld(known: ReadonlySet<string>, now: number): void {
    for (const [id, { missing, leaving, deniedAt = -Infinity, answer }] of this.#seen) {
      const at = missing?.since ?? leaving?.at ?? deniedAt;
      if (known.has(id) || now - at <= rememberMs) continue;
      if (answer) this.#seen.set(id, { isShown: false, answer });
      else this.#seen.delete(id);
    }
  }
}

/** The verdict on a list, with the ids that it lacks. */
export interface Judgement {
  /** False: too many ids are missing at once, so this list is ignored. */
  readonly isBelieved: boolean;
  /** Known ids that are not in the list. */
  readonly missing: ReadonlySet<string>;
  /** The missing ids without an explanation that an object claims, or claimed when lists began to lack them. */
  readonly open: ReadonlySet<string>;
  /** How many ids the list should show. */
  readonly known: number;
}

/** Lists lag a write by seconds. A new resource may be missing from them for this time. */
const lagMs = 10_000;
/** Without an accepted DELETE, the first and the last list that lack an id must be so far apart. */
export const apartMs = 10_000;
/** People delete resources, so this number or this share may vanish at once. */
const fewAtOnce = 3;
const shareAtOnce = 0.05;
/** A resource that is still listed so long after its accepted DELETE stays: the DELETE had no effect. */
const removalMs = 60_000;
/** Time for which an id is remembered that no object claims any more: longer than any proof takes. */
const rememberMs = 1_200_000;

function isAboutAbsence({ missing, leaving, deniedAt }: AbsenceEvidence): boolean {
  return missing !== undefined || leaving !== undefined || deniedAt !== undefined;
}
