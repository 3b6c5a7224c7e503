import { keyOf, type Shard } from '../../runtime/index.ts';
import { recordIn } from '../../resources/ledger-entry.ts';
import { isReleased, objectOfEntry } from '../ledger/entry.ts';
import { hasResource } from '../ledger/record.ts';
import type { Context } from './context.ts';
import { lostCreate } from './evidence.ts';

type Dependencies = Pick<Context, 'caches' | 'clusterUid' | 'evidence'> & {
  readonly shard?: Pick<Shard, 'isAnothers'> | undefined;
};

/**
 * Remembers the id, or the create without an answer, in each ledger entry that another client removes by force while its
 * object lives: status may not have the id yet. The next visit writes an id into status. A later entry of the object that
 * is about a resource or a create ends this.
 */
export function rememberLostEntries({ caches, clusterUid, evidence, shard }: Dependencies): void {
  caches.ledger.entries.onChange(({ type, object: entry }) => {
    const named = objectOfEntry(entry);
    if (!named || entry.content?.clusterUid !== clusterUid) return;
    const record = recordIn(entry);
    if (type !== 'deleted') {
      if (hasResource(record)) evidence.noteFound(named);
      return;
    }
    // The previous leader, or this process, has deleted it.
    if (isReleased(entry) || caches.ledger.isEndExpected(entry)) return;
    const object = caches.of(named.kind).get(keyOf(named));
    if (!object || object.metadata.uid !== named.metadata.uid || shard?.isAnothers(object)) return;
    const { id, attempt, projectId } = record;
    if (projectId === undefined) return;
    // A create in place of a lost resource is the later request, but the object is known by the id.
    if (id !== undefined) evidence.noteLost(object, { id, projectId });
    else if (attempt && !evidence.madeNothing(object, attempt))
      evidence.noteLost(object, lostCreate(attempt, projectId));
  });
}
