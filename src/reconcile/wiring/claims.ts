import { hasReason } from '../../resources/condition.ts';
import type { Claimant } from '../situation/situation.ts';
import {
  cacheIndex,
  keyOf,
  resourceKey,
  type Clock,
  type ObjectCache,
  type ResourceKey,
} from '../../runtime/index.ts';
import { objectOfEntry, recordOf, type Ledger } from '../ledger/entry.ts';
import { attemptName } from '../ledger/attempt.ts';
import { listLagMs, peeringIds } from '../ledger/record.ts';
import { recordIn, type Attempt, type LedgerEntry } from '../../resources/ledger-entry.ts';
import { externalIdIn } from '../../resources/annotations.ts';
import type { Kind, ManagedObject, ObjectOf } from '../../resources/managed-object.ts';
import type { ManagedService } from '../../resources/managed-service.ts';

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
   * The open creates of forks or replica sets of this resource, the living objects whose resource needs it, and the objects
   * that are yet to become a fork of it. A create counts for at most ten minutes since this process first saw it, by the policy
   * clock: then the lists show its result, and it may wait for a recreated resource.
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
  of<K extends Kind>(kind: K): Pick<ObjectCache<ObjectOf<K>>, 'get' | 'values'>;
  readonly ledger: Pick<Ledger, 'entries' | 'namespace'>;
}

/** Makes the claim table of a process. Its index follows the caches. */
export function claimTable(caches: Known, clock: Pick<Clock, 'now'>): ClaimTable {
  const { entries } = caches.ledger;
  const index = cacheIndex([entries], (entry) =>
    Object.entries(rowOf(entry)).flatMap(([field, texts]) =>
      texts.map((text) => `${field} ${text}`),
    ),
  );
  const entriesBy = (field: Field, text: string) => index.of(`${field} ${text}`);
  const seenAt = firstSeen(entries, clock);
  const ageOf = (entry: LedgerEntry, part: keyof Seen) => clock.now() - seenAt(entry)[part];
  const objectOf = (entry: LedgerEntry) => objectIn(entry, caches);
  const claimantsOf: ClaimTable['claimantsOf'] = (kind, projectId, id) =>
    entriesBy('resource', textOf(kind, projectId, id))
      .flatMap((entry) => {
        const object = objectOf(entry);
        const { parentServiceId: parentId } = recordIn(entry);
        return object ? [{ kind, key: keyOf(object), uid: object.metadata.uid, parentId }] : [];
      })
      .toSorted((a, b) => a.uid.localeCompare(b.uid));
  return {
    holdersOf: (id) =>
      [
        ...entriesBy('askedOn', id).filter((entry) => ageOf(entry, 'create') < openHoldsMs),
        ...entriesBy('madeOf', id).filter((entry) => needs(id, entry, objectOf(entry))),
      ]
        .flatMap((entry) => holderIn(entry) ?? [])
        .concat(forksToCome(id, caches)),
    ownerOf: (kind, projectId, id) => claimantsOf(kind, projectId, id)[0],
    claimantsOf,
    openCreateOf: (kind, projectId, { id, name }) =>
      entriesBy('newName', name)
        .filter(
          (entry) =>
            recordIn(entry).projectId === projectId &&
            recordIn(entry).attempt?.sameNameIds.includes(id) === false,
        )
        .flatMap((entry) => holderIn(entry) ?? [])
        .find((holder) => holder.kind === kind),
    expectedIds(kind, projectId, parentId = '') {
      if (kind === 'peering') {
        const [vpc] = entriesBy('resource', textOf('ManagedVpc', projectId, parentId)).filter(
          (entry) => objectOf(entry) !== undefined,
        );
        return vpc ? peeringIds(recordIn(vpc)) : [];
      }
      const expected = entriesBy('list', textOf(kind, projectId, parentId)).filter(
        (entry) =>
          // The resource of an open recreation was proven to be gone.
          recordIn(entry).attempt === undefined &&
          isExpected(objectOf(entry)) &&
          // Another process may have created it. The snapshots of this process have its own new resources.
          ageOf(entry, 'id') >= listLagMs,
      );
      return new Set(expected.flatMap((entry) => recordIn(entry).id ?? []));
    },
  };
}

/**
 * A group of texts by which an entry is found.
 * - `resource`: the resource of the entry.
 * - `list`: the list that shows this resource.
 * - `madeOf`: the ids of the source of a fork, and of the parent of a replica set, whose create is
 *   finished.
 * - `askedOn`: the same ids of an open create.
 * - `newName`: the name that an open create asks for.
 */
type Field = 'resource' | 'list' | 'madeOf' | 'askedOn' | 'newName';
type Row = Readonly<Record<Field, readonly string[]>>;

function rowOf(entry: LedgerEntry): Row {
  const { id, projectId, attempt, forkSourceId, parentServiceId } = recordIn(entry);
  const kind = entry.content?.object.kind;
  const isPlaced = kind !== undefined && projectId !== undefined && id !== undefined;
  return {
    resource: isPlaced ? [textOf(kind, projectId, id)] : [],
    list: isPlaced ? [textOf(kind, projectId, parentServiceId ?? '')] : [],
    madeOf:
      id === undefined
        ? []
        : [forkSourceId, parentServiceId].filter((text) => typeof text === 'string'),
    askedOn: [attempt?.request['sourceId'], attempt?.request['parentId']].filter(
      (text) => typeof text === 'string',
    ),
    newName: attempt ? [attemptName(attempt)] : [],
  };
}

/** A resource or a list in a project, as a text for an index. */
function textOf(kind: string, projectId: string, id: string): string {
  return `${kind}/${projectId}/${id}`;
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

/**
 * The living objects that name the service as the source of a fork for which no request was sent. An object that adopts, or
 * only observes, never becomes a fork. Looks through all services.
 * @param sourceId the id of the service
 */
function forksToCome(sourceId: string, caches: Known): readonly Holder[] {
  const isToCome = (service: ManagedService) => {
    const { spec, metadata } = service;
    const named = spec.fork?.serviceRef?.name;
    if (named === undefined || metadata.deletionTimestamp !== undefined) return false;
    if (spec.managementPolicy === 'Observe' || externalIdIn(service) !== undefined) return false;
    const source = caches.of('ManagedService').get(resourceKey(metadata.namespace, named));
    const { id, attempt } = recordOf(service, caches);
    const isUnrequested = id === undefined && attempt === undefined;
    return isUnrequested && source !== undefined && recordOf(source, caches).id === sourceId;
  };
  return [...caches.of('ManagedService').values()].filter(isToCome).map((service) => ({
    kind: service.kind,
    key: keyOf(service),
    uid: service.metadata.uid,
    attempt: undefined,
    id: undefined,
  }));
}

/** Undefined if the entry cannot be read. */
function holderIn(entry: LedgerEntry): Holder | undefined {
  const object = objectOfEntry(entry);
  if (!object) return undefined;
  const { kind, metadata } = object;
  const { attempt, id } = recordIn(entry);
  return { kind, key: keyOf(object), uid: metadata.uid, attempt, id };
}

/** Policy times at which this process first saw the open create and the id of an entry. */
interface Seen {
  readonly create: number;
  /** `-Infinity` for an entry from before this process began. */
  readonly id: number;
}

function firstSeen(
  entries: Ledger['entries'],
  clock: Pick<Clock, 'now'>,
): (entry: LedgerEntry) => Seen {
  const seen = new WeakMap<LedgerEntry, Seen>();
  const seenAt = (entry: LedgerEntry) =>
    seen.get(entry) ?? { create: clock.now(), id: clock.now() };
  for (const entry of entries.values()) seen.set(entry, { create: clock.now(), id: -Infinity });
  entries.onChange(({ object, previous, initial }) => {
    const before = previous && { ...recordIn(previous), seenAt: seenAt(previous) };
    const now = recordIn(object);
    const isSameCreate = before && before.attempt?.id === now.attempt?.id;
    const isSameId = before && before.id === now.id;
    const newIdAt = initial ? -Infinity : clock.now();
    seen.set(object, {
      create: isSameCreate ? before.seenAt.create : clock.now(),
      id: isSameId ? before.seenAt.id : newIdAt,
    });
  });
  return seenAt;
}

/** Whether the cloud should show the resource: the object is not being deleted, and did not report it as lost. */
function isExpected(object: ManagedObject | undefined): boolean {
  return (
    object !== undefined &&
    object.metadata.deletionTimestamp === undefined &&
    !hasReason(object, 'Lost')
  );
}
