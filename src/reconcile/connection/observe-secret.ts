import { resourceKey } from '../../runtime/kubernetes-object.ts';
import type { Context } from '../context.ts';
import type { ManagedObject, Situation } from '../situation.ts';
import { connectionAnnotations, connectionSecrets, type ConnectionSecret } from './connection-secret.ts';
import { isAbout, isOurs, isPending } from './ours.ts';

export type SecretSight = {
  readonly name: string;
  /** A password that was chosen and may not have reached the cloud yet. */
  readonly pending: ConnectionSecret | undefined;
} & (
  | { readonly state: 'absent' }
  /** The cache does not hold it, and nobody looked further: nothing is concluded. */
  | { readonly state: 'unread' }
  /** Somebody else's, or about another resource than this object's. */
  | { readonly state: 'foreign' }
  | { readonly state: 'ours'; readonly secret: ConnectionSecret }
);

export function pendingName(name: string): string {
  return `${name}-pending`;
}

/** The connection Secret that an object has: by its record, or by its status where the record is lost. */
export function secretNameOf({ record, identity }: Pick<Situation, 'record' | 'identity'>, bound: string | undefined): string | undefined {
  const isLost = record.id === undefined && identity.state === 'known' && identity.by === 'status';
  return record.secretName ?? (isLost ? bound : undefined);
}

/** The Secret of ours by that name, from the cache. */
export function cachedSecret(object: ManagedObject, name: string, context: Context): ConnectionSecret | undefined {
  const cached = context.caches.connectionSecrets.get(resourceKey(object.metadata.namespace, name));
  return cached && isOurs(cached, object) ? cached : undefined;
}

type Known = Pick<Situation, 'object' | 'identity' | 'record'>;

/**
 * Looks at the connection Secret. The cache holds only Secrets with our label, so that what it lacks may still exist.
 * @param prove read the API server where the cache has nothing: before anything is concluded from absence
 */
export async function observeSecret(known: Known, name: string, prove: boolean, context: Context): Promise<SecretSight> {
  const { object } = known;
  const key = resourceKey(object.metadata.namespace, name);
  const onItsWay = cachedSecret(object, pendingName(name), context);
  const pending = onItsWay && isPending(onItsWay, object) && isAbout(onItsWay, known) ? onItsWay : undefined;
  const secret = context.caches.connectionSecrets.get(key) ?? (prove ? await context.kubernetes.get(connectionSecrets, key) : undefined);
  if (!secret) return { state: prove ? 'absent' : 'unread', name, pending };
  const isTheOne = isOurs(secret, object) && !isPending(secret, object) && isAbout(secret, known);
  return isTheOne ? { state: 'ours', name, pending, secret } : { state: 'foreign', name, pending };
}

/** The Secret of the wanted name, when the record has another one. */
export async function nextSecret(known: Known, wanted: string, context: Context): Promise<SecretSight | undefined> {
  const recorded = known.record.secretName;
  return recorded === undefined || recorded === wanted ? undefined : observeSecret(known, wanted, true, context);
}

/** Whether the Secret tells of a create of ours, or has a password that was asked for: then its password is ours to set. */
export function wasMadeByUs(sight: SecretSight): boolean {
  if (sight.state !== 'ours') return false;
  return sight.secret.metadata.annotations?.[connectionAnnotations.attempt] !== undefined || sight.secret.passwordDigest !== undefined;
}
