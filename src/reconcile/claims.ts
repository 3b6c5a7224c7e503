import { keyOf, type ResourceKey } from '../runtime/kubernetes-object.ts';
import type { ObjectCache } from '../runtime/object-cache.ts';
import { annotations } from '../resources/annotations.ts';
import { readRecord } from './record.ts';
import type { ManagedObject } from './situation.ts';

export interface Claimant {
  readonly kind: ManagedObject['kind'];
  readonly key: ResourceKey;
  readonly uid: string;
  /** RFC 3339. */
  readonly claimedAt: string;
  /** The record was written for this very object; one that was copied with it names another uid. */
  readonly isOriginal: boolean;
}

/** Which object owns which cloud resource, derived from the records of all objects that this process sees. */
export interface ClaimTable {
  /** The owner: of all objects that recorded this id, the one that did so first; a copy of a record never counts before the original. */
  ownerOf(kind: ManagedObject['kind'], projectId: string, id: string): Claimant | undefined;
  claimantsOf(kind: ManagedObject['kind'], projectId: string, id: string): Iterable<Claimant>;
  /** Ids of one project that objects of a kind claim. */
  knownIds(kind: ManagedObject['kind'], projectId: string): Iterable<string>;
}

export function claimTable(caches: readonly ObjectCache<ManagedObject>[]): ClaimTable {
  const byProject = new Map<string, Map<string, Map<string, Claimant>>>();
  const placeOf = new Map<string, { project: string; id: string }>();

  const drop = (object: ManagedObject) => {
    const user = `${object.kind}/${object.metadata.uid}`;
    const place = placeOf.get(user);
    if (!place) return;
    placeOf.delete(user);
    const claimants = byProject.get(place.project)?.get(place.id);
    claimants?.delete(object.metadata.uid);
    if (claimants?.size === 0) byProject.get(place.project)?.delete(place.id);
  };
  const add = (object: ManagedObject) => {
    const read = readRecord(object.metadata.annotations?.[annotations.record]);
    if (read.state !== 'read' || !read.record.id || !read.record.projectId) return;
    const { id, projectId, claimedAt = '', objectUid } = read.record;
    const project = `${object.kind}/${projectId}`;
    const ids = byProject.get(project) ?? new Map<string, Map<string, Claimant>>();
    const claimants = ids.get(id) ?? new Map<string, Claimant>();
    const { uid } = object.metadata;
    claimants.set(uid, { kind: object.kind, key: keyOf(object), uid, claimedAt, isOriginal: objectUid === uid });
    byProject.set(project, ids.set(id, claimants));
    placeOf.set(`${object.kind}/${object.metadata.uid}`, { project, id });
  };
  for (const cache of caches) {
    cache.onChange(({ type, object, previous }) => {
      drop(previous ?? object);
      if (type !== 'deleted') add(object);
    });
  }

  const claimantsOf = (kind: ManagedObject['kind'], projectId: string, id: string): Iterable<Claimant> =>
    byProject.get(`${kind}/${projectId}`)?.get(id)?.values() ?? [];
  return {
    claimantsOf,
    ownerOf: (kind, projectId, id) => [...claimantsOf(kind, projectId, id)].toSorted(earlierFirst)[0],
    knownIds: (kind, projectId) => byProject.get(`${kind}/${projectId}`)?.keys() ?? [],
  };
}

function earlierFirst(a: Claimant, b: Claimant): number {
  return Number(b.isOriginal) - Number(a.isOriginal) || a.claimedAt.localeCompare(b.claimedAt) || a.uid.localeCompare(b.uid);
}
