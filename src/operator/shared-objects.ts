import { entryOf } from '../reconcile/record/own-entry.ts';
import { patchMetadata } from '../reconcile/act/patch-object.ts';
import type { Context } from '../reconcile/process/context.ts';
import { forget } from '../reconcile/report/follow.ts';
import type { Kind, ManagedObject } from '../resources/managed-object.ts';
import { isConflict, type ObjectCache, type SharedObjects } from '../runtime/index.ts';

type Dependencies = Pick<Context, 'caches' | 'memory' | 'clock' | 'loops'> & {
  readonly kubernetes: Pick<Context['kubernetes'], 'patch'>;
  readonly accounts: Pick<Context['accounts'], 'forget'>;
  readonly subscriptions: Pick<Context['subscriptions'], 'forget'>;
};

export function sharedObjects(kind: Kind, context: Dependencies): SharedObjects {
  const cache: ObjectCache<ManagedObject> = context.caches.of(kind);
  return {
    cache,
    // The operator records each request to the cloud for an object first.
    isUntouched: (key) => {
      const object = cache.get(key);
      return object === undefined || (entryOf(object, context.caches) === undefined && object.status?.id === undefined);
    },
    async letGo(key, labels) {
      const object = cache.get(key);
      if (!object) return;
      try {
        await patchMetadata(object, { labels: Object.fromEntries(labels.map((name) => [name, null])) }, context);
      } catch (error) {
        if (!isConflict(error)) throw error; // the next visit decides anew
      }
    },
    begin(key) {
      forget(kind, key, context);
      // Requests of the previous process to the cloud count like a request without an answer: earlier lists
      // do not show them.
      context.memory.of(kind, key).unclearAt = context.clock.now();
    },
    forget: (key) => void forget(kind, key, context),
  };
}
