import { keyOf, resourceKey } from '../../runtime/index.ts';
import type { LedgerEntry } from '../../resources/ledger-entry.ts';
import { isKind, type ManagedObject } from '../../resources/managed-object.ts';
import type { View } from '../wiring/context.ts';
import { attemptName } from '../ledger/attempt.ts';
import type { Leftover } from '../situation/situation.ts';
import { isReleased, entryName } from '../ledger/entry.ts';

/** An object that the cluster has now. */
type Living = Pick<ManagedObject, 'kind' | 'metadata'>;

/** The entries of earlier objects about this resource, in the object's namespace, of any cluster. The cache has none of these objects. */
export function leftEntries(
  object: Living,
  resource: string,
  { caches }: Pick<View, 'caches'>,
): readonly LedgerEntry[] {
  return caches.ledger.ofResource(resource).filter(({ metadata, content }) => {
    if (
      !content ||
      metadata.name === entryName(object) ||
      content.object.namespace !== object.metadata.namespace
    )
      return false;
    const { kind, namespace, name, uid } = content.object;
    return isKind(kind) && caches.of(kind).get(resourceKey(namespace, name))?.metadata.uid !== uid;
  });
}

/**
 * The resources that earlier objects of the same kind, namespace and name left, and their creates without an
 * answer, the latest first. No living object owns them. An entry of another cluster proves nothing here.
 */
export function leftoversOf(
  object: Living,
  projectId: string | undefined,
  { caches, claims, clusterUid }: Pick<View, 'caches' | 'claims' | 'clusterUid'>,
): readonly Leftover[] {
  // Objects of a name follow each other, so the latest claim was released last.
  const latestFirst = caches.ledger
    .ofName(object.kind, keyOf(object))
    .toSorted((a, b) => claimTextOf(b).localeCompare(claimTextOf(a)));
  return latestFirst.flatMap((entry) => {
    const { content } = entry;
    if (!content || content.object.uid === object.metadata.uid || content.clusterUid !== clusterUid)
      return [];
    const { id, attempt, projectId: project = '' } = content;
    if (projectId !== undefined && project !== projectId) return [];
    if (id === undefined) return attempt ? [{ id: attempt.id, asked: attemptName(attempt) }] : [];
    return isReleased(entry) || claims.ownerOf(object.kind, project, id) ? [] : [{ id }];
  });
}

/** The time of the claim, and the name of the entry for an order that is the same in each process. */
function claimTextOf({ metadata, content }: LedgerEntry): string {
  return `${content?.claimedAt ?? ''} ${metadata.name}`;
}
