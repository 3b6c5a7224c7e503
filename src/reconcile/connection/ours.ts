import { connectionFinalizer, connectionLabel } from '../../resources/annotations.ts';
import type { ManagedObject, Situation } from '../situation.ts';
import { connectionAnnotations, type SecretWithData } from './connection-secret.ts';

type SecretMetadata = Pick<SecretWithData, 'metadata'>;

/** `ManagedService/orders` */
export function ownerText(object: ManagedObject): string {
  return `${object.kind}/${object.metadata.name}`;
}

/** Whether the operator made this Secret for this object. One that lost its label is still held by our finalizer. */
export function isOurs({ metadata }: SecretMetadata, object: ManagedObject): boolean {
  const isMarked = metadata.labels?.[connectionLabel] === 'true' || metadata.finalizers?.includes(connectionFinalizer) === true;
  return isMarked && metadata.annotations?.[connectionAnnotations.owner] === ownerText(object);
}

/** Whether it is the place of a password on its way, and not a connection Secret that has such a name. */
export function isPending(secret: SecretMetadata, object: ManagedObject): boolean {
  return isOurs(secret, object) && secret.metadata.annotations?.[connectionAnnotations.pending] === 'true';
}

/** Whether a Secret of ours is about this resource, and not about an earlier one that was kept: that one's password must not be overwritten. */
export function isAbout({ metadata }: SecretMetadata, { identity, record }: Pick<Situation, 'identity' | 'record'>): boolean {
  const id = metadata.annotations?.[connectionAnnotations.id];
  if (id === undefined || id === record.replaces || identity.state === 'conflict') return true;
  if (identity.state === 'known' && id === identity.id) return true;
  return record.attempt !== undefined && metadata.annotations?.[connectionAnnotations.attempt] === record.attempt.id;
}
