import { keyOf, referenceOf, type Shard } from '../../runtime/index.ts';
import { ownerText } from '../connection/projection.ts';
import type { Context } from '../process/context.ts';
import { onDelete } from '../situation/options.ts';
import { attemptName, openAttemptIn } from '../record/attempt.ts';
import { countingRecordIn } from '../record/known-by-status.ts';
import { recordIn } from '../record/record.ts';
import { needsAdopt } from '../situation/take-over.ts';
import type { Kind, ManagedObject } from '../../resources/managed-object.ts';
import { readyOf } from '../../resources/condition.ts';

type Dependencies = Pick<Context, 'caches' | 'claims' | 'clusterUid' | 'events' | 'log' | 'memory' | 'options'> & {
  readonly shard?: Pick<Shard, 'isAnothers'> | undefined;
};

/**
 * Reports each object that goes without the operator: from now on, and before, where somebody else still holds it.
 * @param count is called for each, with its kind
 */
export function reportAbandoned(context: Dependencies, count: (kind: Kind) => void): void {
  const { caches, events, log } = context;
  const tell = (object: ManagedObject, who: string) => {
    const left = leftBy(object, context);
    if (left.length > 0) count(object.kind);
    for (const { words, ...named } of left) {
      const message = `${ownerText(object)} went without the operator: its finalizer was removed by ${who}, and ${words}`;
      log.warn({ object: referenceOf(object), ...named, reason: 'Abandoned' }, message);
      events.record(object, { type: 'Warning', reason: 'Abandoned', message });
    }
  };
  for (const cache of caches.ofAllKinds) {
    // Who has the label may be gone for good. Builds from before the first release did not all note that they let an object go.
    for (const object of cache.letGo()) tell(object, 'hand, or by an earlier build of it');
    cache.onChange(({ type, object }) => {
      // What was nobody's is told by each: rather often than never.
      if (type === 'deleted' && !context.shard?.isAnothers(object)) tell(object, 'hand');
    });
  }
}

interface Left {
  readonly projectId: string;
  readonly words: string;
  readonly id?: string;
  /** The create whose answer is not known, and the name that it asked for. */
  readonly create?: string;
  readonly name?: string;
}

/** What a deleted object left in the cloud, or may have left there; nothing if the operator released it, or if others have the record, too. */
function leftBy(object: ManagedObject, context: Dependencies): readonly Left[] {
  const { kind, metadata } = object;
  const { released } = recordIn(object);
  const { clusterUid } = countingRecordIn(object);
  if (released === metadata.uid || context.memory.known(kind, keyOf(object)).releasedUid === metadata.uid) return [];
  if ((clusterUid ?? context.clusterUid) !== context.clusterUid) return [];
  return [...resourceOf(object, context), ...openCreateOf(object, context)];
}

/** The resource of the object, unless it is retained, gone, or belongs to another object. */
function resourceOf(object: ManagedObject, { claims, options }: Dependencies): readonly Left[] {
  const { kind } = object;
  const { id, projectId } = countingRecordIn(object);
  if (id === undefined || projectId === undefined || claims.ownerOf(kind, projectId, id)) return [];
  if (readyOf(object)?.reason === 'Lost' || onDelete(object, undefined, options) === 'Retain') return [];
  const words = `${id} in project ${projectId} may still be in the cloud, and paid for; delete it there, or ${takenOver(id)}`;
  return [{ id, projectId, words }];
}

/** The create that has no answer: nobody knows the id of what it made, also where that is to be kept. */
function openCreateOf(object: ManagedObject, { claims }: Dependencies): readonly Left[] {
  const record = recordIn(object);
  const { projectId } = record;
  const attempt = openAttemptIn(record, object);
  if (!attempt || projectId === undefined || claims.claimantsOfCreate(attempt.id).length > 0) return [];
  const name = attemptName(attempt);
  const words = `its create had no answer yet: "${name}" may be in project ${projectId}, and paid for; look there in a few minutes, and delete it, or ${takenOver('<its id>')}`;
  return [{ create: attempt.id, name, projectId, words }];
}

function takenOver(id: string): string {
  return `take it over ${needsAdopt}: apply the object again with the annotation managed-db.io/external-id=${id}`;
}
