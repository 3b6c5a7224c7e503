import { connectionFinalizer, connectionLabel } from '../../resources/annotations.ts';
import { hasFinalizer } from '../../runtime/index.ts';
import type { About } from '../step/step.ts';
import type { Situation } from '../situation/situation.ts';
import { connectionAnnotations } from '../../resources/connection-secret.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** `ManagedService/orders` */
export function ownerText(object: ManagedObject): string {
  return `${object.kind}/${object.metadata.name}`;
}

/** Whether the operator made this Secret for this object. One that lost its label is still held by our finalizer. */
export function isOurs({ metadata }: WatchedSecret, object: ManagedObject): boolean {
  const isMarked = metadata.labels?.[connectionLabel] === 'true' || hasFinalizer({ metadata }, connectionFinalizer);
  return isMarked && metadata.annotations?.[connectionAnnotations.owner] === ownerText(object);
}

/** Whether it is the place of a password on its way, and not a connection Secret that has such a name. */
export function isPending(secret: WatchedSecret, object: ManagedObject): boolean {
  return isOurs(secret, object) && secret.metadata.annotations?.[connectionAnnotations.pending] === 'true';
}

/** Whether a Secret of ours is about this resource, and not about an earlier one that was kept: that one's password must not be overwritten. */
export function isAbout({ metadata }: WatchedSecret, { ids, attempt }: About): boolean {
  const id = metadata.annotations?.[connectionAnnotations.id];
  if (id === undefined || ids === 'any' || ids.includes(id)) return true;
  return attempt !== undefined && metadata.annotations?.[connectionAnnotations.attempt] === attempt;
}

/** What Secrets of an object may be about. */
export function aboutOf({ identity, record }: Pick<Situation, 'identity' | 'record'>): About {
  const ids = [record.replaces, identity.state === 'known' ? identity.id : undefined].filter((id) => id !== undefined);
  return { ids: identity.state === 'conflict' ? 'any' : ids, attempt: record.attempt?.id };
}

/** Finalizers of others: when the Secret is deleted, it stays as long as they do. */
export function othersOn({ metadata }: WatchedSecret): readonly string[] {
  return (metadata.finalizers ?? []).filter((finalizer) => finalizer !== connectionFinalizer);
}

/** Finalizers of others that hold a Secret which is being deleted: until they are gone, nothing else can be made in its place. */
export function holdersOf(secret: WatchedSecret): readonly string[] {
  return secret.metadata.deletionTimestamp === undefined ? [] : othersOn(secret);
}

/** It is being deleted, and not held by the operator: what is in it will be gone. */
export function isLeaving({ metadata }: WatchedSecret): boolean {
  return metadata.deletionTimestamp !== undefined && !hasFinalizer({ metadata }, connectionFinalizer);
}
