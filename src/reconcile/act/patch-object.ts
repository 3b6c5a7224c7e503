import { annotations, cloudResourceFinalizer } from '../../resources/annotations.ts';
import { managedServices } from '../../resources/managed-service.ts';
import { managedVpcs } from '../../resources/managed-vpc.ts';
import { replicaSets } from '../../resources/replica-set.ts';
import { hasFinalizer, keyOf, withFinalizer, withoutFinalizer } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import { rememberRecord } from '../observe/known-record.ts';
import { recordText, type ResourceRecord } from '../record/record.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/**
 * Patches an object's metadata, only if it is exactly the one that was observed: uid and resourceVersion go along.
 * @throws {KubernetesError} `conflict` when it is another by now, `notFound` when it is gone
 */
export async function patchMetadata(object: ManagedObject, metadata: object, context: Context): Promise<ManagedObject> {
  const { uid, resourceVersion } = object.metadata;
  const body = { metadata: { uid, resourceVersion, ...metadata } };
  const { kubernetes, caches } = context;
  const key = keyOf(object);
  switch (object.kind) {
    case 'ManagedVpc': {
      const patched = await kubernetes.patch(managedVpcs, key, body);
      caches.vpcs.wrote(patched);
      return patched;
    }
    case 'ManagedService': {
      const patched = await kubernetes.patch(managedServices, key, body);
      caches.services.wrote(patched);
      return patched;
    }
    case 'ReplicaSet': {
      const patched = await kubernetes.patch(replicaSets, key, body);
      caches.replicaSets.wrote(patched);
      return patched;
    }
  }
}

/** Reads an object as it is now, past the cache. */
export async function readObject(object: ManagedObject, { kubernetes }: Context): Promise<ManagedObject | undefined> {
  const key = keyOf(object);
  switch (object.kind) {
    case 'ManagedVpc':
      return kubernetes.get(managedVpcs, key);
    case 'ManagedService':
      return kubernetes.get(managedServices, key);
    case 'ReplicaSet':
      return kubernetes.get(replicaSets, key);
  }
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
  rememberRecord(context.memory.of(object.kind, keyOf(object)), object.metadata.uid, text);
  return written;
}

export async function dropFinalizer(object: ManagedObject, context: Context): Promise<void> {
  await patchMetadata(object, withoutFinalizer(object, cloudResourceFinalizer), context);
}
