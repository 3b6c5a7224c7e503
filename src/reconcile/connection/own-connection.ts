import type { View } from '../process/context.ts';
import { resourceHash } from '../ledger/entry.ts';
import { isObserved } from '../situation/options.ts';
import type { ObservedSecret } from '../situation/observed-secret.ts';
import type { Situation } from '../situation/situation.ts';
import type { ConnectionWrite, LedgerPassword } from '../step/connection.ts';
import { observeConnection } from './observe-connection.ts';
import { isConnected, secretNameOf } from './secret-name.ts';

/**
 * Observes the connection Secret of an object that has a resource of its own, manages it, and is not being deleted. Other objects get none: `unread`.
 * @param wanted undefined while the cloud does not show the resource
 */
export async function observeOwnConnection(
  { object, identity, record, claim, options }: Pick<Situation, 'object' | 'identity' | 'record' | 'claim' | 'options'>,
  wanted: Omit<ConnectionWrite, 'resource' | 'password'> | undefined,
  password: LedgerPassword | undefined,
  context: View,
): Promise<ObservedSecret> {
  const { projectId } = record;
  const isOurs = claim.state === 'ours' && !object.metadata.deletionTimestamp && !isObserved(object, options);
  if (!wanted || !isOurs || identity.state !== 'known' || projectId === undefined) {
    return { name: isConnected(object) ? secretNameOf(object) : '', hasPassword: password !== undefined, state: 'unread' };
  }
  return observeConnection(object, { ...wanted, resource: resourceHash(object.kind, projectId, identity.id), password }, context);
}
