import { entryOf } from '../record/record.ts';
import { keyOf, referenceOf, type Shard } from '../../runtime/index.ts';
import { ownerText } from '../connection/projection.ts';
import type { Context } from '../process/context.ts';
import { onDelete } from '../situation/options.ts';
import { attemptName } from '../record/attempt.ts';
import { recordIn, type Attempt } from '../../resources/ledger-entry.ts';
import { isReleased } from '../ledger/entry.ts';
import type { Kind, ManagedObject } from '../../resources/managed-object.ts';
import { syncedOf } from '../../resources/condition.ts';

type Dependencies = Pick<Context, 'caches' | 'claims' | 'clusterUid' | 'events' | 'log' | 'memory' | 'options'> & {
  readonly shard?: Pick<Shard, 'isAnothers'> | undefined;
};

/**
 * Reports each object that is removed without the operator from now on.
 * @param count is called for each object, with its kind
 */
export function reportAbandoned(context: Dependencies, count: (kind: Kind) => void): void {
  const { caches, events, log } = context;
  const tell = (object: ManagedObject) => {
    const left = leftBy(object, context);
    if (left.length > 0) count(object.kind);
    for (const { words, ...named } of left) {
      const message = `the finalizer of ${ownerText(object)} was removed by hand: ${words}`;
      log.warn({ object: referenceOf(object), ...named, reason: 'Abandoned' }, message);
      events.record(object, { type: 'Warning', reason: 'Abandoned', message });
    }
  };
  for (const cache of caches.ofAllKinds) {
    cache.onChange(({ type, object }) => {
      // Each process reports an object that no process worked: rather several reports than none.
      if (type === 'deleted' && !context.shard?.isAnothers(object)) tell(object);
    });
  }
}

interface Left {
  readonly projectId: string;
  readonly words: string;
  readonly id?: string;
  readonly create?: string;
  readonly resourceName?: string;
}

/**
 * The resources that a deleted object left in the cloud, or may have left there, according to its ledger entry;
 * none if the operator released it.
 */
function leftBy(object: ManagedObject, { caches, claims, clusterUid, memory, options }: Dependencies): readonly Left[] {
  const { kind, metadata, status } = object;
  const entry = entryOf(object, caches);
  // The operator deletes the entry before it takes its finalizer off.
  if (entry && (isReleased(entry) || entry.content?.clusterUid !== clusterUid)) return [];
  // An object that disappears together with its entry, without a deletion, is missing from a restored backup of
  // etcd.
  const { id, projectId, attempt } = entry ? recordIn(entry) : { ...(metadata.deletionTimestamp ? {} : status), attempt: undefined };
  if (projectId === undefined) return [];
  if (memory.known(kind, keyOf(object)).releasedUid === metadata.uid) return [];
  const isNamed = id !== undefined && !claims.ownerOf(kind, projectId, id);
  const isLeft = isNamed && syncedOf(object)?.reason !== 'Lost' && onDelete(object, undefined, options) !== 'Retain';
  return [...(isLeft ? [resourceLeft(id, projectId)] : []), ...(attempt ? [createLeft(attempt, projectId)] : [])];
}

function resourceLeft(id: string, projectId: string): Left {
  return {
    id,
    projectId,
    words: `${id} in project ${projectId} may still cost money; delete it there, or ${takenOver(id)}`,
  };
}

/** The id of the created resource is unknown, also where that resource is to be retained. */
function createLeft(attempt: Attempt, projectId: string): Left {
  const name = attemptName(attempt);
  const words = `its create may still make "${name}" in project ${projectId}; delete it there, or ${takenOver('<its id>')}`;
  return { create: attempt.id, resourceName: name, projectId, words };
}

function takenOver(id: string): string {
  return `apply the object again with managed-db.io/external-id=${id}`;
}
