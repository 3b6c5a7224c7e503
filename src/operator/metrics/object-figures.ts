import { holderIn } from '../../reconcile/process/claims.ts';
import type { Caches } from '../../reconcile/process/context.ts';
import { isUnseen, readyOf, syncedOf } from '../../resources/condition.ts';
import { entryLabels } from '../../resources/ledger-entry.ts';
import { isKind, type Kind, kinds, type ManagedObject } from '../../resources/managed-object.ts';

export interface ObjectFigures {
  readonly groups: readonly ObjectGroup[];
  /** Also for kinds without objects. */
  readonly kinds: ReadonlyMap<Kind, KindFigures>;
  readonly unsynced: readonly Unsynced[];
}

export interface ObjectGroup {
  readonly kind: Kind;
  readonly ready: string;
  readonly reason: string;
  readonly environment: Environment;
  readonly count: number;
}

/** Of a service or a replica set; empty if it has none. An empty label is no label for Prometheus. */
export const environments = ['DEV', 'PROD', ''] as const;
export type Environment = (typeof environments)[number];

/** The longest time without progress, of all objects of a kind whose spec is not applied for this reason. */
export interface Unsynced {
  readonly kind: Kind;
  readonly reason: string;
  readonly environment: Environment;
  readonly oldestMs: number;
}

export interface KindFigures {
  /** The objects of other processes, too, which count in nothing else. */
  readonly watched: number;
  readonly lost: Readonly<Record<Environment, number>>;
  readonly stalled: Readonly<Record<Environment, number>>;
  readonly openCreates: Readonly<Record<Environment, number>>;
  /** 0 when no create is open. */
  readonly oldestOpenCreateMs: Readonly<Record<Environment, number>>;
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
  const unsynced = new Map<string, Unsynced>();
  const sums = new Map(
    kinds.map((kind) => [kind, { watched: 0, lost: none(), stalled: none(), openCreates: none(), oldestOpenCreateMs: none() }]),
  );
  for (const object of objects) {
    const { kind } = object;
    const sum = sums.get(kind);
    if (!sum) continue;
    sum.watched += 1;
    if (!isOurs(object)) continue;
    const { status: ready = 'Unknown' } = readyOf(object) ?? {};
    const { reason = 'Pending' } = syncedOf(object) ?? {};
    const environment = environmentOf(object);
    const name = `${kind} ${ready} ${reason} ${environment}`;
    groups.set(name, { kind, ready, reason, environment, count: (groups.get(name)?.count ?? 0) + 1 });
    if (reason === 'Lost') sum.lost[environment] += 1;
    if (isTrue(object, 'Stalled')) sum.stalled[environment] += 1;
    const ageMs = withoutProgressMs(object, now);
    const waiting = `${kind} ${reason} ${environment}`;
    if (ageMs !== undefined)
      unsynced.set(waiting, { kind, reason, environment, oldestMs: Math.max(ageMs, unsynced.get(waiting)?.oldestMs ?? 0) });
    const begunAt = openCreateSince(object);
    if (begunAt === undefined) continue;
    sum.openCreates[environment] += 1;
    sum.oldestOpenCreateMs[environment] = Math.max(sum.oldestOpenCreateMs[environment], now - begunAt);
  }
  return { groups: [...groups.values()], kinds: sums, unsynced: [...unsynced.values()] };
}

function none(): Record<Environment, number> {
  return { DEV: 0, PROD: 0, '': 0 };
}

/** The environment in the spec, otherwise the environment that the cloud showed last. */
export function environmentOf({ spec, status }: ManagedObject): Environment {
  const service = status && 'service' in status ? status.service : undefined;
  const replicaSet = status && 'replicaSet' in status ? status.replicaSet : undefined;
  const asked = 'environment' in spec ? spec.environment : undefined;
  const environment = asked ?? service?.metadata?.environment ?? replicaSet?.metadata?.environment;
  return environments.find((each) => each === environment) ?? '';
}

/**
 * Milliseconds for which this spec has waited for the operator or a person. Undefined if it is applied, or is left on
 * purpose.
 */
export function unsyncedMs(object: ManagedObject, now: number): number | undefined {
  const synced = syncedOf(object);
  const isLeft = synced !== undefined && synced.status !== 'True' && !isTrue(object, 'Reconciling') && !isTrue(object, 'Stalled');
  if (synced?.status === 'True' || isLeft) return undefined;
  const since = synced && !isUnseen(synced) ? synced.lastTransitionTime : object.metadata.creationTimestamp;
  return Math.max(0, now - (Date.parse(since ?? '') || now));
}

/**
 * As {@link unsyncedMs}, but since the last progress: a condition's reason may change without a time, after a long
 * wait. Another try of the operator is no progress.
 */
function withoutProgressMs(object: ManagedObject, now: number): number | undefined {
  const { metadata, status } = object;
  const working = status?.conditions?.find(({ type }) => type === 'Reconciling');
  const steps = [
    working && !isUnseen(working) && working.lastTransitionTime,
    metadata.deletionTimestamp,
    status?.stateSince,
    status?.lastOperation?.at,
  ];
  const progressAt = Math.max(0, ...steps.map((at) => Date.parse(at || '') || 0));
  const unsynced = unsyncedMs(object, now);
  return unsynced === undefined ? undefined : Math.min(unsynced, Math.max(0, now - progressAt));
}

function isTrue({ status: { conditions = [] } = {} }: ManagedObject, wanted: 'Reconciling' | 'Stalled'): boolean {
  return conditions.some(({ type, status }) => type === wanted && status === 'True');
}

/** `bound`: its object is there. `left`: its object is gone, so the operator does not manage the resource. */
export const entryStates = ['bound', 'left', 'unreadable'] as const;
export type EntryState = (typeof entryStates)[number];

export interface EntryGroup {
  readonly kind: Kind;
  readonly state: EntryState;
}

/** Without the entries of other clusters. */
export function entryFigures({ ledger, of }: Pick<Caches, 'ledger' | 'of'>, clusterUid: string | undefined): readonly EntryGroup[] {
  return [...ledger.entries.values()].flatMap((entry): readonly EntryGroup[] => {
    const holder = holderIn(entry);
    if (holder && entry.content?.clusterUid !== clusterUid) return [];
    if (holder) {
      const { kind, key, uid } = holder;
      return [{ kind, state: of(kind).get(key)?.metadata.uid === uid ? 'bound' : 'left' }];
    }
    const kind = entry.metadata.labels?.[entryLabels.kind] ?? '';
    return isKind(kind) ? [{ kind, state: 'unreadable' }] : [];
  });
}
