import { createHash } from 'node:crypto';
import { resourceKey, type ResourceKey } from '../../runtime/index.ts';
import type { LedgerEntry } from '../../resources/ledger-entry.ts';
import { isKind, type ManagedObject } from '../../resources/managed-object.ts';
import type { Caches, View } from '../process/context.ts';
import type { LedgerPassword } from '../step/connection.ts';

type Ledger = Pick<Caches, 'ledger'>;
type Owner = Pick<ManagedObject, 'kind' | 'metadata'>;

/** The name of an object's entry. Creating a Secret of that name is the lock. */
export function entryName({ kind, metadata: { uid } }: Owner): string {
  return `${kind.toLowerCase()}-${uid}`;
}

export function entryKey(name: string, { ledger }: Ledger): ResourceKey {
  return resourceKey(ledger.namespace, name);
}

/** The entry of an object, from the cache. */
export function entryOf(object: Owner, caches: Ledger): LedgerEntry | undefined {
  return caches.ledger.entries.get(entryKey(entryName(object), caches));
}

/** The password of a resource in an entry; undefined if none is known, or if the entry is about another resource. */
export function passwordOf(entry: LedgerEntry | undefined, resource: string | undefined): LedgerPassword | undefined {
  const { id, hasPassword, passwordNumber: number } = entry?.content ?? {};
  const isKnown = id !== undefined && id === resource && hasPassword === true;
  return entry && isKnown && number !== undefined ? { entry: entry.metadata.name, id, number } : undefined;
}

/** Identifies a resource of the cloud in labels and annotations, without revealing its id. */
export function resourceHash(kind: string, projectId: string, id: string): string {
  return createHash('sha256').update(`${kind}/${projectId}/${id}`).digest('hex').slice(0, 40);
}

/** The entries of earlier objects about this resource, in the namespace of the object. The cache has none of these objects. */
export function leftEntries(object: Owner, resource: string, { caches }: Pick<View, 'caches'>): readonly LedgerEntry[] {
  return caches.ledger.ofResource(resource).filter(({ metadata, content }) => {
    if (!content || metadata.name === entryName(object) || content.object.namespace !== object.metadata.namespace) return false;
    const { kind, namespace, name, uid } = content.object;
    return isKind(kind) && caches.of(kind).get(resourceKey(namespace, name))?.metadata.uid !== uid;
  });
}

/**
 * The ids of resources that earlier objects of the same kind, namespace and name left, and that no living object owns. An entry of another cluster says nothing
 * here.
 */
export function leftoversOf(
  object: Owner,
  projectId: string | undefined,
  { caches, claims, clusterUid }: Pick<View, 'caches' | 'claims' | 'clusterUid'>,
): readonly string[] {
  return caches.ledger.ofName(object).flatMap(({ content }) => {
    if (!content?.id || content.object.uid === object.metadata.uid || content.clusterUid !== clusterUid) return [];
    const project = content.projectId ?? '';
    const isFree = (projectId === undefined || project === projectId) && !claims.ownerOf(object.kind, project, content.id);
    return isFree ? [content.id] : [];
  });
}

/** The words about an entry of a newer version, or one that was edited by hand. */
export function describeUnreadable({ metadata: { namespace, name } }: LedgerEntry): string {
  return `the ledger entry cannot be read: restore Secret ${name} in namespace ${namespace} from a backup`;
}
