import { keyOf, KubernetesError } from '../../runtime/index.ts';
import { removeSecret } from '../connection/store.ts';
import type { Context } from '../process/context.ts';
import type { Outcome } from '../step/outcome.ts';
import type { Released } from '../step/step.ts';
import { keepSecrets, secretsOf } from './keep-secrets.ts';
import { dropFinalizer } from './patch-object.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/**
 * Releases the object. If the resource is gone, its Secrets are removed; if it stays, its Secrets stay without the operator's finalizer. The object's
 * finalizer is removed last, so that a failure before is retried.
 * @param onReleased called when the object's own finalizer alone is left
 */
export async function release(released: Released, object: ManagedObject, context: Context, onReleased: () => void): Promise<Outcome> {
  if (released.keepsSecrets) {
    const hindered = await keepSecrets(released, object, context);
    if (hindered) return hindered;
  } else {
    for (const secret of await secretsOf(released, object, context)) await unlessGone(removeSecret(secret, context));
  }
  onReleased();
  context.memory.of(object.kind, keyOf(object)).releasedUid = object.metadata.uid;
  await unlessGone(dropFinalizer(object, context));
  return { type: 'nothing' };
}

/** Somebody else may have removed it. */
async function unlessGone(write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof KubernetesError && error.kind === 'notFound')) throw error;
  }
}
