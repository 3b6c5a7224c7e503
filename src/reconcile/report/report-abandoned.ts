import { keyOf, referenceOf } from '../../runtime/index.ts';
import { ownerText } from '../connection/ownership.ts';
import type { Context } from '../process/context.ts';
import { onDelete } from '../situation/options.ts';
import { recordIn } from '../record/record.ts';
import type { Kind, ManagedObject } from '../../resources/managed-object.ts';
import { readyOf } from '../../resources/condition.ts';

type Dependencies = Pick<Context, 'caches' | 'claims' | 'clusterUid' | 'events' | 'log' | 'memory' | 'options'>;

/** Reports each object that is deleted without the operator. @param count is called for each, with its kind */
export function reportAbandoned(context: Dependencies, count: (kind: Kind) => void): void {
  const { caches, events, log } = context;
  for (const cache of caches.ofAllKinds) {
    cache.onChange(({ type, object }) => {
      const left = type === 'deleted' ? leftBy(object, context) : undefined;
      if (!left) return;
      const { id, projectId } = left;
      const message = `${ownerText(object)} went without the operator: its finalizer was removed by hand, and ${id} in project ${projectId} may still be in the cloud, and paid for; delete it there, or take it over: apply the object again with the annotation managed-db.io/external-id=${id} (needs the verb adopt)`;
      count(object.kind);
      log.warn({ object: referenceOf(object), id, projectId, reason: 'Abandoned' }, message);
      events.record(object, { type: 'Warning', reason: 'Abandoned', message });
    });
  }
}

/**
 * The resource that a deleted object left in the cloud; undefined if the operator released the object, if the resource is retained, or if it belongs to
 * another object.
 */
function leftBy(object: ManagedObject, context: Dependencies): { readonly id: string; readonly projectId: string } | undefined {
  const { kind, metadata, status } = object;
  const record = recordIn(object);
  const [id, projectId] = [record.id ?? status?.id, record.projectId ?? status?.projectId];
  if (id === undefined || projectId === undefined) return undefined;
  if (context.memory.of(kind, keyOf(object)).releasedUid === metadata.uid) return undefined;
  if ((record.clusterUid ?? context.clusterUid) !== context.clusterUid || context.claims.ownerOf(kind, projectId, id)) return undefined;
  const isGone = readyOf(object)?.reason === 'Lost';
  return isGone || onDelete(object, undefined, context.options) === 'Retain' ? undefined : { id, projectId };
}
