import { credentialsFinalizer, credentialsLabel } from '../../resources/annotations.ts';
import {
  withFinalizer,
  type ResourceKey,
  hasFinalizer,
  isLetGo,
  parseKey,
  withoutFinalizer,
  type KubernetesClient,
  type ObjectCache,
  type Requeue,
  isConflict,
  KubernetesError,
  type EventRecorder,
  type KubernetesObject,
} from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import { secretMetadata, type SecretMetadata } from '../../resources/secret-metadata.ts';
import { entryOf, type Ledger } from '../record/record.ts';
import { recordIn } from '../../resources/ledger-entry.ts';
import { kinds, resourceTypes, typeOf, type ManagedObject } from '../../resources/managed-object.ts';
import { syncedOf } from '../../resources/condition.ts';
import { intervals, longestRetryMs } from '../step/intervals.ts';
import { refusalByKubernetes } from '../step/errors.ts';

/**
 * Puts finalizer and label on a credentials Secret in the same patch. Resources that were created with the key
 * must stay deletable with it.
 */
export async function holdCredentials(key: ResourceKey, context: Context): Promise<void> {
  const secret = await context.kubernetes.get(secretMetadata, key);
  if (!secret || secret.metadata.deletionTimestamp) return;
  const held = await context.kubernetes.patch(secretMetadata, key, {
    metadata: {
      ...withFinalizer(secret, credentialsFinalizer),
      labels: { [credentialsLabel]: 'true' },
    },
  });
  context.caches.credentialsSecrets.wrote(held);
}

/** Labels the user's Secret, so that the watch for credentials includes it and a new password is applied at once. */
export async function watchPasswordSource(key: ResourceKey, context: Context): Promise<void> {
  const secret = await context.kubernetes.get(secretMetadata, key);
  if (!secret || secret.metadata.labels?.[credentialsLabel] !== undefined) return;
  const { uid, resourceVersion } = secret.metadata;
  const labels = { [credentialsLabel]: 'password' };
  context.caches.credentialsSecrets.wrote(
    await context.kubernetes.patch(secretMetadata, key, { metadata: { uid, resourceVersion, labels } }),
  );
}

interface Objects {
  readonly ofAllKinds: readonly ObjectCache<ManagedObject>[];
  readonly ledger: Pick<Ledger, 'namespace' | 'entries'>;
}

type Dependencies = Pick<KubernetesClient, 'get' | 'list' | 'patch'>;

/**
 * Releases a credentials Secret once live lists show that no object needs it. The caches are enough to show
 * that an object needs it, or may need it.
 */
export async function reconcileCredentialsSecret(
  key: ResourceKey,
  heldSecrets: ObjectCache<SecretMetadata>,
  caches: Objects,
  kubernetes: Dependencies,
  reportHold: ReportHold,
): Promise<Requeue> {
  const cached = heldSecrets.get(key);
  // A Secret without its label is missing from the cache, but still has the finalizer.
  const secret = cached ?? (await kubernetes.get(secretMetadata, key));
  if (!secret || !hasFinalizer(secret, credentialsFinalizer)) return 'forget';
  const isTerminating = secret.metadata.deletionTimestamp !== undefined;
  const known = needOf(inCaches(caches.ofAllKinds), key, isTerminating, caches);
  const { need, by } = known.need === 'none' ? await liveNeedOf(key, isTerminating, kubernetes, caches) : known;
  if (isTerminating && cached && by) reportHold(cached, by);
  // A Secret in use stays held until a user deletes it. An object that is deleted, or names another Secret,
  // enqueues this Secret.
  if (need === 'used') return isTerminating ? { afterMs: intervals.forCredentialsMs } : 'forget';
  if (need === 'perhaps') return { afterMs: known.need === 'none' ? longestRetryMs : intervals.forCredentialsMs };
  const released = kubernetes.patch(secretMetadata, key, {
    metadata: {
      ...withoutFinalizer(secret, credentialsFinalizer),
      labels: { [credentialsLabel]: null },
    },
  });
  return againIfChanged(released.then((held) => heldSecrets.wrote(held)));
}

/** `by`: an object that has the need; undefined if it cannot be read. */
interface Need {
  readonly need: 'used' | 'perhaps' | 'none';
  readonly by?: ManagedObject;
}

/** Reasons of an object whose key may be unsuitable: its resource may need the key that it named before. */
const keyTroubles: ReadonlySet<string> = new Set(['ForeignProject', 'Unauthorized', 'WaitingForCredentials', 'InternalError']);

async function liveNeedOf(key: ResourceKey, isTerminating: boolean, kubernetes: Dependencies, caches: Objects): Promise<Need> {
  const { namespace } = parseKey(key);
  const lists = await Promise.all(kinds.map((kind) => kubernetes.list<ManagedObject>(resourceTypes[kind], { namespace })));
  const found = needOf(
    lists.flatMap(({ items }) => items).filter((object) => !isLetGo(object, typeOf(object).finalizer)),
    key,
    isTerminating,
    caches,
  );
  // An unreadable object may need the Secret.
  return found.need === 'none' && lists.some(({ unreadable }) => unreadable.length > 0) ? { need: 'perhaps' } : found;
}

/**
 * Whether objects need this Secret. An object that names it does, once the key was used for it. An object that
 * has just named another Secret may, until its new key proves suitable.
 */
function needOf(objects: Iterable<ManagedObject>, key: ResourceKey, isTerminating: boolean, caches: Objects): Need {
  const { namespace, name } = parseKey(key);
  let found: Need = { need: 'none' };
  for (const object of objects) {
    if (object.metadata.namespace !== namespace) continue;
    if (isUser(object, key, isTerminating, caches)) return { need: 'used', by: object };
    if (object.spec.credentialsRef?.name !== name && hasSomething(object, caches) && mayNeedPreviousKey(object))
      found = { need: 'perhaps', by: object };
  }
  return found;
}

function* inCaches(caches: readonly ObjectCache<ManagedObject>[]): Iterable<ManagedObject> {
  for (const cache of caches) yield* cache.values();
}

/** A Secret that is being deleted creates nothing: an object without a resource waits for the next Secret. */
function isUser(object: ManagedObject, secret: ResourceKey, isTerminating: boolean, caches: Objects): boolean {
  const { namespace, name } = parseKey(secret);
  const isNamed = object.spec.credentialsRef?.name === name && object.metadata.namespace === namespace;
  return isNamed && (!isTerminating || hasSomething(object, caches));
}

/** Whether the object has, or may have, a resource in the cloud. A refused create made none. */
function hasSomething(object: ManagedObject, caches: Objects): boolean {
  const entry = entryOf(object, caches);
  const { id, attempt } = recordIn(entry);
  return (entry && !entry.content) || (id ?? attempt ?? object.status?.id) !== undefined;
}

function mayNeedPreviousKey({ metadata, status, spec, problems }: ManagedObject): boolean {
  const synced = syncedOf({ status });
  if (problems.some(({ path }) => path.startsWith('spec.credentialsRef'))) return true;
  const isSeen = status?.observedGeneration === metadata.generation || spec.suspend === true;
  return !isSeen || keyTroubles.has(synced?.reason ?? '');
}

type Events = Pick<EventRecorder, 'record'>;

export type ReportHold = (secret: KubernetesObject, holder: ManagedObject) => void;

/**
 * Reports each hold once, however often the Secret is visited.
 * @param advice how the hold ends
 */
export function holdReporter(events: Events, advice: string): ReportHold {
  // A cache returns the same Secret until it changes, or another process begins.
  const told = new WeakSet<KubernetesObject>();
  return (secret, holder) => {
    if (told.has(secret)) return;
    told.add(secret);
    const { kind, metadata } = holder;
    const message = `the deletion of this Secret waits for ${kind}/${metadata.name} (${syncedOf(holder)?.reason ?? 'Pending'}): ${advice}`;
    recordAbout(secret, events, { type: 'Normal', reason: 'DeletionBlocked', message, isLasting: true });
  };
}

/** Reports a refusal by Kubernetes as an event on the Secret. The controller does logging and back-off. */
export async function withRefusalReported<T>(secret: KubernetesObject | undefined, events: Events, visit: () => Promise<T>): Promise<T> {
  try {
    return await visit();
  } catch (error) {
    if (secret && error instanceof KubernetesError && error.isRefusal)
      recordAbout(secret, events, { type: 'Warning', reason: 'InternalError', message: refusalByKubernetes(error).message });
    throw error;
  }
}

/** Waits for a write to a Secret. If another client changed or removed the Secret meanwhile, it is visited again. */
export async function againIfChanged(write: Promise<unknown>): Promise<Requeue> {
  try {
    await write;
    return 'forget';
  } catch (error) {
    if (isConflict(error)) return { afterMs: intervals.afterConflictMs };
    throw error;
  }
}

function recordAbout({ metadata }: KubernetesObject, events: Events, event: Parameters<EventRecorder['record']>[1]): void {
  events.record({ apiVersion: 'v1', kind: 'Secret', metadata }, event);
}
