import { connectionFinalizer, connectionLabel } from '../../resources/annotations.ts';
import { hasFinalizer, isLetGo } from '../../runtime/index.ts';
import { recordIn, type ResourceRecord } from '../record/record.ts';
import type { About } from '../step/step.ts';
import type { Situation } from '../situation/situation.ts';
import { connectionAnnotations } from '../../resources/connection-secret.ts';
import { resourceOfDigest } from './stored-password.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** The owner as text: `ManagedService/orders`. */
export function ownerText(object: ManagedObject): string {
  return `${object.kind}/${object.metadata.name}`;
}

/**
 * Whether the operator made this Secret for this object. A Secret that lost its label still has the finalizer. One that does not say which resource it is about
 * is that of the object that made it, and not of a later one of the same name: it may be about what that one kept.
 */
export function isOwnedBy(secret: WatchedSecret, object: ManagedObject): boolean {
  return isMadeFor(secret, object) && (idIn(secret) !== undefined || isMadeBy(secret, object));
}

/** Whether the operator made this Secret for an object of this name. */
export function isMadeFor({ metadata }: WatchedSecret, object: ManagedObject): boolean {
  const isMarked = metadata.labels?.[connectionLabel] === 'true' || hasFinalizer({ metadata }, connectionFinalizer);
  return isMarked && metadata.annotations?.[connectionAnnotations.owner] === ownerText(object);
}

/**
 * Whether the Secret tells what resource this object has. One that was let go, and that somebody else's finalizer holds, tells it of the object alone that it
 * was made for: a new object of that name has nothing to do with it.
 */
export function speaksFor(object: ManagedObject, secret: WatchedSecret): boolean {
  return isOwnedBy(secret, object) && (isMadeBy(secret, object) || !isVanishing(secret));
}

function isMadeBy({ metadata }: WatchedSecret, object: ManagedObject): boolean {
  return metadata.annotations?.[connectionAnnotations.ownerUid] === object.metadata.uid;
}

/** The id of the resource that a Secret is about. Where somebody took that annotation off, the digest of its password still says it. */
export function idIn({ metadata }: WatchedSecret): string | undefined {
  const { [connectionAnnotations.id]: id, [connectionAnnotations.passwordDigest]: digest } = metadata.annotations ?? {};
  return id ?? resourceOfDigest(digest);
}

/** Whether a Secret is about the resource of this id, or does not say about which. */
export function isOf(secret: WatchedSecret, id: string | undefined): boolean {
  const its = idIn(secret);
  return its === undefined || its === id;
}

/** Whether a Secret is still about the lost resource that the one of this id replaced. It only makes room: nothing that it says is about the new one. */
export function isOfReplaced(secret: WatchedSecret, id: string | undefined, { replaces }: Pick<ResourceRecord, 'replaces'>): boolean {
  return !isOf(secret, id) && idIn(secret) === replaces;
}

/** Whether the Secret is a pending one, and not a connection Secret with such a name. */
export function isPending(secret: WatchedSecret, object: ManagedObject): boolean {
  return isOwnedBy(secret, object) && secret.metadata.annotations?.[connectionAnnotations.pending] === 'true';
}

/** Whether a Secret is about this resource. The Secret of an earlier resource that was retained must not be overwritten. */
export function isAbout(secret: WatchedSecret, { ids, attempt }: About): boolean {
  const id = idIn(secret);
  if (id === undefined || ids === 'any' || ids.includes(id)) return true;
  return attempt !== undefined && secret.metadata.annotations?.[connectionAnnotations.attempt] === attempt;
}

/**
 * Whether a Secret may be written, copied or removed for this resource of its owner: it was made for that object, and is about this resource, about one that
 * it replaces, about the open create, or about none.
 */
export function isOfResource(secret: WatchedSecret, its: ResourceOfSecret): boolean {
  return isOwnedBy(secret, its.owner) && isAbout(secret, writtenAbout(its));
}

/** The resources that a Secret may be about which is written for this one. */
export function writtenAbout({ owner, id, attempt }: ResourceOfSecret): About {
  const record = recordIn(owner);
  const ids = [id, record.id, record.replaces].filter((each) => each !== undefined);
  return { ids, attempt: attempt ?? record.attempt?.id };
}

interface ResourceOfSecret {
  readonly owner: ManagedObject;
  readonly id?: string | undefined;
  readonly attempt?: string | undefined;
}

/** The resources that Secrets of an object may be about. */
export function aboutOf({ identity, record }: Pick<Situation, 'identity' | 'record'>): About {
  const ids = [record.replaces, identity.state === 'known' ? identity.id : undefined].filter((id) => id !== undefined);
  return { ids: identity.state === 'conflict' ? 'any' : ids, attempt: record.attempt?.id };
}

/** Finalizers of others. A deleted Secret stays as long as it has one. */
export function foreignFinalizers({ metadata }: WatchedSecret): readonly string[] {
  return (metadata.finalizers ?? []).filter((finalizer) => finalizer !== connectionFinalizer);
}

/** Finalizers of others that hold a Secret which is being deleted. Until they are gone, no Secret can be created in its place. */
export function holdingFinalizers(secret: WatchedSecret): readonly string[] {
  return secret.metadata.deletionTimestamp === undefined ? [] : foreignFinalizers(secret);
}

/** Whether the Secret is being deleted without the operator's finalizer: its content will be lost. */
export function isVanishing(secret: WatchedSecret): boolean {
  return isLetGo(secret, connectionFinalizer);
}
