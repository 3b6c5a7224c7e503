import { keyOf, KubernetesError, resourceKey } from '../../runtime/index.ts';
import { releaseSecret, removeSecret } from '../connection/store.ts';
import { isAbout, isOwnedBy, isPending } from '../connection/ownership.ts';
import { pendingName } from '../connection/secret-name.ts';
import { connectionSecrets, type WatchedSecret } from '../../resources/watched-secret.ts';
import type { Context } from '../process/context.ts';
import type { Released } from '../step/step.ts';
import { dropFinalizer } from './patch-object.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/**
 * Releases the object. If the resource is gone, its Secrets are removed; if it stays, its Secrets stay without the operator's finalizer. The object's
 * finalizer is removed last, so that a failure before is retried.
 */
export async function release({ secretName, keepsSecrets, about }: Released, object: ManagedObject, context: Context): Promise<void> {
  const secrets = context.caches.connectionSecretsOf(object).filter((secret) => isOwnedBy(secret, object));
  const names = secretName === undefined ? [] : [secretName, pendingName(secretName)];
  const unknown = names.filter((name) => secrets.every(({ metadata }) => metadata.name !== name));
  const lost = await Promise.all(unknown.map((name) => unlabelled(object, name, context)));
  for (const secret of [...secrets, ...lost.filter((each) => each !== undefined)]) {
    // The Secret of an earlier resource that was retained has the password of that resource.
    if (!isAbout(secret, about)) continue;
    if (keepsSecrets && isPending(secret, object)) reportPending(secret, object, context);
    await dispose(secret, keepsSecrets, context);
  }
  context.memory.of(object.kind, keyOf(object)).releasedUid = object.metadata.uid;
  try {
    await dropFinalizer(object, context);
  } catch (error) {
    if (!(error instanceof KubernetesError && error.kind === 'notFound')) throw error; // gone already
  }
}

/** Nobody completes this rotation. Two Secrets remain, and one of them has the valid password. */
function reportPending({ metadata }: WatchedSecret, object: ManagedObject, { events }: Context): void {
  const message = `Secret "${metadata.name}" has a password that was on its way: if the one in the connection Secret is not accepted, it has arrived`;
  events.record(object, { type: 'Warning', reason: 'RotatingPassword', message });
}

/** A Secret whose label somebody removed. The cache does not have it, and the finalizer would hold it forever. */
async function unlabelled(object: ManagedObject, name: string, context: Context): Promise<WatchedSecret | undefined> {
  const secret = await context.kubernetes.get(connectionSecrets, resourceKey(object.metadata.namespace, name));
  return secret && isOwnedBy(secret, object) ? secret : undefined;
}

async function dispose(secret: WatchedSecret, keeps: boolean, context: Context): Promise<void> {
  try {
    await (keeps ? releaseSecret(keyOf(secret), secret.metadata.uid, context) : removeSecret(secret, context));
  } catch (error) {
    if (!(error instanceof KubernetesError && error.kind === 'notFound')) throw error; // somebody else removed it
  }
}
