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
  type EventRecorder,
  type KubernetesObject,
} from '../../runtime/index.ts';
import type { Context } from '../wiring/context.ts';
import { secretMetadata, type SecretMetadata } from '../../resources/secret-metadata.ts';
import { entryOf, recordOf, type Ledger } from '../ledger/entry.ts';
import { hasResource } from '../ledger/record.ts';
import { recordIn } from '../../resources/ledger-entry.ts';
import {
  kinds,
  resourceTypes,
  typeOf,
  type ManagedObject,
} from '../../resources/managed-object.ts';
import { syncedOf } from '../../resources/condition.ts';
import { intervals, longestRetryMs } from '../step/intervals.ts';

/** Puts finalizer and label on a credentials Secret: resources that were created with the key must stay deletable with it. */
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
    await context.kubernetes.patch(secretMetadata, key, {
      metadata: { uid, resourceVersion, labels },
    }),
  );
}

interface Objects {
  readonly ofAllKinds: readonly ObjectCache<ManagedObject>[];
  readonly ledger: Pick<Ledger, 'namespace' | 'entries'>;
}

type Dependencies = Pick<KubernetesClient, 'get' | 'list' | 'patch'>;

/** The dependencies of {@link reconcileCredentialsSecret}. */
export interface CredentialsContext {
  /** The Secrets with the label of a credentials Secret. */
  readonly heldSecrets: ObjectCache<SecretMetadata>;
  readonly caches: Objects;
  readonly kubernetes: Dependencies;
  readonly reportHold: ReportHold;
}

/** Releases a credentials Secret once live lists show that no object needs it. The caches are enough to show that an object needs it. */
export async function reconcileCredentialsSecret(
  key: ResourceKey,
  { heldSecrets, caches, kubernetes, reportHold }: CredentialsContext,
): Promise<Requeue> {
  const cached = heldSecrets.get(key);
  // A Secret without its label is missing from the cache, but still has the finalizer.
  const secret = cached ?? (await kubernetes.get(secretMetadata, key));
  if (!secret || !hasFinalizer(secret, credentialsFinalizer)) return 'forget';
  const isTerminating = secret.metadata.deletionTimestamp !== undefined;
  const user = await userOf(key, isTerminating, caches, kubernetes);
  if (user === 'unreadable') return { afterMs: longestRetryMs };
  if (user) {
    if (isTerminating && cached) reportHold(cached, user);
    // An object that is deleted, or names another Secret, enqueues this Secret.
    return isTerminating ? { afterMs: intervals.forCredentialsMs } : 'forget';
  }
  const metadata = {
    ...withoutFinalizer(secret, credentialsFinalizer),
    labels: { [credentialsLabel]: null },
  };
  try {
    heldSecrets.wrote(await kubernetes.patch(secretMetadata, key, { metadata }));
  } catch (error) {
    if (!isConflict(error)) throw error;
    return { afterMs: intervals.afterConflictMs };
  }
  return 'forget';
}

/** An object that needs this Secret. An unreadable object may need it. */
async function userOf(
  key: ResourceKey,
  isTerminating: boolean,
  caches: Objects,
  kubernetes: Dependencies,
): Promise<ManagedObject | 'unreadable' | undefined> {
  const needsIt = (object: ManagedObject) => isUser(object, key, isTerminating, caches);
  const cached = inCaches(caches.ofAllKinds).find(needsIt);
  if (cached) return cached;
  const { namespace } = parseKey(key);
  const lists = await Promise.all(
    kinds.map((kind) => kubernetes.list<ManagedObject>(resourceTypes[kind], { namespace })),
  );
  const objects = lists
    .flatMap(({ items }) => items)
    .filter((object) => !isLetGo(object, typeOf(object).finalizer));
  const found = objects.find(needsIt);
  if (found) return found;
  // An unreadable entry may name the Secret.
  const isUnsure =
    lists.some(({ unreadable }) => unreadable.length > 0) ||
    objects.some((object) => isEntryUnreadable(object, caches));
  return isUnsure ? 'unreadable' : undefined;
}

function* inCaches(caches: readonly ObjectCache<ManagedObject>[]): Generator<ManagedObject> {
  for (const cache of caches) yield* cache.values();
}

/**
 * Whether the spec names the Secret, or the ledger names it as the Secret of the last proven key: the key that the spec
 * names may be unsuitable. A Secret that is being deleted creates nothing: an object without a resource waits for the
 * next Secret.
 */
function isUser(
  object: ManagedObject,
  secret: ResourceKey,
  isTerminating: boolean,
  caches: Objects,
): boolean {
  const { namespace, name } = parseKey(secret);
  if (object.metadata.namespace !== namespace) return false;
  const isNamed = object.spec.credentialsRef?.name === name;
  if (isNamed && !isTerminating) return true;
  return (
    (isNamed || recordOf(object, caches).credentialsSecret === name) && hasSomething(object, caches)
  );
}

/** Whether the object has, or may have, a resource in the cloud. A refused create made none. */
function hasSomething(object: ManagedObject, caches: Objects): boolean {
  const entry = entryOf(object, caches);
  return (
    (entry && !entry.content) || hasResource(recordIn(entry)) || object.status?.id !== undefined
  );
}

function isEntryUnreadable(object: ManagedObject, caches: Objects): boolean {
  const entry = entryOf(object, caches);
  return entry !== undefined && !entry.content;
}

type Events = Pick<EventRecorder, 'record'>;

type ReportHold = (secret: KubernetesObject, holder: ManagedObject) => void;

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
    events.record(
      { apiVersion: 'v1', kind: 'Secret', metadata: secret.metadata },
      { type: 'Normal', reason: 'DeletionBlocked', message, isLasting: true },
    );
  };
}
