import {
  keyOf,
  objectCache,
  objectReference,
  type CacheChange,
  type FillableCache,
  type ObjectReference,
  type ResourceKey,
} from '../../runtime/index.ts';
import type { Caches } from './context.ts';
import type { SecretMetadata } from '../../resources/secret-metadata.ts';
import { typeOf, type ManagedObject } from '../../resources/managed-object.ts';
import { readyOf } from '../../resources/condition.ts';

/** Keeps the Secrets of one namespace in a cache, without their content, until the signal aborts. */
export type WatchSecrets = (namespace: string, cache: FillableCache<SecretMetadata>, signal: AbortSignal) => void;

/** So many namespaces are watched at a time; in others, a Secret that appears is seen when the object is looked at again by itself. */
const mostNamespaces = 50;

/**
 * While an object waits for a Secret of the user's, all Secrets of its namespace are watched: one that does not carry our label yet, or does not
 * exist, tells nobody of a change. Who waits can be read from the status; the watch ends with the last that does.
 * @param wake wakes whoever names the Secret, or those of them that it is told
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
    // What the first list shows may be there since before they began to wait, or since a moment after.
    secrets.onChange(({ object, initial }) => wake(keyOf(object), initial ? isWaiting : undefined));
    watch(namespace, secrets, end.signal);
  };
  const end = (namespace: string) => {
    waiting.delete(namespace);
    watched.get(namespace)?.abort(new Error('nobody waits for a Secret here'));
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

/** What the status says while a Secret of the user's is missing, lacks its key, or has one that does not do. */
const keyReasons: ReadonlySet<string> = new Set(['WaitingForCredentials', 'Unauthorized', 'ForeignProject']);

function isWaiting(object: ManagedObject): boolean {
  const reason = readyOf(object)?.reason ?? '';
  if (object.spec.credentialsRef && keyReasons.has(reason)) return true;
  return reason === 'WaitingForReference' && typeOf(object).passwordSecret(object) !== undefined;
}
