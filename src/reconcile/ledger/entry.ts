import { createHash } from 'node:crypto';
import { keyOf, resourceKey, type KubernetesObject } from '../../runtime/index.ts';
import { apiGroup, apiVersion } from '../../resources/api-group.ts';
import type { LedgerEntry } from '../../resources/ledger-entry.ts';
import { isKind, type Kind, type ManagedObject } from '../../resources/managed-object.ts';
import type { View } from '../process/context.ts';
import { entryName, attemptName } from '../record/record.ts';
import type { Leftover } from '../situation/situation.ts';
import type { LedgerPassword } from '../step/connection.ts';

type Living = Pick<ManagedObject, 'kind' | 'metadata'>;

/** The object of an entry, which may be gone. Its resourceVersion is empty. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: Kind;
  readonly metadata: KubernetesObject['metadata'] & { readonly namespace: string };
}

/** Undefined if the entry cannot be read. */
export function ownerIn({ content }: LedgerEntry): Owner | undefined {
  if (!content || !isKind(content.object.kind)) return undefined;
  const { kind, namespace, name, uid } = content.object;
  return {
    apiVersion: `${apiGroup}/${apiVersion}`,
    kind,
    metadata: { namespace, name, uid, resourceVersion: '' },
  };
}

/** Undefined if no password is known, or if the entry is about another resource. */
export function passwordOf(
  entry: LedgerEntry | undefined,
  resource: string | undefined,
): LedgerPassword | undefined {
  const { id, hasPassword, passwordNumber: number } = entry?.content ?? {};
  const isKnown = id !== undefined && id === resource && hasPassword === true;
  return entry && isKnown && number !== undefined
    ? { entry: entry.metadata.name, id, number }
    : undefined;
}

/** Identifies a resource in labels and annotations, without revealing its id. */
export function resourceHash(kind: string, projectId: string, id: string): string {
  return createHash('sha256').update(`${kind}/${projectId}/${id}`).digest('hex').slice(0, 40);
}

/** Whether the operator released the object of this entry after the deletion of its resource. The entry is deleted last. */
export function isReleased({ metadata, content }: LedgerEntry): boolean {
  const { id, deletionStarted } = content ?? {};
  return metadata.deletionTimestamp !== undefined && id !== undefined && deletionStarted?.id === id;
}

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
 * answer. No living object owns them. An entry of another cluster proves nothing here.
 */
export function leftoversOf(
  object: Living,
  projectId: string | undefined,
  { caches, claims, clusterUid }: Pick<View, 'caches' | 'claims' | 'clusterUid'>,
): readonly Leftover[] {
  return caches.ledger.ofName(object.kind, keyOf(object)).flatMap((entry) => {
    const { content } = entry;
    if (!content || content.object.uid === object.metadata.uid || content.clusterUid !== clusterUid)
      return [];
    const { id, attempt, projectId: project = '' } = content;
    if (projectId !== undefined && project !== projectId) return [];
    if (id === undefined) return attempt ? [{ id: attempt.id, asked: attemptName(attempt) }] : [];
    return isReleased(entry) || claims.ownerOf(object.kind, project, id) ? [] : [{ id }];
  });
}

/** The message about an entry of a newer version, or an entry that was edited by hand. */
export function describeUnreadable({ metadata: { namespace, name } }: LedgerEntry): string {
  return `ledger entry ${name} in namespace ${namespace} cannot be read: restore that Secret from a backup`;
}
