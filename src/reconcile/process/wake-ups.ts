import {
  keyOf,
  parseKey,
  resourceKey,
  type CacheChange,
  type Controller,
  type KubernetesObject,
  type ObjectCache,
  type Priority,
  type ResourceKey,
} from '../../runtime/index.ts';
import { annotations } from '../../resources/annotations.ts';
import { connectionAnnotations } from '../../resources/connection-secret.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import type { Caches } from './context.ts';
import type { SecretMetadata } from '../../resources/secret-metadata.ts';
import type { ReferenceIndex } from './reference-index.ts';
import { isKind, typeOf, type Kind, type ManagedObject } from '../../resources/managed-object.ts';
import { readyOf } from '../../resources/condition.ts';

export type Wake = (kind: Kind, key: ResourceKey, priority: Priority) => void;

/** Who has to look again when something in Kubernetes changes: the object itself, what names it, what it names, and whose Secret it is. */
export function wireWakeUps(caches: Caches, references: ReferenceIndex, wake: Wake): void {
  for (const cache of caches.ofAllKinds) {
    cache.onChange((change: CacheChange<ManagedObject>) => {
      const { object } = change;
      // A visit plans its next one itself; only what others changed is news to it.
      if (!change.own) wake(object.kind, keyOf(object), change.initial ? 'resync' : 'edit');
      if (change.initial || !matters(change)) return;
      for (const { kind, key } of references.referrersOf(object)) wake(kind, key, 'edit');
      for (const { kind, key } of references.referentsOf(object)) wake(kind, key, 'edit');
    });
  }
  caches.connectionSecrets.onChange((change) => {
    if (!change.initial) wakeAround(change, caches, references, wake);
  });
  caches.credentialsSecrets.onChange(({ object, own, initial }: CacheChange<SecretMetadata>) => {
    if (!own && !initial) wakeUsersOf(keyOf(object), caches, wake);
  });
}

/** Whoever names this Secret for its API key or its password. */
export function wakeUsersOf(secret: ResourceKey, caches: Caches, wake: Wake, who: (object: ManagedObject) => boolean = () => true): void {
  const { namespace, name } = parseKey(secret);
  for (const cache of caches.ofAllKinds) {
    for (const user of cache.values()) {
      const isUser = user.metadata.namespace === namespace && secretsIn(user).includes(name);
      if (isUser && who(user)) wake(user.kind, keyOf(user), 'edit');
    }
  }
}

/** Secrets of the user's that an object names. */
function secretsIn(object: ManagedObject): readonly (string | undefined)[] {
  return [object.spec.credentialsRef?.name, typeOf(object).passwordSecret(object)];
}

/** Others care whether it exists, has an id, which state it is in, and which Secret it fills. */
function matters({ type, object, previous }: CacheChange<ManagedObject>): boolean {
  if (type !== 'updated' || !previous) return true;
  return (
    object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    object.metadata.annotations?.[annotations.record] !== previous.metadata.annotations?.[annotations.record] ||
    object.status?.state !== previous.status?.state ||
    readyOf(object)?.reason !== readyOf(previous)?.reason ||
    JSON.stringify(object.spec) !== JSON.stringify(previous.spec)
  );
}

/** Whoever made the Secret, unless that was just now; and what names the owner: replica sets take user and password from there. */
function wakeAround({ object, own }: CacheChange<WatchedSecret>, caches: Caches, references: ReferenceIndex, wake: Wake): void {
  const [kind, name] = object.metadata.annotations?.[connectionAnnotations.owner]?.split('/') ?? [];
  if (name === undefined || !isKind(kind)) return;
  const key = resourceKey(object.metadata.namespace, name);
  if (!own) wake(kind, key, 'edit');
  const owner = caches.of(kind).get(key);
  if (owner) for (const referrer of references.referrersOf(owner)) wake(referrer.kind, referrer.key, 'edit');
}

/** A credentials Secret is looked at when it is deleted, and when an object that used it goes or names another. */
export function wireCredentials(caches: Caches, secrets: Controller): void {
  wireDying(caches.credentialsSecrets, secrets);
  for (const cache of caches.ofAllKinds) {
    cache.onChange(({ object, previous, type }: CacheChange<ManagedObject>) => {
      const now = type === 'deleted' ? undefined : object.spec.credentialsRef?.name;
      const name = (previous ?? object).spec.credentialsRef?.name;
      if (name === undefined || name === now) return;
      secrets.enqueue(resourceKey(object.metadata.namespace, name));
    });
  }
}

/** A Secret that is still being deleted after so long is looked at, whoever it belongs to. */
export function wireDying<T extends KubernetesObject>(cache: ObjectCache<T>, secrets: Controller, afterMs = 0): void {
  cache.onChange(({ object, type }) => {
    if (type !== 'deleted' && object.metadata.deletionTimestamp) secrets.enqueue(keyOf(object), { afterMs });
  });
}
