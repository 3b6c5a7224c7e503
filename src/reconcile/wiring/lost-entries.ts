import { keyOf, type Shard } from '../../runtime/index.ts';
import { recordIn } from '../../resources/ledger-entry.ts';
import { isReleased, objectOfEntry } from '../ledger/entry.ts';
import type { Context } from './context.ts';

type Dependencies = Pick<Context, 'caches' | 'clusterUid' | 'memory'> & {
  readonly shard?: Pick<Shard, 'isAnothers'> | undefined;
};

/**
 * Remembers the id in each ledger entry that another client removes by force while its object lives: status may not
 * have the id yet. The next visit writes it into status. The memory ends with that of the object.
 */
export function rememberLostEntries({ caches, clusterUid, memory, shard }: Dependencies): void {
  caches.ledger.entries.onChange(({ type, object: entry }) => {
    const { id, projectId } = recordIn(entry);
    if (type !== 'deleted' || id === undefined || projectId === undefined) return;
    // The previous leader, or this process, has deleted it.
    if (isReleased(entry) || caches.ledger.isEndExpected(entry)) return;
    const named = objectOfEntry(entry);
    const object = named && caches.of(named.kind).get(keyOf(named));
    const uid = object?.metadata.uid;
    if (!object || uid !== named?.metadata.uid || entry.content?.clusterUid !== clusterUid) return;
    if (shard?.isAnothers(object)) return;
    memory.of(object.kind, keyOf(object)).lost = { uid: object.metadata.uid, id, projectId };
  });
}
