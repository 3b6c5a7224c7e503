import { CloudError } from '../../cloud/cloud-error.ts';
import { keyOf } from '../../runtime/kubernetes-object.ts';
import type { Account } from '../account.ts';
import type { Action } from '../action.ts';
import { connectionData, type Connection } from '../connection/connection-data.ts';
import { connectionAnnotations, type SecretWithData } from '../connection/connection-secret.ts';
import { pendingName } from '../connection/observe-secret.ts';
import { isOurs, isPending } from '../connection/ours.ts';
import { inTheWay } from '../connection/secret-refused.ts';
import { checkSecret, putSecret, readSecret, removeSecret, type SecretIdentity } from '../connection/store.ts';
import type { Context } from '../context.ts';
import { sendFence } from '../fence.ts';
import type { Outcome } from '../outcome.ts';
import type { ResourceRecord } from '../record.ts';
import { writeRecord } from './patch-object.ts';

type SetPassword = Extract<Action, { type: 'setPassword' }>;

/**
 * Sets a password that is stored before it is sent: in a Secret of its own, until the cloud has it. Wherever this ends, the next visit finds the
 * same password there and sends it again. Then it goes into the connection Secret together with where it came from; that Kubernetes takes that Secret
 * is asked before anything is sent.
 */
export async function setPassword(
  { id, origin, source, givesUp }: SetPassword,
  identity: SecretIdentity,
  connection: Connection,
  record: ResourceRecord,
  account: Account,
  context: Context,
): Promise<Outcome> {
  const { owner } = identity;
  const { namespace } = owner.metadata;
  const change = { operation: 'updateServicePassword', wanted: origin };
  const found = await readSecret(namespace, pendingName(identity.name), context);
  const isGivenUp = found !== undefined && isPending(found, owner) && givesUp !== undefined && handledIn(found) === givesUp;
  const isOfBefore = found !== undefined && isPending(found, owner) && record.replaces !== undefined && isOf(found, record.replaces);
  if (isOfBefore || isGivenUp) await removeSecret(found, context);
  const stored = isOfBefore || isGivenUp ? undefined : found;
  if (stored && !(isPending(stored, owner) && isOf(stored, id)))
    return { type: 'stalled', object: owner, step: inTheWay(pendingName(identity.name)), change };
  const current = await readSecret(namespace, identity.name, context);
  if (current && !isOurs(current, owner)) return { type: 'stalled', object: owner, step: inTheWay(identity.name), change };
  // The cache was behind: what was to be done is done.
  if (!stored && current?.data['password'] !== undefined && handledIn(current) === origin && isOf(current, id))
    return { type: 'overtaken' };
  const given = source && (await readSecret(namespace, source.name, context))?.data[source.key];
  if (source && !given && !stored) return { type: 'overtaken' };
  if (current && given !== undefined && given === current.data['password'] && !stored && isOf(current, id)) {
    await putSecret(current, { ...identity, passwordHandled: origin }, connectionData(connection, given), context);
    return { type: 'done', object: owner };
  }
  const memory = context.memory.of(owner.kind, keyOf(owner));
  if (stored && memory.pending?.uid !== stored.metadata.uid) {
    // Another process may have sent it.
    memory.passwordUnansweredAt = context.clock.now();
    memory.pending = { uid: stored.metadata.uid, mayHaveArrived: true };
  }
  const pending =
    stored ??
    (await begin({ ...identity, passwordHandled: origin }, { current, connection, password: given ?? context.newPassword() }, context));
  const { uid } = pending.metadata;
  memory.pending ??= { uid, mayHaveArrived: false };
  if (memory.pending.uid !== uid) memory.pending = { uid, mayHaveArrived: false };
  const { password } = pending.data;
  if (password !== undefined) {
    const promoted: SecretIdentity = { ...identity, passwordHandled: handledIn(pending) ?? origin };
    const data = connectionData(connection, password);
    if (current?.data['password'] !== password || !isOf(current, id)) {
      // What another process has stored was perhaps stored before Kubernetes came to refuse the connection Secret.
      if (stored) await checkSecret(current, promoted, data, context);
      try {
        await account.api.updateServicePassword(account.projectId, id, password, { mayBeSent: sendFence(context.leadership) });
      } catch (error) {
        if (!(error instanceof CloudError)) throw error;
        if (!error.changedNothing) {
          memory.passwordUnansweredAt = context.clock.now();
          memory.pending = { uid, mayHaveArrived: true };
        }
        // What may have arrived is the cloud's password, for all we know: it is kept until the cloud takes it.
        if (isRejected(error) && !memory.pending.mayHaveArrived) await removeSecret(pending, context);
        return { type: 'failed', error, object: owner, change };
      }
    }
    const unansweredAt = memory.passwordUnansweredAt === undefined ? undefined : new Date(memory.passwordUnansweredAt).toISOString();
    await putSecret(current, { ...promoted, passwordUnansweredAt: unansweredAt }, data, context);
  }
  await removeSecret(pending, context);
  const message = `the password was set; Secret "${identity.name}" has it`;
  context.events.record(owner, { type: 'Normal', reason: 'RotatingPassword', message });
  // Whoever asks for a password makes it ours to keep.
  return {
    type: 'done',
    object: record.password === 'managed' ? owner : await writeRecord(owner, { ...record, password: 'managed' }, context),
  };
}

interface Beginning {
  readonly current: SecretWithData | undefined;
  readonly connection: Connection;
  readonly password: string;
}

/** Stores a password on its way, once Kubernetes says that it will take it in the connection Secret, too. */
async function begin(identity: SecretIdentity, { current, connection, password }: Beginning, context: Context): Promise<SecretWithData> {
  await checkSecret(current, identity, connectionData(connection, password), context);
  const pending: SecretIdentity = { ...identity, name: pendingName(identity.name), isPending: true, labels: {}, annotations: {} };
  return putSecret(undefined, pending, { password }, context);
}

function handledIn(secret: SecretWithData): string | undefined {
  return secret.metadata.annotations?.[connectionAnnotations.passwordHandled];
}

/** Not of another resource, as one is that a recreation replaced. */
function isOf({ metadata }: SecretWithData, id: string): boolean {
  const its = metadata.annotations?.[connectionAnnotations.id];
  return its === undefined || its === id;
}

/** The cloud will not take this password, however often it is sent. */
function isRejected({ changedNothing, kind }: CloudError): boolean {
  return changedNothing && (kind === 'invalid' || kind === 'forbidden' || kind === 'unauthorized' || kind === 'notFound');
}
