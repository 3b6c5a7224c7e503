import { hasReason } from '../../resources/condition.ts';
import type { Claimant } from '../situation/situation.ts';
import {
  cacheIndex,
  keyOf,
  type Clock,
  type ObjectCache,
  type ResourceKey,
} from '../../runtime/index.ts';
import { objectOfEntry, type Ledger } from '../ledger/entry.ts';
import { attemptName } from '../ledger/attempt.ts';
import { listLagMs, peeringIds } from '../ledger/record.ts';
import { recordIn, type Attempt, type LedgerEntry } from '../../resources/ledger-entry.ts';
import type { Kind, ManagedObject } from '../../resources/managed-object.ts';

/** An object, living or gone, with an open create on a resource, or with a resource that still needs that resource. */
interface Holder {
  readonly kind: Kind;
  readonly key: ResourceKey;
  readonly uid: string;
  readonly attempt: Attempt | undefined;
  readonly id: string | undefined;
}

/**
 * The owners of resources, from the ledger entries and the caches of all objects. All answers are
 * those of the caches at the time of the call.
 */
export interface ClaimTable {
  ownerOf(kind: Kind, projectId: string, id: string): Claimant | undefined;
  /** All living objects whose entries have this id: several only after a restore, or an adoption by two objects at once. */
  claimantsOf(kind: Kind, projectId: string, id: string): readonly Claimant[];
  /** The object whose open create may have made this resource: it has the name, and is not among those that had the name before. */
  openCreateOf(
    kind: Kind,
    projectId: string,
    resource: { readonly id: string; readonly name: string },
  ): Holder | undefined;
  /**
   * Ids in a project that the cloud should show, according to the objects of a kind; for peerings, to the owner
   * of their VPC.
   * @param parentId for resources that are listed by their parent
   */
  expectedIds(kind: Kind | 'peering', projectId: string, parentId?: string): Iterable<string>;
  /**
   * The open creates of forks or replica sets of this resource, and the living objects whose resource needs it. A create counts for
   * at most ten minutes since this process first saw it, by the policy clock: then the lists show its result, and it may wait for
   * a recreated resource.
   */
  holdersOf(id: string): readonly Holder[];
}

const openHoldsMs = 600_000;

/**
 * Whether an object has this resource already, so that the attempt did not make it. A lost resource is the
 * object's own. Ids are unique only below a parent.
 */
export function isClaimedBesides(
  { request: { parentId } }: Attempt,
  { kind, projectId }: { readonly kind: Kind; readonly projectId: string },
  claims: Pick<ClaimTable, 'ownerOf'>,
): (id: string) => boolean {
  return (id) => {
    const owner = claims.ownerOf(kind, projectId, id);
    return (
      owner !== undefined &&
      (parentId === undefined || owner.parentId === undefined || owner.parentId === parentId)
    );
  };
}

/** The caches of all objects and of the ledger. */
interface Known {
  of(kind: Kind): Pick<ObjectCache<ManagedObject>, 'get'>;
  readonly ledger: Pick<Ledger, 'entries'>;
}

/** Makes the claim table of a process. Its indexes follow the caches. */
export function claimTable(caches: Known, clock: Pick<Clock, 'now'>): ClaimTable {
  const { entries } = caches.ledger;
  const indexOf = (textsOf: (entry: LedgerEntry) => readonly (string | undefined)[]) =>
    cacheIndex([entries], (entry) => textsOf(entry).filter((text) => text !== undefined));
  const claims = indexOf((entry) => [resourceKeyOf(entry)]);
  const lists = indexOf((entry) => [listOf(entry)]);
  const askedAbout = indexOf(askedOn);
  const madeOf = indexOf(sourcesOf);
  const named = indexOf((entry) =>
    [recordIn(entry).attempt].map((attempt) => attempt && attemptName(attempt)),
  );
  const createSeenAt = firstSeen(entries, clock, (entry) => recordIn(entry).attempt?.id);
  const idSeenAt = firstSeen(entries, clock, (entry) => recordIn(entry).id, -Infinity);
  const objectOf = (entry: LedgerEntry) => objectIn(entry, caches);
  // Another process may have created it. The snapshots of this process have its own new resources.
  const mayLag = (entry: LedgerEntry) => clock.now() - idSeenAt(entry) < listLagMs;
  const claimantsOf: ClaimTable['claimantsOf'] = (kind, projectId, id) =>
    claims
      .of(`${kind}/${projectId}/${id}`)
      .flatMap((entry) => {
        const object = objectOf(entry);
        return object
          ? [
              {
                kind,
                key: keyOf(object),
                uid: object.metadata.uid,
                parentId: recordIn(entry).parentServiceId,
              },
            ]
          : [];
      })
      .toSorted((a, b) => a.uid.localeCompare(b.uid));
  return {
    holdersOf: (id) =>
      [
        ...askedAbout.of(id).filter((entry) => clock.now() - createSeenAt(entry) < openHoldsMs),
        ...madeOf.of(id).filter((entry) => needs(id, entry, objectOf(entry))),
      ].flatMap((entry) => holderIn(entry) ?? []),
    ownerOf: (kind, projectId, id) => claimantsOf(kind, projectId, id)[0],
    claimantsOf,
    openCreateOf: (kind, projectId, { id, name }) =>
      named
        .of(name)
        .filter(
          (entry) =>
            recordIn(entry).projectId === projectId &&
            recordIn(entry).attempt?.sameNameIds.includes(id) === false,
        )
        .flatMap((entry) => holderIn(entry) ?? [])
        .find((holder) => holder.kind === kind),
    expectedIds(kind, projectId, parentId = '') {
      if (kind === 'peering') {
        const [vpc] = claims
          .of(`ManagedVpc/${projectId}/${parentId}`)
          .filter((entry) => objectOf(entry) !== undefined);
        return vpc ? peeringIds(recordIn(vpc)) : [];
      }
      const expected = lists
        .of(`${kind}/${projectId}/${parentId}`)
        // The resource of an open recreation was proven to be gone.
        .filter(
          (entry) =>
            recordIn(entry).attempt === undefined && isExpected(objectOf(entry)) && !mayLag(entry),
        );
      return new Set(expected.flatMap((entry) => recordIn(entry).id ?? []));
    },
  };
}

function objectIn(entry: LedgerEntry, caches: Pick<Known, 'of'>): ManagedObject | undefined {
  const named = objectOfEntry(entry);
  const object: ManagedObject | undefined = named && caches.of(named.kind).get(keyOf(named));
  return object?.metadata.uid === named?.metadata.uid ? object : undefined;
}

/** A replica set needs its service, a fork its source until the fork was READY. A lost resource needs nothing. */
function needs(id: string, entry: LedgerEntry, object: ManagedObject | undefined): boolean {
  if (!object || hasReason(object, 'Lost')) return false;
  const { status } = object;
  const { id: fork, forkSourceId } = recordIn(entry);
  const wasReady =
    status !== undefined && 'wasReady' in status && status.wasReady === true && status.id === fork;
  return !(wasReady && forkSourceId === id);
}

/** Undefined if the entry cannot be read. */
function holderIn(entry: LedgerEntry): Holder | undefined {
  const object = objectOfEntry(entry);
  if (!object) return undefined;
  const { kind, metadata } = object;
  const { attempt, id } = recordIn(entry);
  return { kind, key: keyOf(object), uid: metadata.uid, attempt, id };
}

/**
 * Policy time at which this process first saw an entry with this text.
 * @param atStart the time for entries from before this process began. Default: now
 */
function firstSeen(
  entries: Ledger['entries'],
  clock: Pick<Clock, 'now'>,
  textOf: (entry: LedgerEntry) => string | undefined,
  atStart?: number,
): (entry: LedgerEntry) => number {
  const since = new WeakMap<LedgerEntry, number>();
  const sinceOf = (entry: LedgerEntry) => since.get(entry) ?? clock.now();
  for (const entry of entries.values()) since.set(entry, atStart ?? clock.now());
  entries.onChange(({ object, previous, initial }) => {
    const isSame = previous && textOf(previous) === textOf(object);
    since.set(
      object,
      isSame ? sinceOf(previous) : ((initial ? atStart : undefined) ?? clock.now()),
    );
  });
  return sinceOf;
}

/** The source of a fork, or the service of a replica set, of an open create. */
function askedOn(entry: LedgerEntry): readonly string[] {
  const { sourceId, parentId } = recordIn(entry).attempt?.request ?? {};
  return [sourceId, parentId].filter((id) => typeof id === 'string');
}

/** The source of a fork, or the parent of a replica set, whose create is finished. */
function sourcesOf(entry: LedgerEntry): readonly (string | undefined)[] {
  const { id, forkSourceId, parentServiceId } = recordIn(entry);
  return id === undefined ? [] : [forkSourceId, parentServiceId];
}

function resourceKeyOf(entry: LedgerEntry): string | undefined {
  const { id, projectId } = recordIn(entry);
  return id === undefined || projectId === undefined
    ? undefined
    : `${entry.content?.object.kind}/${projectId}/${id}`;
}

function listOf(entry: LedgerEntry): string | undefined {
  const { id, projectId, parentServiceId = '' } = recordIn(entry);
  return id === undefined || projectId === undefined
    ? undefined
    : `${entry.content?.object.kind}/${projectId}/${parentServiceId}`;
}

/** Whether the cloud should show the resource: the object is not being deleted, and did not report it as lost. */
function isExpected(object: ManagedObject | undefined): boolean {
  return (
    object !== undefined &&
    object.metadata.deletionTimestamp === undefined &&
    !hasReason(object, 'Lost')
  );
}
