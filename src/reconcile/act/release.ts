import { keyOf, KubernetesError } from '../../runtime/index.ts';
import { otherSecrets } from '../connection/observe-connection.ts';
import { removeConnections } from '../connection/write-connection.ts';
import { entryOf, resourceHash } from '../ledger/entry.ts';
import { deleteEntry } from '../ledger/write-entry.ts';
import type { Context } from '../process/context.ts';
import type { Outcome } from '../step/outcome.ts';
import type { Released } from '../step/step.ts';
import { dropFinalizer } from './patch-object.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/**
 * Releases the object. If the resource is gone, its connection Secrets and its ledger entry go first; if it stays, both stay, and an object that adopts it later
 * finds the password. The object's finalizer is removed last, so that a failure before is retried.
 * @param onReleased called when the object's own finalizer alone is left
 */
export async function release(released: Released, object: ManagedObject, context: Context, onReleased: () => void): Promise<Outcome> {
  const { id, projectId, stays } = released;
  const entry = entryOf(object, context.caches);
  const resource = id === undefined || projectId === undefined ? undefined : resourceHash(object.kind, projectId, id);
  if (!stays) await removeConnections(otherSecrets(object, resource, context), context);
  if (entry && (!stays || entry.content?.id === undefined)) await deleteEntry(entry, context);
  else if (entry?.content?.next) reportInFlight(object, context);
  onReleased();
  context.memory.of(object.kind, keyOf(object)).releasedUid = object.metadata.uid;
  await unlessGone(dropFinalizer(object, context));
  return { type: 'nothing' };
}

/** Nobody completes this rotation until an object of this namespace adopts the service. */
function reportInFlight(object: ManagedObject, { events }: Context): void {
  const message = 'a new password was in flight: if the one in the connection Secret is refused, adopt the service again, and the operator completes it';
  events.record(object, { type: 'Warning', reason: 'RotatingPassword', message });
}

/** Somebody else may have removed it. */
async function unlessGone(write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof KubernetesError && error.kind === 'notFound')) throw error;
  }
}
