import { cloudResourceFinalizer } from '../../resources/annotations.ts';
import { recordIn } from '../../resources/ledger-entry.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { hasFinalizer, referenceOf, type CacheChange, type Shard } from '../../runtime/index.ts';
import type { Context } from '../wiring/context.ts';
import { entryOf } from '../ledger/entry.ts';
import { hasResource } from '../ledger/record.ts';
import { holdObject } from './patch-object.ts';

/** A client that removes the finalizer again and again is left to the rule `hold`, which backs off and reports it. */
const pauseMs = 10_000;

type Dependencies = Pick<Context, 'caches' | 'clock' | 'clusterUid' | 'log'> & {
  readonly kubernetes: Pick<Context['kubernetes'], 'patch'>;
  readonly shard?: Pick<Shard, 'isOurs'> | undefined;
};

/**
 * Gives the finalizer and the pointer back to an object as soon as another client removes its finalizer. A visit of the
 * object may wait for the cloud for half a minute, and without the finalizer a deletion would not wait for the operator.
 * The rule `hold` does the same for changes that no process saw.
 */
export function restoreFinalizers(context: Dependencies): void {
  /** The times of the last restorations, by uid. */
  const restoredAt = new Map<string, number>();
  const isTooEarly = (uid: string) =>
    context.clock.now() - (restoredAt.get(uid) ?? -Infinity) < pauseMs;
  for (const cache of context.caches.ofAllKinds) {
    cache.onChange((change: CacheChange<ManagedObject>) => {
      const { uid } = change.object.metadata;
      if (change.type === 'deleted') restoredAt.delete(uid);
      if (!lostFinalizer(change) || !isNeeded(change.object, context) || isTooEarly(uid)) return;
      restoredAt.set(uid, context.clock.now());
      holdObject(change.object, context).catch((error: unknown) => {
        // The visit that this change brings tries it again, and reports a failure.
        context.log.debug(
          { object: referenceOf(change.object), error },
          'the finalizer could not be written back at once',
        );
      });
    });
  }
}

function lostFinalizer({ type, own, object, previous }: CacheChange<ManagedObject>): boolean {
  if (type !== 'updated' || own || !previous || object.metadata.deletionTimestamp !== undefined)
    return false;
  return (
    hasFinalizer(previous, cloudResourceFinalizer) && !hasFinalizer(object, cloudResourceFinalizer)
  );
}

function isNeeded(object: ManagedObject, { caches, clusterUid, shard }: Dependencies): boolean {
  const entry = entryOf(object, caches);
  const isOurs = entry?.content?.clusterUid === clusterUid && shard?.isOurs(object) !== false;
  return isOurs && hasResource(recordIn(entry));
}
