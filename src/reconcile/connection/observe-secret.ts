import { connectionLabel } from '../../resources/annotations.ts';
import { resourceKey } from '../../runtime/kubernetes-object.ts';
import type { Context } from '../context.ts';
import type { ManagedObject } from '../situation.ts';
import { connectionAnnotations, connectionSecrets, type ConnectionSecret } from './connection-secret.ts';
import { ownerText } from './store.ts';

export type SecretSight = {
  readonly name: string;
  /** A password that was chosen and may not have reached the cloud yet. */
  readonly pending: ConnectionSecret | undefined;
} & (
  | { readonly state: 'absent' }
  /** The cache does not hold it, and nobody looked further: nothing is concluded. */
  | { readonly state: 'unread' }
  | { readonly state: 'foreign' }
  | { readonly state: 'ours'; readonly secret: ConnectionSecret }
);

export function pendingName(name: string): string {
  return `${name}-pending`;
}

/** The Secret of ours by that name, from the cache. */
export function cachedSecret(object: ManagedObject, name: string, context: Context): ConnectionSecret | undefined {
  const cached = context.caches.connectionSecrets.get(resourceKey(object.metadata.namespace, name));
  return cached && isOurs(cached, object) ? cached : undefined;
}

/**
 * Looks at the connection Secret. The cache holds only Secrets with our label, so that what it lacks may still exist.
 * @param prove read the API server where the cache has nothing: before anything is concluded from absence
 */
export async function observeSecret(object: ManagedObject, name: string, prove: boolean, context: Context): Promise<SecretSight> {
  const key = resourceKey(object.metadata.namespace, name);
  const pending = cachedSecret(object, pendingName(name), context);
  const secret = context.caches.connectionSecrets.get(key) ?? (prove ? await context.kubernetes.get(connectionSecrets, key) : undefined);
  if (!secret) return { state: prove ? 'absent' : 'unread', name, pending };
  return isOurs(secret, object) ? { state: 'ours', name, pending, secret } : { state: 'foreign', name, pending };
}

/** The Secret of the wanted name, when the record has another one. */
export async function nextSecret(
  object: ManagedObject,
  recorded: string | undefined,
  wanted: string,
  context: Context,
): Promise<SecretSight | undefined> {
  return recorded === undefined || recorded === wanted ? undefined : observeSecret(object, wanted, true, context);
}

/** Whether the Secret tells of a create of ours: then its password is ours to set. */
export function wasMadeByUs(sight: SecretSight): boolean {
  return sight.state === 'ours' && sight.secret.metadata.annotations?.[connectionAnnotations.attempt] !== undefined;
}

function isOurs(secret: ConnectionSecret, object: ManagedObject): boolean {
  return (
    secret.metadata.labels?.[connectionLabel] === 'true' && secret.metadata.annotations?.[connectionAnnotations.owner] === ownerText(object)
  );
}
