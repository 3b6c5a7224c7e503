import { connectionData, connectionIn } from '../connection/connection-data.ts';
import { holdersOf, isOurs, isPending } from '../connection/ours.ts';
import { pendingName } from '../connection/secret-name.ts';
import { inTheWay } from '../connection/secret-refused.ts';
import { idIn, letGo, provenance, putSecret, readSecret, removeSecret, type SecretIdentity } from '../connection/store.ts';
import type { Context } from '../context.ts';
import { overtakenAt } from '../kubernetes-trouble.ts';
import type { Outcome } from '../outcome.ts';
import { keyOf } from '../../runtime/kubernetes-object.ts';

/**
 * Makes a Secret again that somebody deleted, from its own data. The data goes into the pending Secret first: between letting the old one go and
 * creating the new one nothing else would hold the password.
 */
export async function remakeConnection(identity: SecretIdentity, context: Context): Promise<Outcome> {
  const { owner } = identity;
  const { namespace } = owner.metadata;
  const done: Outcome = { type: 'done', object: owner };
  const dying = await readSecret(namespace, identity.name, context);
  if (!dying?.metadata.deletionTimestamp || !isOurs(dying, owner)) return done;
  if (holdersOf(dying).length > 0)
    return { type: 'overtaken', step: overtakenAt(`Secret "${identity.name}" is held while it is made again`) };
  // What a recreation replaced had another password: only the addresses are of use, and the next visit brings them up to date.
  const isOfBefore = idIn(dying) !== undefined && idIn(dying) !== identity.id;
  const data = isOfBefore ? connectionData(connectionIn(dying.data), undefined) : dying.data;
  const again: SecretIdentity = { ...identity, ...(isOfBefore ? {} : provenance(dying)) };
  const placeName = pendingName(identity.name);
  const inPlace = await readSecret(namespace, placeName, context);
  if (inPlace && !isPending(inPlace, owner)) return { type: 'stalled', object: owner, step: inTheWay(placeName) };
  const { password } = data;
  const keepsPassword = password !== undefined && !inPlace;
  const pendingIdentity: SecretIdentity = { ...again, name: placeName, isPending: true, labels: {}, annotations: {} };
  const pending = keepsPassword ? await putSecret(undefined, pendingIdentity, { password }, context) : undefined;
  await letGo(keyOf(dying), dying.metadata.uid, context);
  await putSecret(undefined, again, data, context);
  if (pending) await removeSecret(pending, context);
  return done;
}
