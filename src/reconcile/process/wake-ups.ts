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
} from '../../runtime/index.ts';
import { annotations } from '../../resources/annotations.ts';
import { connectionAnnotations } from '../../resources/connection-secret.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import type { Caches } from './context.ts';
import type { SecretMetadata } from '../../resources/secret-metadata.ts';
import { countingRecordIn } from '../record/known-by-status.ts';
import { attachmentsIn } from '../record/record.ts';
import { isKind, typeOf, type Kind, type ManagedObject } from '../../resources/managed-object.ts';
import { readyOf } from '../../resources/condition.ts';

export type Wake = (kind: Kind, key: ResourceKey, priority: Priority) => void;

/** Wakes the objects that a change in Kubernetes concerns: the object itself, objects that refer to it, objects that it refers to, and owners of Secrets. */
export function wireWakeUps(caches: Caches, wake: Wake): void {
  const referrers = cacheIndex(caches.ofAllKinds, referencesIn);
  const referents = cacheIndex(caches.ofAllKinds, designationsOf);
  const wakeAll = (found: CacheIndex<ManagedObject>, texts: readonly string[]) => {
    for (const object of new Set(texts.flatMap((text) => found.of(text)))) wake(object.kind, keyOf(object), 'edit');
  };
  const wakeReferrers = (object: ManagedObject) => wakeAll(referrers, designationsOf(object));
  for (const cache of caches.ofAllKinds) {
    cache.onChange((change: CacheChange<ManagedObject>) => {
      const { object } = change;
      // A visit plans the next visit itself. Only changes by others are news to it.
      if (!change.own) wake(object.kind, keyOf(object), change.initial ? 'resync' : 'edit');
      if (change.initial || !matters(change)) return;
      wakeReferrers(object);
      // What it refers to no more may have waited for just that.
      wakeAll(referents, [object, ...(change.previous ? [change.previous] : [])].flatMap(referencesIn));
    });
  }
  caches.connectionSecrets.onChange(({ object, previous, own, initial }) => {
    if (initial || own) return;
    // Somebody may have removed the annotations: the earlier ones say whose the Secret is.
    for (const owner of new Set([object, ...(previous ? [previous] : [])].flatMap(ownerIn))) wake(owner.kind, owner.key, 'edit');
  });
  caches.ledger.entries.onChange(({ object: { content }, own, initial }) => {
    if (initial || !content || !isKind(content.object.kind)) return;
    const { kind, namespace, name } = content.object;
    const key = resourceKey(namespace, name);
    if (!own) wake(kind, key, 'edit');
    // Replica sets have the password of their service.
    const owner = caches.of(kind).get(key);
    if (owner) wakeReferrers(owner);
  });
  caches.credentialsSecrets.onChange(({ object, own, initial }: CacheChange<SecretMetadata>) => {
    if (!own && !initial) wakeUsersOf(keyOf(object), caches, wake);
  });
}

/** What others call an object: its name, and the id of its resource, which stays when another object stands for it. Pure. */
function designationsOf(object: ManagedObject): readonly string[] {
  const id = countingRecordIn(object).id;
  return [referenceOf(object), ...(id === undefined ? [] : [byId(object, object.kind, id)])];
}

/** What an object refers to, in the same terms: what its spec names, and what it was found or made to depend on. Pure. */
function referencesIn(object: ManagedObject): readonly string[] {
  const record = countingRecordIn(object);
  const named = typeOf(object).references(object);
  const ids = [
    ...named,
    { kind: 'ManagedService', id: record.parentServiceId },
    { kind: 'ManagedService', id: record.forkSourceId },
    ...[attachedVpcOf(object), ...attachmentsIn(record)].map((id) => ({ kind: 'ManagedVpc', id }) as const),
  ] as const;
  return [
    ...named.flatMap(({ kind, name }) => (name === undefined ? [] : [objectReference(kind, resourceKey(object.metadata.namespace, name))])),
    ...ids.flatMap(({ kind, id }) => (id === undefined ? [] : [byId(object, kind, id)])),
  ];
}

function attachedVpcOf({ status }: ManagedObject): string | undefined {
  return status && 'vpcId' in status ? status.vpcId : undefined;
}

/** A resource that an object of this namespace may stand for. Nobody wakes the objects of another namespace. */
function byId({ metadata }: ManagedObject, kind: Kind, id: string): string {
  return `${kind}/${metadata.namespace}/id ${id}`;
}

/** Wakes the objects that take their API key or password from this Secret. */
export function wakeUsersOf(secret: ResourceKey, caches: Caches, wake: Wake, who: (object: ManagedObject) => boolean = () => true): void {
  const { namespace, name } = parseKey(secret);
  for (const cache of caches.ofAllKinds) {
    for (const user of cache.values()) {
      const isUser = user.metadata.namespace === namespace && secretsIn(user).includes(name);
      if (isUser && who(user)) wake(user.kind, keyOf(user), 'edit');
    }
  }
}

/** The user's Secrets that an object refers to. */
function secretsIn(object: ManagedObject): readonly (string | undefined)[] {
  return [object.spec.credentialsRef?.name, typeOf(object).passwordSecret(object)];
}

/** Whether the change concerns other objects: existence, id, state, attachment, or connection Secret. */
function matters({ type, object, previous }: CacheChange<ManagedObject>): boolean {
  if (type !== 'updated' || !previous) return true;
  return (
    object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    object.metadata.annotations?.[annotations.record] !== previous.metadata.annotations?.[annotations.record] ||
    object.status?.state !== previous.status?.state ||
    attachedVpcOf(object) !== attachedVpcOf(previous) ||
    readyOf(object)?.reason !== readyOf(previous)?.reason ||
    JSON.stringify(object.spec) !== JSON.stringify(previous.spec)
  );
}

/** The object that a connection Secret names as its owner. */
function ownerIn({ metadata }: WatchedSecret): readonly { readonly kind: Kind; readonly key: ResourceKey }[] {
  const [kind, name] = metadata.annotations?.[connectionAnnotations.owner]?.split('/') ?? [];
  return name === undefined || !isKind(kind) ? [] : [{ kind, key: resourceKey(metadata.namespace, name) }];
}

/** Enqueues a credentials Secret when it is deleted, and when an object that used it is deleted or names another. */
export function wireCredentials(caches: Caches, secrets: Controller): void {
  caches.credentialsSecrets.onChange(({ object, type }) => {
    if (type !== 'deleted' && object.metadata.deletionTimestamp) secrets.enqueue(keyOf(object));
  });
  for (const cache of caches.ofAllKinds) {
    cache.onChange(({ object, previous, type }: CacheChange<ManagedObject>) => {
      const now = type === 'deleted' ? undefined : object.spec.credentialsRef?.name;
      const name = (previous ?? object).spec.credentialsRef?.name;
      if (name === undefined || name === now) return;
      secrets.enqueue(resourceKey(object.metadata.namespace, name));
    });
  }
}
