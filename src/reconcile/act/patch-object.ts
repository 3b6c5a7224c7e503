import type { ResourceRecord } from '../../resources/ledger-entry.ts';
import { entryName } from '../ledger/entry.ts';
import { annotations, cloudResourceFinalizer } from '../../resources/annotations.ts';
import {
  hasFinalizer,
  keyOf,
  referenceOf,
  withFinalizer,
  withoutFinalizer,
  type KubernetesClient,
  type ObjectCache,
} from '../../runtime/index.ts';
import { storeRecord } from '../ledger/write-entry.ts';
import type { Context } from '../wiring/context.ts';
import { altered, overtaken, requestOf } from '../step/errors.ts';
import type { DropAnnotationsAction } from '../step/step.ts';
import { typeOf, type ManagedObject } from '../../resources/managed-object.ts';

type Patcher = Pick<Context, 'caches'> & { readonly kubernetes: Pick<KubernetesClient, 'patch'> };
/** The part of the context that writes an object and its entry. */
export type Writer = Pick<Context, 'caches' | 'clusterUid'> & {
  readonly kubernetes: Pick<KubernetesClient, 'get' | 'create' | 'patch' | 'delete'>;
};

/**
 * Patches an object's metadata, locked to the observed uid and resourceVersion.
 * @throws {KubernetesError} `conflict` when the object has changed, `notFound` when it is gone
 */
export async function patchMetadata(
  object: ManagedObject,
  metadata: object,
  { kubernetes, caches }: Patcher,
): Promise<ManagedObject> {
  const { uid, resourceVersion } = object.metadata;
  const body = { metadata: { uid, resourceVersion, ...metadata } };
  const cache: ObjectCache<ManagedObject> = caches.of(object.kind);
  const patched = await kubernetes.patch<ManagedObject>(typeOf(object), keyOf(object), body);
  cache.wrote(patched);
  return patched;
}

/** Reads the object, live. Undefined if it is gone. */
export function readObject(
  object: ManagedObject,
  { kubernetes }: { readonly kubernetes: Pick<KubernetesClient, 'get'> },
): Promise<ManagedObject | undefined> {
  return kubernetes.get<ManagedObject>(typeOf(object), keyOf(object));
}

/**
 * A ledger entry is not locked to its object's version.
 * @throws {KubernetesError} `conflict` when the cache has another version of the object
 */
export function unlessChanged(object: ManagedObject, { caches }: Pick<Context, 'caches'>): void {
  const current: ManagedObject | undefined = caches.of(object.kind).get(keyOf(object));
  const { uid, resourceVersion } = object.metadata;
  const isSame =
    current?.metadata.uid === uid && current.metadata.resourceVersion === resourceVersion;
  if (current && !isSame) throw overtaken(`look at ${referenceOf(object)}`, requestOf(object));
}

/**
 * Writes the record into the ledger entry, and holds the object with its finalizer and pointer.
 * @throws {LedgerUnusable | KubernetesError} as {@link unlessChanged}, {@link storeRecord} and
 * {@link holdObject}
 */
export async function writeRecord(
  object: ManagedObject,
  record: ResourceRecord,
  context: Writer,
): Promise<ManagedObject> {
  unlessChanged(object, context);
  await storeRecord(object, record, context);
  return holdObject(object, context);
}

/**
 * Sets the finalizer and the pointer to the ledger entry.
 * @throws {KubernetesError} `altered` when the API server did not keep them; otherwise as {@link patchMetadata}
 */
export async function holdObject(object: ManagedObject, context: Patcher): Promise<ManagedObject> {
  const { deletionTimestamp } = object.metadata;
  const pointer = entryName(object);
  // Kubernetes refuses a new finalizer on an object that is being deleted.
  const addsFinalizer =
    deletionTimestamp === undefined && !hasFinalizer(object, cloudResourceFinalizer);
  const hasPointer = object.metadata.annotations?.[annotations.ledger] === pointer;
  if (!addsFinalizer && hasPointer) return object;
  const held = await patchMetadata(
    object,
    {
      annotations: { [annotations.ledger]: pointer },
      ...(addsFinalizer
        ? { finalizers: withFinalizer(object, cloudResourceFinalizer).finalizers }
        : {}),
    },
    context,
  );
  const operation = `patch ${typeOf(object).plural} ${keyOf(object)}`;
  if (held.metadata.annotations?.[annotations.ledger] !== pointer)
    throw altered(operation, `the annotation ${annotations.ledger}`);
  if (addsFinalizer && !hasFinalizer(held, cloudResourceFinalizer))
    throw altered(operation, `the finalizer ${cloudResourceFinalizer}`);
  return held;
}

/**
 * Sets the finalizer alone.
 * @throws {KubernetesError} `altered` when the API server did not keep it; otherwise as {@link patchMetadata}
 */
export async function addFinalizer(
  object: ManagedObject,
  context: Patcher,
): Promise<ManagedObject> {
  if (hasFinalizer(object, cloudResourceFinalizer)) return object;
  const { finalizers } = withFinalizer(object, cloudResourceFinalizer);
  const finalized = await patchMetadata(object, { finalizers }, context);
  if (hasFinalizer(finalized, cloudResourceFinalizer)) return finalized;
  const operation = `patch ${typeOf(object).plural} ${keyOf(object)}`;
  throw altered(operation, `the finalizer ${cloudResourceFinalizer}`);
}

/** Removes the annotations of these names. @throws {KubernetesError} as {@link patchMetadata} */
export function dropAnnotations(
  { names }: DropAnnotationsAction,
  object: ManagedObject,
  context: Patcher,
): Promise<ManagedObject> {
  const removed = names.map((name) => [name, null] as const);
  return patchMetadata(object, { annotations: Object.fromEntries<null>(removed) }, context);
}

/** The object leaves the cache at once, even if a foreign finalizer holds it: a visit before the watch event would release it again. */
export function dropFinalizer(object: ManagedObject, context: Patcher): Promise<ManagedObject> {
  const { finalizers } = withoutFinalizer(object, cloudResourceFinalizer);
  return patchMetadata(object, { finalizers }, context);
}
