import { isDeepStrictEqual } from 'node:util';
import {
  cacheIndex,
  keyOf,
  objectReference,
  parseKey,
  referenceOf,
  resourceKey,
  type CacheChange,
  type CacheIndex,
  type Controller,
  type Priority,
  type ResourceKey,
  objectCache,
  type FillableCache,
  type ObjectReference,
} from '../../runtime/index.ts';
import {
  connectionAnnotations,
  isConnected,
  secretNameOf,
} from '../../resources/connection-secret.ts';
import { externalIdIn } from '../../resources/annotations.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import type { Caches } from './context.ts';
import type { NamespaceMetadata } from '../../resources/namespace-metadata.ts';
import type { SecretMetadata } from '../../resources/secret-metadata.ts';
import { entryLabels, recordIn, type LedgerEntry } from '../../resources/ledger-entry.ts';
import { hasResource } from '../ledger/record.ts';
import { objectOfEntry, recordOf } from '../ledger/entry.ts';
import { isKind, typeOf, type Kind, type ManagedObject } from '../../resources/managed-object.ts';
import { hasReason, means, syncedOf } from '../../resources/condition.ts';

/** Puts an object into the queue of its kind. */
export type Wake = (kind: Kind, key: ResourceKey, priority: Priority) => void;

/** Wakes the objects that a change in Kubernetes concerns: the object, objects in a reference from or to it, owners of Secrets, and the objects of a Namespace. */
export function wireWakeUps(caches: Caches, wake: Wake): void {
  const referrers = cacheIndex(caches.ofAllKinds, referencesIn);
  const referents = cacheIndex(caches.ofAllKinds, designationsOf);
  const adopters = cacheIndex(caches.ofAllKinds, (object) =>
    resourceText(object.kind, awaitedBy(object)),
  );
  const connected = cacheIndex(caches.ofAllKinds, (object) => connectionOf(object) ?? []);
  const wakeAll = (objects: CacheIndex<ManagedObject>, texts: readonly string[]) => {
    for (const object of new Set(texts.flatMap((text) => objects.of(text))))
      wake(object.kind, keyOf(object), 'edit');
  };
  // A Secret changes its owner once its owner has another Secret, so each change of an owner may end a wait.
  const wakeWaiting = (owner: ManagedObject) => {
    const owned = caches.connectionSecretsOf(owner, undefined).map(keyOf);
    for (const object of new Set(owned.flatMap((key) => connected.of(key)))) {
      const isWaitingForIt =
        hasReason(object, 'SecretConflict') && object.metadata.uid !== owner.metadata.uid;
      if (isWaitingForIt) wake(object.kind, keyOf(object), 'edit');
    }
  };
  for (const cache of caches.ofAllKinds) {
    cache.onChange((change: CacheChange<ManagedObject>) => {
      const { object } = change;
      // A visit plans the next visit itself. Only changes by other writers are news to it.
      if (!change.own)
        wake(object.kind, keyOf(object), change.initial && !isAwaited(object) ? 'resync' : 'edit');
      if (change.initial || !matters(change)) return;
      // Another object may wait for the Secret that it gives up.
      const givenUp = change.previous && connectionOf(change.previous);
      if (givenUp && givenUp[0] !== connectionOf(object)?.[0]) wakeAll(connected, givenUp);
      wakeWaiting(object);
      // Its resource is free, also for an object of another namespace.
      if (change.type === 'deleted')
        wakeAll(adopters, resourceText(object.kind, object.status?.id));
      // An object that it no longer refers to may have waited for that change.
      const versions = [object, ...(change.previous ? [change.previous] : [])];
      wakeAll(referrers, versions.flatMap(designationsOf));
      wakeAll(referents, versions.flatMap(referencesIn));
    });
  }
  caches.connectionSecrets.onChange(({ object, previous, own, initial }) => {
    if (initial) return;
    // The annotations may have been removed: the earlier annotations name the owner of the Secret.
    for (const { kind, key } of [object, ...(previous ? [previous] : [])].flatMap(ownersOfSecret)) {
      if (!own) wake(kind, key, 'edit');
      const owner = caches.of(kind).get(key);
      if (owner) wakeWaiting(owner);
    }
  });
  caches.ledger.entries.onChange(({ type, object: entry, previous, own, initial }) => {
    // At the start, the entry of a gone object may still have to be deleted.
    if (initial && ownerOf(entry, caches) === undefined) wakeOwner(entry, caches, wake);
    if (initial) return;
    // The event of an own write may come before its reply: a refused visit would wake itself without a pause.
    const isOwnEnd =
      type === 'deleted' && caches.ledger.isEndExpected(entry) && isOfLiving(entry, caches);
    if (!own && !isOwnEnd && (type === 'deleted' || !caches.ledger.isExpected(entry)))
      wakeOwner(entry.content ? entry : (previous ?? entry), caches, wake);
    // Another object that has the same resource may be its only owner now.
    const before = resourceOf(previous ?? entry);
    if (before !== undefined && (type === 'deleted' || resourceOf(entry) !== before))
      for (const other of caches.ledger.ofResource(before)) wakeOwner(other, caches, wake);
    // Replica sets have the password of their service.
    const owner = ownerOf(entry, caches);
    if (!owner) return;
    wakeAll(referrers, designationsOf(owner));
    wakeWaiting(owner);
  });
  caches.credentialsSecrets.onChange(({ object, own, initial }: CacheChange<SecretMetadata>) => {
    if (!own && !initial) wakeUsersOf(keyOf(object), caches, wake);
  });
  for (const namespaces of caches.namespaces)
    namespaces.onChange(({ type, object, previous, initial }) => {
      if (initial || type === 'deleted' || hasSameRules(object, previous)) return;
      wakeAllIn(object.metadata.name, caches, wake);
    });
}

/** Whether a visit reads the same rules in both versions of a Namespace. A new Namespace may have any rules. */
function hasSameRules(
  { metadata: { annotations = {} } }: NamespaceMetadata,
  previous: NamespaceMetadata | undefined,
): boolean {
  return (
    previous !== undefined && isDeepStrictEqual(annotations, previous.metadata.annotations ?? {})
  );
}

/** Rules of Namespaces change seldom: an index of all objects would cost more than this loop. */
function wakeAllIn(namespace: string, caches: Caches, wake: Wake): void {
  for (const cache of caches.ofAllKinds)
    for (const object of cache.values())
      if (object.metadata.namespace === namespace) wake(object.kind, keyOf(object), 'edit');
}

/** Whether a user waits for the object: its status is older than its spec, or says that work is under way. */
function isAwaited(object: ManagedObject): boolean {
  const isReconciling = object.status?.conditions?.some(
    ({ type, status }) => type === 'Reconciling' && status === 'True',
  );
  return (
    isReconciling === true || syncedOf(object)?.observedGeneration !== object.metadata.generation
  );
}

/** Whether the object of the entry is there. An object of the same name that came later waits for the end of the entry. */
function isOfLiving(entry: LedgerEntry, caches: Caches): boolean {
  const uid = objectOfEntry(entry)?.metadata.uid;
  return uid !== undefined && ownerOf(entry, caches)?.metadata.uid === uid;
}

function wakeOwner(entry: LedgerEntry, { ledger }: Caches, wake: Wake): void {
  const object = objectOfEntry(entry);
  if (object && ledger.isWatched(object.metadata.namespace))
    wake(object.kind, keyOf(object), 'edit');
}

function resourceOf({ metadata: { labels } }: LedgerEntry): string | undefined {
  return labels?.[entryLabels.resource];
}

function ownerOf(entry: LedgerEntry, caches: Caches): ManagedObject | undefined {
  const named = objectOfEntry(entry);
  return named && caches.of(named.kind).get(keyOf(named));
}

/** The texts by which other objects refer to this object: its name, and the id of its resource. */
function designationsOf(object: ManagedObject): readonly string[] {
  const { id } = object.status ?? {};
  return [
    referenceOf(object),
    ...(id === undefined ? [] : [byId(object.metadata.namespace, object.kind, id)]),
  ];
}

function referencesIn(object: ManagedObject): readonly string[] {
  const { namespace } = object.metadata;
  const named = typeOf(object).references(object);
  return [
    ...named.flatMap(({ kind, name }) =>
      name === undefined ? [] : [objectReference(kind, resourceKey(namespace, name))],
    ),
    ...[...named, ...resourcesOf(object), { kind: object.kind, id: awaitedBy(object) }].flatMap(
      ({ kind, id }) => (id === undefined ? [] : [byId(namespace, kind, id)]),
    ),
  ];
}

/** The id of the resource that the object is to adopt. An object that has adopted it waits for no other object. */
function awaitedBy(object: ManagedObject): string | undefined {
  const asked = externalIdIn(object);
  return asked === object.status?.id ? undefined : asked;
}

function resourceText(kind: Kind, id: string | undefined): readonly string[] {
  return id === undefined ? [] : [`${kind}/${id}`];
}

/** The parent and the VPC of the object's resource, which the spec may not name any more. */
function resourcesOf(
  object: ManagedObject,
): readonly { readonly kind: Kind; readonly id: string | undefined }[] {
  const { parent } = typeOf(object);
  return [
    ...(parent ? [{ kind: parent.kind, id: parent.shownId(object) }] : []),
    { kind: 'ManagedVpc', id: attachedVpcOf(object) },
  ];
}

/** Undefined for a kind whose status has no field for a VPC. */
function attachedVpcOf({ status }: ManagedObject): string | undefined {
  return status && 'vpcId' in status ? status.vpcId : undefined;
}

/** A resource that an object of this namespace may stand for. Objects of other namespaces are not woken. */
function byId(namespace: string, kind: Kind, id: string): string {
  return `${kind}/${namespace}/id ${id}`;
}

/** Wakes the objects that take their API key or password from this Secret, or wait for its name. */
export function wakeUsersOf(
  secret: ResourceKey,
  caches: Caches,
  wake: Wake,
  who: (object: ManagedObject) => boolean = () => true,
): void {
  const { namespace, name } = parseKey(secret);
  for (const cache of caches.ofAllKinds) {
    for (const user of cache.values()) {
      const isUser = user.metadata.namespace === namespace && secretsIn(user).includes(name);
      if (isUser && who(user)) wake(user.kind, keyOf(user), 'edit');
    }
  }
}

/** The connection Secret that the spec names, as a list with a single text. */
function connectionOf(object: ManagedObject): readonly [string] | undefined {
  return isConnected(object) ? [`${object.metadata.namespace}/${secretNameOf(object)}`] : undefined;
}

/** The user's Secrets that an object refers to, and a Secret that takes the name of its connection Secret. */
function secretsIn(object: ManagedObject): readonly (string | undefined)[] {
  const inTheWay =
    isConnected(object) && hasReason(object, 'SecretConflict') ? secretNameOf(object) : undefined;
  return [object.spec.credentialsRef?.name, typeOf(object).passwordSecret(object), inTheWay];
}

/** Whether the change concerns other objects: existence, id, state, attachment, or connection Secret. */
function matters({ type, object, previous }: CacheChange<ManagedObject>): boolean {
  if (type !== 'updated' || !previous) return true;
  return (
    object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    object.status?.id !== previous.status?.id ||
    object.status?.state !== previous.status?.state ||
    attachedVpcOf(object) !== attachedVpcOf(previous) ||
    syncedOf(object)?.reason !== syncedOf(previous)?.reason ||
    JSON.stringify(object.spec) !== JSON.stringify(previous.spec)
  );
}

function ownersOfSecret({
  metadata,
}: WatchedSecret): readonly { readonly kind: Kind; readonly key: ResourceKey }[] {
  const [kind, name] = metadata.annotations?.[connectionAnnotations.owner]?.split('/') ?? [];
  return name === undefined || !isKind(kind)
    ? []
    : [{ kind, key: resourceKey(metadata.namespace, name) }];
}

/**
 * Enqueues a credentials Secret when it is first held or deleted, and when an object stops using it: its spec or its
 * ledger entry names another Secret, its create was refused, or it is gone.
 */
export function wireCredentials(caches: Caches, secrets: Pick<Controller, 'enqueue'>): void {
  const drop = (namespace: string, name: string | undefined, now: string | undefined) => {
    if (name !== undefined && name !== now) secrets.enqueue(resourceKey(namespace, name));
  };
  caches.credentialsSecrets.onChange(({ object, type, initial }) => {
    // An object may be gone before the Secret is held for it.
    const isNew = type === 'added' && !initial;
    if (isNew || (type !== 'deleted' && object.metadata.deletionTimestamp))
      secrets.enqueue(keyOf(object));
  });
  for (const cache of caches.ofAllKinds) {
    cache.onChange(({ object, previous, type }: CacheChange<ManagedObject>) => {
      const isGone = type === 'deleted';
      const now = isGone ? undefined : object.spec.credentialsRef?.name;
      const before = (previous ?? object).spec.credentialsRef?.name;
      drop(object.metadata.namespace, before, now);
      if (isGone)
        drop(object.metadata.namespace, recordOf(object, caches).credentialsSecret, before);
    });
  }
  caches.ledger.entries.onChange(({ object: entry, previous, type }) => {
    const namespace = previous?.content?.object.namespace;
    if (
      !previous ||
      namespace === undefined ||
      type === 'deleted' ||
      !caches.ledger.isWatched(namespace)
    )
      return;
    drop(namespace, keySecretIn(previous), keySecretIn(entry));
  });
}

/** The Secret that an entry holds. A refused create made no resource, so its entry holds none. */
function keySecretIn(entry: Pick<LedgerEntry, 'content'>): string | undefined {
  const record = recordIn(entry);
  return hasResource(record) ? record.credentialsSecret : undefined;
}

/** Keeps the Secrets of a namespace in a cache, without their content, until the signal aborts. */
export type WatchSecrets = (
  namespace: string,
  cache: FillableCache<SecretMetadata>,
  signal: AbortSignal,
) => void;

/** The limit of namespaces that are watched at a time. Elsewhere, the next visit notices a new Secret. */
const mostNamespaces = 50;

/**
 * Watches all Secrets of a namespace while an object there waits for a user's Secret, or for its end: the watch
 * for labelled Secrets does not show it.
 * @param wake wakes the objects that refer to the Secret, or those among them that `who` selects
 */
export function watchAwaitedSecrets(
  caches: Caches,
  watch: WatchSecrets,
  wake: (secret: ResourceKey, who?: (object: ManagedObject) => boolean) => void,
): void {
  const waiting = new Map<string, Set<ObjectReference>>();
  const watched = new Map<string, AbortController>();

  const begin = (namespace: string) => {
    if (watched.has(namespace) || watched.size >= mostNamespaces) return;
    const end = new AbortController();
    watched.set(namespace, end);
    const secrets = objectCache<SecretMetadata>([namespace]);
    // A Secret in the first list may be older than the wait, or newer, so only waiting objects are woken.
    secrets.onChange(({ object, initial }) => wake(keyOf(object), initial ? isWaiting : undefined));
    watch(namespace, secrets, end.signal);
  };
  const end = (namespace: string) => {
    waiting.delete(namespace);
    watched.get(namespace)?.abort(new Error('no object waits for a Secret here'));
    watched.delete(namespace);
    for (const other of waiting.keys()) begin(other);
  };
  const follow = ({ object, type }: CacheChange<ManagedObject>) => {
    const { namespace } = object.metadata;
    const user = objectReference(object.kind, keyOf(object));
    const users = waiting.get(namespace);
    if (type !== 'deleted' && isWaiting(object)) {
      waiting.set(namespace, (users ?? new Set()).add(user));
      begin(namespace);
    } else if (users?.delete(user) && users.size === 0) end(namespace);
  };
  for (const cache of caches.ofAllKinds) cache.onChange(follow);
}

function isWaiting(object: ManagedObject): boolean {
  if (hasReason(object, 'SecretConflict')) return true;
  return (
    (object.spec.credentialsRef !== undefined && means(syncedOf(object)?.reason, 'withoutKey')) ||
    (typeOf(object).passwordSecret(object) !== undefined &&
      hasReason(object, 'WaitingForReference'))
  );
}
