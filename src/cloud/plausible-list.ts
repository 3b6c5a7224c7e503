/**
 * Whether a list may be believed when it lacks what was there before. A database that a list lacks is not gone: lists are cut short, and come from
 * servers that lag. A few may vanish at once, since people delete things. Many are believed only once each of them was missing from
 * three lists in a row, each begun a second or more after the one before. Even then a list alone is no proof of absence: whoever acts on it asks
 * for the one resource as well. (SAFETY, Absence)
 */
export interface Losses {
  /** Ids that are known and were not in the last lists: how often in a row, and when the last of these lists was begun. */
  readonly missing: ReadonlyMap<string, { readonly times: number; readonly at: number }>;
}

export const noLosses: Losses = { missing: new Map() };

export const believedAfterTimes = 3;
export const confirmEveryMs = 1_000;
const fewAtOnce = 3;
const shareAtOnce = 0.05;

export interface ListJudgement {
  readonly plausible: boolean;
  /** Hand this to the next judgement. */
  readonly losses: Losses;
  /** Known ids that the list lacks and whose loss is not believed yet. */
  readonly doubtful: number;
  readonly known: number;
}

/** Judges a list that was begun at this policy time. `known`: every id that should be in it, as far as anybody knows. Pure. */
export function judgeList(
  before: Losses,
  known: ReadonlySet<string>,
  listed: { has(id: string): boolean },
  begunAt: number,
): ListJudgement {
  const missing = new Map<string, { times: number; at: number }>();
  let present = 0;
  let doubtful = 0;
  for (const id of known) {
    if (listed.has(id)) {
      present += 1;
      continue;
    }
    const earlier = before.missing.get(id);
    const counts = !earlier || begunAt - earlier.at >= confirmEveryMs;
    const now = counts ? { times: (earlier?.times ?? 0) + 1, at: begunAt } : earlier;
    missing.set(id, now);
    if (now.times < believedAfterTimes) doubtful += 1;
  }
  const plausible = doubtful <= Math.max(fewAtOnce, (present + doubtful) * shareAtOnce);
  return { plausible, losses: { missing: plausible ? believed(missing) : missing }, doubtful, known: known.size };
}

/** Whether this loss needs no more confirmation. */
export function expectLoss(losses: Losses, id: string, at: number): Losses {
  return { missing: new Map(losses.missing).set(id, { times: believedAfterTimes, at }) };
}

/** Who is missing from a list that was taken is not counted against the next one. */
function believed(missing: ReadonlyMap<string, { readonly at: number }>): Losses['missing'] {
  return new Map([...missing].map(([id, { at }]) => [id, { times: believedAfterTimes, at }]));
}
