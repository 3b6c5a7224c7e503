import { KubernetesError } from '../../runtime/kubernetes-client.ts';
import { keyOf } from '../../runtime/kubernetes-object.ts';
import { cachedSecret } from '../connection/observe-secret.ts';
import { letGo, removeSecret } from '../connection/store.ts';
import type { ConnectionSecret } from '../connection/connection-secret.ts';
import type { Context } from '../context.ts';
import type { ManagedObject } from '../situation.ts';
import { dropFinalizer } from './patch-object.ts';

/**
 * Lets the object go. What is gone from the cloud takes its Secrets along; what stays there leaves them, only no longer held.
 * The finalizer goes last: whatever fails before is tried again.
 */
export async function release(
  object: ManagedObject,
  secretNames: readonly string[],
  keepsSecret: boolean,
  context: Context,
): Promise<void> {
  for (const name of secretNames) {
    const secret = cachedSecret(object, name, context);
    if (secret) await dispose(secret, keepsSecret, context);
  }
  try {
    await dropFinalizer(object, context);
  } catch (error) {
    if (!(error instanceof KubernetesError && error.kind === 'notFound')) throw error; // gone already: nothing to hold any more
  }
}

async function dispose(secret: ConnectionSecret, keeps: boolean, context: Context): Promise<void> {
  try {
    await (keeps ? letGo(keyOf(secret), secret.metadata.uid, context) : removeSecret(secret, context));
  } catch (error) {
    if (!(error instanceof KubernetesError && error.kind === 'notFound')) throw error; // somebody else removed it
  }
}
