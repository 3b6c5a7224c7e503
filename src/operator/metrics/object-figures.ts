import { kinds, type Kind, type ManagedObject } from '../../resources/managed-object.ts';
import { readyOf, syncedOf } from '../../resources/condition.ts';

/** Counts of the objects of all kinds, by state. */
export interface ObjectFigures {
  readonly groups: readonly ObjectGroup[];
  /** An entry for each kind, also for a kind without objects. */
  readonly kinds: ReadonlyMap<Kind, KindFigures>;
}

export interface ObjectGroup {
  readonly kind: Kind;
  readonly ready: string;
  readonly reason: string;
  readonly count: number;
}

export interface KindFigures {
  /** The objects of other processes, too, which count in nothing else. */
  readonly watched: number;
  readonly lost: number;
  readonly stalled: number;
  readonly openCreates: number;
  /** 0 when no create is open. */
  readonly oldestOpenCreateMs: number;
}

/**
 * Counts the objects. Pure, and cheap, since each scrape of /metrics goes through all objects.
 * @param now milliseconds since the epoch
 * @param openCreateSince the begin of a create whose answer is not recorded, in milliseconds since the epoch
 * @param isOurs whether this process works the object
 */
export function objectFigures(
  objects: Iterable<ManagedObject>,
  now: number,
  openCreateSince: (object: ManagedObject) => number | undefined,
  isOurs: (object: ManagedObject) => boolean = () => true,
): ObjectFigures {
  const groups = new Map<string, ObjectGroup>();
  const sums = new Map(kinds.map((kind) => [kind, { watched: 0, lost: 0, stalled: 0, openCreates: 0, oldestOpenCreateMs: 0 }]));
  for (const object of objects) {
    const { kind } = object;
    const sum = sums.get(kind);
    if (!sum) continue;
    sum.watched += 1;
    if (!isOurs(object)) continue;
    const { status: ready = 'Unknown' } = readyOf(object) ?? {};
    const { reason = 'Pending' } = syncedOf(object) ?? {};
    const name = `${kind} ${ready} ${reason}`;
    groups.set(name, { kind, ready, reason, count: (groups.get(name)?.count ?? 0) + 1 });
    if (reason === 'Lost') sum.lost += 1;
    if (object.status?.conditions?.some(({ type, status }) => type === 'Stalled' && status === 'True')) sum.stalled += 1;
    const begunAt = openCreateSince(object);
    if (begunAt === undefined) continue;
    sum.openCreates += 1;
    sum.oldestOpenCreateMs = Math.max(sum.oldestOpenCreateMs, now - begunAt);
  }
  return { groups: [...groups.values()], kinds: sums };
}
