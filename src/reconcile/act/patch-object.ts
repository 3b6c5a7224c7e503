import { annotations, cloudResourceFinalizer } from '../../resources/annotations.ts';
import { hasFinalizer, isGone, keyOf, withFinalizer, withoutFinalizer, type ObjectCache } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import { recordText, type ResourceRecord } from '../record/record.ts';
import { typeOf, type ManagedObject } from '../../resources/managed-object.ts';

/**
 * Patches an object's metadata, only if it is exactly the one that was observed: uid and resourceVersion go along.
 * @throws {KubernetesError} `conflict` when it is another by now, `notFound` when it is gone
 */
export async function patchMetadata(object: ManagedObject, metadata: object, context: Context): Promise<ManagedObject> {
  const { uid, resourceVersion } = object.metadata;
  const body = { metadata: { uid, resourceVersion, ...metadata } };
  const { kubernetes, caches } = context;
  const cache: ObjectCache<ManagedObject> = caches.of(object.kind);
  const patched = await kubernetes.patch<ManagedObject>(typeOf(object), keyOf(object), body);
  cache.wrote(patched);
  return patched;
}

/** Reads an object as it is now, past the cache. */
export function readObject(object: ManagedObject, { kubernetes }: Context): Promise<ManagedObject | undefined> {
  return kubernetes.get<ManagedObject>(typeOf(object), keyOf(object));
}

/**
 * Writes the record, and the finalizer with it: whoever has a record is not deleted without us. The mark of a deletion goes along, for people to read; a
 * take-over has done its work by then, and must not get into a backup.
 */
export async function writeRecord(object: ManagedObject, record: ResourceRecord, context: Context): Promise<ManagedObject> {
  // A finalizer cannot be added to an object that is being deleted.
  const addsFinalizer = !object.metadata.deletionTimestamp && !hasFinalizer(object, cloudResourceFinalizer);
  const text = recordText(record);
  const written = await patchMetadata(
    object,
    {
      annotations: {
        [annotations.record]: text,
        [annotations.deletionStarted]: record.deletionStarted ?? null,
        [annotations.takeOver]: null,
      },
      ...(addsFinalizer ? withFinalizer(object, cloudResourceFinalizer) : {}),
    },
    context,
  );
  context.memory.of(object.kind, keyOf(object)).record = { uid: object.metadata.uid, text };
  return written;
}

/** Lets the object go. Where nothing else holds it, it is gone at once: a visit before the watch says so would do all of that again. */
export async function dropFinalizer(object: ManagedObject, context: Context): Promise<void> {
  const patched = await patchMetadata(object, withoutFinalizer(object, cloudResourceFinalizer), context);
  const cache: ObjectCache<ManagedObject> = context.caches.of(object.kind);
  if (isGone(patched)) cache.remove(patched);
}
