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
import { syncedOf } from '../../resources/condition.ts';

/** Keeps the Secrets of a namespace in a cache, without their content, until the signal aborts. */
export type WatchSecrets = (namespace: string, cache: FillableCache<SecretMetadata>, signal: AbortSignal) => void;

/** The limit of namespaces that are watched at a time. Elsewhere, the next visit notices a new Secret. */
const mostNamespaces = 50;

/**
 * Watches all Secrets of a namespace while an object there waits for a user's Secret, or for its end: the watch
 * for labelled Secrets does not show it. The status shows which objects wait. The watch ends with the last of
 * them.
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

/** Reasons of an object whose API key's Secret is missing or unsuitable. */
const keyReasons: ReadonlySet<string> = new Set(['WaitingForCredentials', 'Unauthorized', 'ForeignProject']);

function isWaiting(object: ManagedObject): boolean {
  const reason = syncedOf(object)?.reason ?? '';
  if (reason === 'SecretConflict' || (object.spec.credentialsRef && keyReasons.has(reason))) return true;
  return reason === 'WaitingForReference' && typeOf(object).passwordSecret(object) !== undefined;
}
