import type { Claimant } from '../situation/situation.ts';
import { cacheIndex, keyOf, type Clock, type ObjectCache } from '../../runtime/index.ts';
import { attemptName, openAttemptIn } from '../record/attempt.ts';
import { peeringIds } from '../record/record-changes.ts';
import { countingRecordIn } from '../record/known-by-status.ts';
import { recordIn, type Attempt } from '../record/record.ts';
import type { Kind, ManagedObject } from '../../resources/managed-object.ts';

/**
 * The owners of cloud resources, derived from the records of all objects that this process sees. For an object that lost its record, status counts until the
 * record is restored.
 */
export interface ClaimTable {
  /** The owner: the object that recorded this id first. A copied record never counts before the original. */
  ownerOf(kind: Kind, projectId: string, id: string): Claimant | undefined;
  /** All objects with this id, the owner first. */
  claimantsOf(kind: Kind, projectId: string, id: string): readonly Claimant[];
  /**
   * All objects with this create, open or done, and the owner first: the object that began it. A copy of an open record must not take what it makes. If a copy
   * has become an original since, and has taken it, that is so.
   */
  claimantsOfCreate(attemptId: string): readonly Claimant[];
  /** The object whose open create may have made this resource: it has the name, and is not one of those that had the name before. */
  openCreateOf(kind: Kind, projectId: string, resource: { readonly id: string; readonly name: string }): Claimant | undefined;
  /**
   * Ids in one project that the cloud should show, according to the objects of a kind, or, for peerings, according to the owner of their VPC.
   * @param parentId for what is listed by its parent
   */
  expectedIds(kind: Kind | 'peering', projectId: string, parentId?: string): Iterable<string>;
  /**
   * The objects with an open create on this resource: a fork of it, or a part of it. No list shows whether the create has made something. A create counts
   * for ten minutes at most since this process first saw it, by the clock of policy, whatever time somebody wrote: then the lists show whatever it made, and it
   * may wait for the resource to be made again. What another process has made of the resource counts, too, until the lists of this one are sure to have it.
   */
  openCreatesOn(id: string): readonly ManagedObject[];
}

const openHoldsMs = 600_000;
/** Longer than the lag and the interval of lists together. */
const madeHoldsMs = 120_000;

/**
 * The objects with equal claims, if no object has a better one and none is the original. After a restore of an object and its copy, nobody can tell which is
 * the owner.
 * @param claimants the owner first
 */
export function undecidedAmong([first, ...others]: readonly Claimant[]): readonly Claimant[] {
  const equals = others.filter(({ isOriginal, claimedAt }) => !isOriginal && claimedAt === first?.claimedAt);
  return first && !first.isOriginal && equals.length > 0 ? [first, ...equals] : [];
}

/**
 * Whether an object has a resource from elsewhere than this create. A copy of the record may say already what the create made. A lost resource is the
 * object's own until the create has replaced it. Each parent gives ids of its own.
 */
export function isClaimedBesides(
  { id: create, request: { parentId } }: Attempt,
  { kind, projectId }: { readonly kind: Kind; readonly projectId: string },
  claims: Pick<ClaimTable, 'ownerOf'>,
): (id: string) => boolean {
  return (id) => {
    const owner = claims.ownerOf(kind, projectId, id);
    if (!owner || owner.create === create) return false;
    return parentId === undefined || owner.parentId === undefined || owner.parentId === parentId;
  };
}

/** Lists of the cloud may lag a write by this time. */
const listLagMs = 10_000;

/** @param isOthers whether another process works the object */
export function claimTable(
  caches: readonly ObjectCache<ManagedObject>[],
  clock: Pick<Clock, 'now'>,
  isOthers: (object: ManagedObject) => boolean = () => false,
): ClaimTable {
  const claims = cacheIndex(caches, (object) => [heldBy(object)].flatMap((held) => (held ? [placeOf(object.kind, held)] : [])));
  const shown = cacheIndex(caches, listsWith);
  const askedAbout = cacheIndex(caches, askedOn);
  const madeOf = cacheIndex(caches, sourcesOf);
  const createSeenAt = firstSeen(caches, clock, (object) => recordIn(object).attempt?.id);
  const idSeenAt = firstSeen(
    caches,
    clock,
    (object) => heldBy(object)?.id,
    () => -Infinity,
  );
  // What this process made itself, its snapshots of the cloud have.
  const isNewFor = (ms: number) => (object: ManagedObject) => isOthers(object) && clock.now() - idSeenAt(object) < ms;
  const mayLag = isNewFor(listLagMs);
  const creates = cacheIndex(caches, createsOf);
  const named = cacheIndex(caches, (object) => [openAttemptOf(object)].flatMap((attempt) => (attempt ? [attemptName(attempt)] : [])));
  const claimantsOf: ClaimTable['claimantsOf'] = (kind, projectId, id) =>
    claims.of(placeOf(kind, { projectId, id })).map(holderIn).toSorted(earlierFirst);
  return {
    openCreatesOn: (id) => [
      ...askedAbout.of(id).filter((object) => clock.now() - createSeenAt(object) < openHoldsMs),
      ...madeOf.of(id).filter(isNewFor(madeHoldsMs)),
    ],
    ownerOf: (kind, projectId, id) => claimantsOf(kind, projectId, id)[0],
    claimantsOf,
    claimantsOfCreate: (attemptId) =>
      creates
        .of(attemptId)
        .map(claimantIn)
        .toSorted((a, b) => originalFirst(a, b) || Number(b.create === attemptId) - Number(a.create === attemptId) || earlierFirst(a, b)),
    openCreateOf: (kind, projectId, { id, name }) =>
      named
        .of(name)
        .filter((object) => object.kind === kind && recordIn(object).projectId === projectId)
        .filter((object) => openAttemptOf(object)?.sameNameIds.includes(id) === false)
        .map(claimantIn)
        .toSorted(earlierFirst)[0],
    expectedIds(kind, projectId, parentId = '') {
      if (kind !== 'peering') {
        const expected = shown.of(listOf(kind, projectId, parentId)).filter((object) => !mayLag(object));
        return new Set(expected.map((object) => heldBy(object)?.id ?? ''));
      }
      // A copy of the VPC's object may name any peerings, and must not keep those of the owner waiting.
      const [owner] = claimantsOf('ManagedVpc', projectId, parentId);
      const vpc = claims.of(placeOf('ManagedVpc', { projectId, id: parentId })).find(({ metadata }) => metadata.uid === owner?.uid);
      return vpc ? peeringIds(countingRecordIn(vpc)) : [];
    },
  };
}

/** The resource that an object claims, by its record, or else by its status. */
interface Held {
  readonly id: string;
  readonly projectId: string;
  readonly parentId: string | undefined;
  readonly by: 'record' | 'status';
}

function heldBy(object: ManagedObject): Held | undefined {
  const { id, projectId = object.status?.projectId, parentServiceId: parentId } = countingRecordIn(object);
  if (id === undefined || projectId === undefined) return undefined;
  return { id, projectId, parentId, by: recordIn(object).id === undefined ? 'status' : 'record' };
}

/** The claim of an object on the resource that it has. Status cannot be copied with a manifest, so an object that has only that was first. */
function holderIn(object: ManagedObject): Claimant {
  const held = heldBy(object);
  const claimant = claimantIn(object);
  if (held?.by !== 'status') return claimant;
  return { ...claimant, parentId: held.parentId, claimedAt: '', isOriginal: true, isExpected: isExpected(object) };
}

/** The list that should show the resource of an object. */
function listsWith(object: ManagedObject): readonly string[] {
  const held = heldBy(object);
  return held && holderIn(object).isExpected ? [listOf(object.kind, held.projectId, held.parentId)] : [];
}

/** The creates of an object: the open one, and the one that made its resource. */
function createsOf(object: ManagedObject): readonly string[] {
  return [openAttemptOf(object)?.id, recordIn(object).createdBy].filter((id) => id !== undefined);
}

function claimantIn(object: ManagedObject): Claimant {
  const { claimedAt = '', objectUid, parentServiceId: parentId, attempt, createdBy } = recordIn(object);
  const { uid } = object.metadata;
  return {
    kind: object.kind,
    key: keyOf(object),
    uid,
    claimedAt,
    isOriginal: objectUid === uid,
    create: createdBy,
    // The resource of an open recreation was proven to be gone.
    isExpected: isExpected(object) && !attempt,
    parentId,
  };
}

function openAttemptOf(object: ManagedObject): Attempt | undefined {
  return openAttemptIn(recordIn(object), object);
}

/**
 * Policy time at which this process first saw an object with this text.
 * @param atStart the same for what was there when this process began. Default: that is new to it, too
 */
function firstSeen(
  caches: readonly ObjectCache<ManagedObject>[],
  clock: Pick<Clock, 'now'>,
  textOf: (object: ManagedObject) => string | undefined,
  atStart = () => clock.now(),
): (object: ManagedObject) => number {
  const since = new WeakMap<ManagedObject, number>();
  const sinceOf = (object: ManagedObject) => since.get(object) ?? clock.now();
  for (const cache of caches) {
    for (const object of cache.values()) since.set(object, atStart());
    cache.onChange(({ object, previous, initial }) => {
      const isSame = previous && textOf(previous) === textOf(object);
      since.set(object, isSame ? sinceOf(previous) : initial ? atStart() : clock.now());
    });
  }
  return sinceOf;
}

/** The resources that an open create is about: the source of a fork, the service of a replica set. */
function askedOn(object: ManagedObject): readonly string[] {
  const { sourceId, parentId } = openAttemptOf(object)?.request ?? {};
  return [sourceId, parentId].filter((id) => typeof id === 'string');
}

/** The resources that the one of this object was made of and still needs: the source of a fork until that was READY, the service of a replica set. */
function sourcesOf(object: ManagedObject): readonly string[] {
  const { id, forkSourceId, parentServiceId } = countingRecordIn(object);
  const wasReady = object.kind === 'ManagedService' && object.status?.id === id && object.status?.wasReady === true;
  return id === undefined ? [] : [wasReady ? undefined : forkSourceId, parentServiceId].filter((source) => source !== undefined);
}

function placeOf(kind: Kind, { projectId, id }: Pick<Held, 'projectId' | 'id'>): string {
  return `${kind}/${projectId}/${id}`;
}

function listOf(kind: Kind, projectId: string, parentId = ''): string {
  return `${kind}/${projectId}/${parentId}`;
}

function isExpected({ metadata, status }: ManagedObject): boolean {
  const isLost = status?.conditions?.some(({ type, reason }) => type === 'Stalled' && reason === 'Lost') ?? false;
  return metadata.deletionTimestamp === undefined && !isLost;
}

function originalFirst(a: Claimant, b: Claimant): number {
  return Number(b.isOriginal) - Number(a.isOriginal);
}

function earlierFirst(a: Claimant, b: Claimant): number {
  return originalFirst(a, b) || a.claimedAt.localeCompare(b.claimedAt) || a.uid.localeCompare(b.uid);
}
