import { credentialsFinalizer, credentialsLabel } from '../../resources/annotations.ts';
import { connectionAnnotations } from '../../resources/connection-secret.ts';
import { isKind, type ManagedObject } from '../../resources/managed-object.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import { hasFinalizer, resourceKey } from '../../runtime/index.ts';
import type { View } from '../process/context.ts';
import type { About, Stall } from '../step/step.ts';
import { holdingFinalizers, idIn, isAbout, isMadeFor, isOwnedBy, isPending, ownerText } from './ownership.ts';
import { isConnected } from './secret-name.ts';
import { heldBy, nameTaken, secretConflict } from './secret-refused.ts';
import { mayStillUse } from './still-used.ts';

/** The object that needs the name, and the resource that its Secrets are about. */
interface Seeker {
  readonly object: ManagedObject;
  readonly about: About;
}

type Known = Pick<View, 'caches' | 'options' | 'memory'>;

const elsewhere = 'choose another spec.connectionSecret.name';

/**
 * The advice about a Secret that has the name of a connection Secret, or of its pending Secret, and is not touched. To delete it is advised only where that
 * ends the conflict, and with the loss that it may mean.
 */
export function inTheWay(secret: WatchedSecret, seeker: Seeker, known: Known): Stall {
  return (
    apiKey(secret, seeker) ??
    ofAnother(secret, seeker, known) ??
    whileHeld(secret) ??
    onItsWay(secret, seeker) ??
    ofKept(secret, seeker) ??
    nameTaken(secret.metadata.name)
  );
}

/** Deleted, it would hold up whoever uses it, and stay as long as they do. */
function apiKey(secret: WatchedSecret, { object }: Seeker): Stall | undefined {
  const { name, labels } = secret.metadata;
  const isUsed =
    labels?.[credentialsLabel] === 'true' || hasFinalizer(secret, credentialsFinalizer) || object.spec.credentialsRef?.name === name;
  return isUsed ? secretConflict(`Secret "${name}" has an API key that objects here use: ${elsewhere}`) : undefined;
}

/** Deleted, it would be made again. */
function ofAnother(secret: WatchedSecret, { object }: Seeker, known: Known): Stall | undefined {
  const { name, namespace, annotations } = secret.metadata;
  const text = annotations?.[connectionAnnotations.owner];
  const [kind, ownerName = ''] = text?.split('/') ?? [];
  if (text === ownerText(object) || !isKind(kind)) return undefined;
  const owner = known.caches.of(kind).get(resourceKey(namespace, ownerName));
  if (!owner || !isConnected(owner) || !mayStillUse(owner, secret, known)) return undefined;
  return secretConflict(`Secret "${name}" is that of ${text}: ${elsewhere}, here or there`);
}

/** Undefined if nobody else holds the Secret: then, being deleted, it is gone in a moment. */
export function whileHeld(secret: WatchedSecret): Stall | undefined {
  const holders = holdingFinalizers(secret);
  return holders.length === 0 ? undefined : heldBy(secret.metadata.name, holders);
}

function onItsWay(secret: WatchedSecret, { object, about }: Seeker): Stall | undefined {
  if (!isPending(secret, object) || !isAbout(secret, about)) return undefined;
  return secretConflict(`Secret "${secret.metadata.name}" has a password of this object that is on its way: ${elsewhere}`);
}

/** Its service may be there still, and nobody else may know the password. */
function ofKept(secret: WatchedSecret, { object, about }: Seeker): Stall | undefined {
  const id = idIn(secret);
  if ((id === undefined && !isMadeFor(secret, object)) || (isOwnedBy(secret, object) && isAbout(secret, about))) return undefined;
  return secretConflict(
    `Secret "${secret.metadata.name}" may have the only copy of the password of ${id ?? `what an earlier ${ownerText(object)} had`}: ${elsewhere}, or delete that Secret once nobody needs that password`,
  );
}
