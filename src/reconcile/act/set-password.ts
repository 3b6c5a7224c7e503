import { CloudError } from '../../cloud/cloud-error.ts';
import { keyOf } from '../../runtime/kubernetes-object.ts';
import type { Account } from '../account.ts';
import type { Action } from '../action.ts';
import { connectionData, type Connection } from '../connection/connection-data.ts';
import { connectionAnnotations, type SecretWithData } from '../connection/connection-secret.ts';
import { pendingName } from '../connection/observe-secret.ts';
import { createSecret, readSecret, removeSecret, replaceSecret, type SecretIdentity } from '../connection/store.ts';
import type { Context } from '../context.ts';
import { sendFence } from '../fence.ts';
import type { Outcome } from '../outcome.ts';
import type { ResourceRecord } from '../record.ts';
import { writeRecord } from './patch-object.ts';

type SetPassword = Extract<Action, { type: 'setPassword' }>;

/**
 * Sets a password that is stored before it is sent: in a Secret of its own, until the cloud has it. Wherever this ends, the next visit finds the
 * same password there and sends it again. Then it goes into the connection Secret together with where it came from.
 */
export async function setPassword(
  { id, origin, source }: SetPassword,
  identity: SecretIdentity,
  connection: Connection,
  record: ResourceRecord,
  account: Account,
  context: Context,
): Promise<Outcome> {
  const { owner } = identity;
  const { namespace } = owner.metadata;
  const stored = await readSecret(namespace, pendingName(identity.name), context);
  const current = await readSecret(namespace, identity.name, context);
  // The cache was behind: what was to be done is done.
  if (!stored && current?.data['password'] !== undefined && handledIn(current) === origin) return { type: 'overtaken' };
  const given = source && (await readSecret(namespace, source.name, context))?.data[source.key];
  if (source && !given && !stored) return { type: 'overtaken' };
  if (current && given !== undefined && given === current.data['password'] && !stored) {
    await replaceSecret(current, { ...identity, passwordHandled: origin }, connectionData(connection, given), context);
    return { type: 'done', object: owner };
  }
  const memory = context.memory.of(owner.kind, keyOf(owner));
  if (stored && memory.pendingUid !== stored.metadata.uid) memory.passwordUnansweredAt = context.clock.now(); // another process may have sent it
  const pending = stored ?? (await storePending({ ...identity, passwordHandled: origin }, given ?? context.newPassword(), context));
  memory.pendingUid = pending.metadata.uid;
  const { password } = pending.data;
  if (password !== undefined && current?.data['password'] !== password) {
    try {
      await account.api.updateServicePassword(account.projectId, id, password, { mayBeSent: sendFence(context.leadership) });
    } catch (error) {
      if (!(error instanceof CloudError)) throw error;
      if (!error.changedNothing) memory.passwordUnansweredAt = context.clock.now();
      if (isRejected(error)) await removeSecret(pending, context);
      return { type: 'failed', error, object: owner, change: { operation: 'updateServicePassword', wanted: origin } };
    }
  }
  if (password !== undefined) {
    const unansweredAt = memory.passwordUnansweredAt === undefined ? undefined : new Date(memory.passwordUnansweredAt).toISOString();
    const promoted = { ...identity, passwordHandled: handledIn(pending) ?? origin, passwordUnansweredAt: unansweredAt };
    const data = connectionData(connection, password);
    await (current ? replaceSecret(current, promoted, data, context) : createSecret(promoted, data, context));
  }
  await removeSecret(pending, context);
  // Whoever asks for a password makes it ours to keep.
  return {
    type: 'done',
    object: record.password === 'managed' ? owner : await writeRecord(owner, { ...record, password: 'managed' }, context),
  };
}

function storePending(identity: SecretIdentity, password: string, context: Context): Promise<SecretWithData> {
  return createSecret({ ...identity, name: pendingName(identity.name), labels: {}, annotations: {} }, { password }, context);
}

function handledIn(secret: SecretWithData): string | undefined {
  return secret.metadata.annotations?.[connectionAnnotations.passwordHandled];
}

/** The cloud will not take this password, however often it is sent. */
function isRejected({ changedNothing, kind }: CloudError): boolean {
  return changedNothing && (kind === 'invalid' || kind === 'forbidden' || kind === 'unauthorized' || kind === 'notFound');
}
