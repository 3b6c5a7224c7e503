import { annotations, cloudResourceFinalizer } from '../../resources/annotations.ts';
import { hasFinalizer, keyOf, withFinalizer, withoutFinalizer, type ObjectCache } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import { recordOf } from '../process/known-record.ts';
import { forgetResource } from '../process/memory.ts';
import { countingRecordIn } from '../record/known-by-status.ts';
import { recordIn, recordText, type ResourceRecord } from '../record/record.ts';
import { altered } from '../step/kubernetes-trouble.ts';
import { wait, type WaitOrStall } from '../step/step.ts';
import { typeOf, type ManagedObject } from '../../resources/managed-object.ts';
import { longestRecord, mayHaveMore, withAllFinalizers } from '../../resources/metadata.ts';

type Patcher = Pick<Context, 'caches'> & { readonly kubernetes: Pick<Context['kubernetes'], 'patch'> };
type Reader = Pick<Context, 'caches'> & { readonly kubernetes: Pick<Context['kubernetes'], 'get' | 'patch'> };
export type Writer = Reader & Pick<Context, 'memory'>;

/**
 * Patches an object's metadata, locked to the observed uid and resourceVersion.
 * @throws {KubernetesError} `conflict` when the object has changed, `notFound` when it is gone
 */
export async function patchMetadata(object: ManagedObject, metadata: object, { kubernetes, caches }: Patcher): Promise<ManagedObject> {
  const { uid, resourceVersion } = object.metadata;
  const body = { metadata: { uid, resourceVersion, ...metadata } };
  const cache: ObjectCache<ManagedObject> = caches.of(object.kind);
  const patched = await kubernetes.patch<ManagedObject>(typeOf(object), keyOf(object), body);
  cache.wrote(patched);
  return patched;
}

/** Reads the current object from the API server. */
export function readObject(
  object: ManagedObject,
  { kubernetes }: { readonly kubernetes: Pick<Context['kubernetes'], 'get'> },
): Promise<ManagedObject | undefined> {
  return kubernetes.get<ManagedObject>(typeOf(object), keyOf(object));
}

/** Whether Kubernetes has the record that the caches have. A process that was frozen may not know what another one has recorded since. */
export async function isRecordAsSeen(object: ManagedObject, context: Context): Promise<boolean> {
  const live = await readObject(object, context);
  return live?.metadata.uid === object.metadata.uid && textOf(live) === textOf(object);
}

function textOf({ metadata }: ManagedObject): string | undefined {
  return metadata.annotations?.[annotations.record];
}

/** A record that could not be read again. It is not written, and nothing is done that counts on it. */
export class RecordTooLong extends Error {
  override readonly name = 'RecordTooLong';
  readonly step: WaitOrStall;

  constructor(length: number) {
    super(`the record would have ${length} characters`);
    const why = 'it names what had the same name in the cloud before, and all peerings';
    const advice = 'choose another spec.name, name fewer peerings, or delete there what nobody needs; tried again by itself';
    this.step = wait('InternalError', `${this.message}, of at most ${longestRecord}: ${why}; ${advice}`);
  }
}

/**
 * Writes the record together with the finalizer, so that an object with a record is not deleted without the operator. Also writes the deletion mark, which is
 * for people. Removes the annotations that have had their effect, and must not get into a backup: a take-over, and a word for a recreation that was heard
 * ({@link isHeard}).
 * @throws {RecordTooLong}
 * @throws {KubernetesError} `altered` when the API server did not keep record or finalizer; otherwise as {@link patchMetadata}
 */
export async function writeRecord(object: ManagedObject, record: ResourceRecord, context: Writer): Promise<ManagedObject> {
  // Kubernetes refuses a new finalizer on an object that is being deleted.
  const addsFinalizer = !object.metadata.deletionTimestamp && !hasFinalizer(object, cloudResourceFinalizer);
  const text = recordText(record);
  if (text.length > longestRecord) throw new RecordTooLong(text.length);
  const written = await patchMetadata(
    object,
    {
      annotations: {
        [annotations.record]: text,
        [annotations.deletionStarted]: record.deletionStarted ?? null,
        [annotations.takeOver]: null,
        ...(isHeard(object, record) ? { [annotations.allowRecreate]: null } : {}),
      },
      ...(addsFinalizer ? { finalizers: withFinalizer(await allFinalizers(object, context), cloudResourceFinalizer).finalizers } : {}),
    },
    context,
  );
  const memory = context.memory.of(object.kind, keyOf(object));
  const before = recordOf(object, memory);
  const isKept = written.metadata.annotations?.[annotations.record] === text;
  // What came of a create is known, whether it is kept or not.
  const isAnswer = before.state === 'read' && before.record.attempt !== undefined && record.attempt === undefined;
  if (before.state === 'read' && before.record.id !== undefined && before.record.id !== record.id) forgetResource(memory);
  if (isKept || isAnswer) memory.record = { uid: object.metadata.uid, text };
  const operation = `patch ${typeOf(object).plural} ${keyOf(object)}`;
  if (!isKept) throw altered(operation, `the annotation ${annotations.record}`);
  if (addsFinalizer && !hasFinalizer(written, cloudResourceFinalizer)) throw altered(operation, `the finalizer ${cloudResourceFinalizer}`);
  return written;
}

/** Whether a word that allowed a recreation was heard: the object has another resource from now on, or was copied from the one of which it was said. */
function isHeard(object: ManagedObject, next: ResourceRecord): boolean {
  const { uid } = object.metadata;
  const { id, objectUid = uid } = recordIn(object);
  return objectUid !== uid || (id !== undefined && id !== next.id);
}

/**
 * Removes the finalizer. The object leaves the cache at once, also if somebody else still holds it: a visit before the watch event would release it again.
 * A record of something in the cloud says so, for the next process.
 */
export async function dropFinalizer(object: ManagedObject, context: Reader): Promise<void> {
  const { id, attempt } = countingRecordIn(object);
  const isEmpty = id === undefined && attempt === undefined;
  const released = recordText({ ...recordIn(object), released: object.metadata.uid });
  const { finalizers } = withoutFinalizer(await allFinalizers(object, context), cloudResourceFinalizer);
  await patchMetadata(object, { finalizers, ...(isEmpty ? {} : { annotations: { [annotations.record]: released } }) }, context);
}

/** The patch stays locked to the version that was observed: finalizers that came later are not overwritten. */
async function allFinalizers(object: ManagedObject, { kubernetes }: Reader): Promise<Pick<ManagedObject, 'metadata'>> {
  if (!mayHaveMore(object)) return object;
  const current = await kubernetes.get(withAllFinalizers(typeOf(object)), keyOf(object));
  return { metadata: { ...object.metadata, finalizers: [...(current?.metadata.finalizers ?? object.metadata.finalizers ?? [])] } };
}
