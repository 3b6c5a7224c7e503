import { keyOf } from '../../runtime/index.ts';
import type { Connection } from '../connection/connection-data.ts';
import { isOurs } from '../connection/ours.ts';
import { letGo, provenance, readSecret, removeSecret, type SecretIdentity } from '../connection/store.ts';
import type { Context } from '../process/context.ts';
import { overtakenAt } from '../step/kubernetes-trouble.ts';
import type { Outcome } from '../step/outcome.ts';
import type { ResourceRecord } from '../record/record.ts';
import { writeRecord } from './patch-object.ts';
import { storeConnection } from './store-connection.ts';

/** Makes the connection Secret under its new name, complete, before the old one goes: apps change over in between. */
export async function moveConnection(
  to: string,
  identity: SecretIdentity,
  connection: Connection,
  passwordFrom: string | undefined,
  record: ResourceRecord,
  context: Context,
): Promise<Outcome> {
  const { owner, name } = identity;
  const { namespace } = owner.metadata;
  const old = await readSecret(namespace, name, context);
  // Gone since it was looked at: what becomes of its password is decided anew.
  if (!old) return { type: 'overtaken', step: overtakenAt(`Secret "${name}" is not there to be moved`) };
  const there = await readSecret(namespace, to, context);
  // A copy that is being deleted has nothing that the old one lacks, and would go when it is complete.
  if (there?.metadata.deletionTimestamp && isOurs(there, owner)) await letGo(keyOf(there), there.metadata.uid, context);
  const moved = { ...identity, name: to, ...provenance(old) };
  const stored = await storeConnection(moved, connection, passwordFrom ?? name, context);
  if (stored.type !== 'done') return stored;
  return { type: 'done', object: await writeRecord(owner, { ...record, secretName: to, previousSecretName: name }, context) };
}

/** Removes a Secret of ours that is needed no more, and then the memory of its name, if there is one. */
export async function dropConnection(name: string, { owner }: SecretIdentity, record: ResourceRecord, context: Context): Promise<Outcome> {
  const old = await readSecret(owner.metadata.namespace, name, context);
  if (old && isOurs(old, owner)) await removeSecret(old, context);
  const { previousSecretName, ...rest } = record;
  if (previousSecretName !== name) return { type: 'done', object: owner };
  return { type: 'done', object: await writeRecord(owner, rest, context) };
}
