import { connectionSecretType, contentOfSecrets, secretsWithData, type SecretWithData } from '../../resources/connection-secret.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { watched, type WatchedSecret } from '../../resources/watched-secret.ts';
import { keyOf, KubernetesError, resourceKey, referenceOf } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import type { ConnectionWrite, Connection } from '../step/connection.ts';
import { altered, overtaken } from '../step/errors.ts';
import { readSecret, otherSecrets, readPassword } from '../connection/observe-connection.ts';
import { isProjectionOf, newSecret, secretPatch } from '../connection/projection.ts';
import { SecretRefused, SecretTaken, unlessRefused } from '../connection/secret-refused.ts';
import type { DropConnectionsAction, StoreConnectionAction } from '../step/step.ts';
import type { Outcome } from '../step/outcome.ts';
import { recoverPassword } from './bind-entry.ts';
import { entryOf } from '../record/record.ts';
import { passwordOf, resourceHash } from '../ledger/entry.ts';

/**
 * Writes the connection Secret, without a read unless Kubernetes refuses the first try.
 * @param password undefined: the Secret keeps its password
 * @throws {SecretTaken} when the name belongs to a Secret that the operator did not write for this object or
 * resource
 * @throws {SecretRefused} when Kubernetes refuses the Secret, or does not keep its password as written
 * @throws {KubernetesError} `conflict` when the Secret has changed
 */
export async function putConnection(
  write: ConnectionWrite,
  owner: ManagedObject,
  password: string | undefined,
  context: Context,
): Promise<void> {
  const stored = watched(await put({ write, owner, password }, context));
  context.caches.connectionSecrets.wrote(stored);
  context.compared.add(stored, write);
}

interface Put {
  readonly write: ConnectionWrite;
  readonly owner: ManagedObject;
  readonly password: string | undefined;
}

async function put(asked: Put, context: Context): Promise<SecretWithData> {
  const { write, owner } = asked;
  const cached = context.caches.connectionSecrets.get(resourceKey(owner.metadata.namespace, write.name));
  const written = cached ? await patch(cached, asked, context) : await create(asked, context);
  return written.type === connectionSecretType ? written : recreate(written, asked, context);
}

/** The cache has only labelled Secrets: an unlabelled Secret of the name may exist, and may be the operator's. */
async function create(asked: Put, context: Context): Promise<SecretWithData> {
  const { write, owner } = asked;
  try {
    return await checked(asked, () => context.kubernetes.create(secretsWithData, owner.metadata.namespace, bodyOf(asked)));
  } catch (error) {
    if (!(error instanceof KubernetesError && error.kind === 'alreadyExists')) throw error;
    const there = await readSecret(owner.metadata.namespace, write.name, context);
    if (!there) throw error;
    if (!isProjectionOf(there, owner, write.resource)) throw new SecretTaken(there);
    return patch(there, asked, context);
  }
}

function bodyOf({ write, owner, password }: Put) {
  return { apiVersion: 'v1', kind: 'Secret', type: connectionSecretType, ...newSecret(write, owner, password) };
}

async function patch(current: WatchedSecret, asked: Put, context: Context): Promise<SecretWithData> {
  const { write, owner, password } = asked;
  if (!isProjectionOf(current, owner, write.resource)) throw new SecretTaken(current);
  const body = secretPatch(current, write, owner, password);
  try {
    return await checked(asked, () => context.kubernetes.patch(secretsWithData, keyOf(current), body));
  } catch (error) {
    const live = error instanceof SecretRefused ? await readSecret(owner.metadata.namespace, write.name, context) : undefined;
    if (live?.immutable !== true || live.metadata.uid !== current.metadata.uid) throw error;
    return recreate(live, asked, context);
  }
}

/** Kubernetes never changes an immutable Secret, nor the type of any Secret. The password is in the ledger, or is carried over. */
async function recreate(current: SecretWithData, asked: Put, context: Context): Promise<SecretWithData> {
  const { uid, resourceVersion } = current.metadata;
  const password = asked.password ?? current.data['password'];
  const held = await context.kubernetes.delete(secretsWithData, keyOf(current), { uid, resourceVersion });
  if (held) throw overtaken(`recreate Secret ${asked.write.name}`); // a finalizer holds it: the next visit reports that
  context.caches.connectionSecrets.remove(watched(current));
  const again = { ...asked, password };
  return checked(again, () => context.kubernetes.create(secretsWithData, asked.owner.metadata.namespace, bodyOf(again)));
}

/** Runs a write, and compares the password in the reply: a webhook may have changed it. */
async function checked<S extends Pick<SecretWithData, 'data'>>({ write, password }: Put, send: () => Promise<S>): Promise<S> {
  return unlessRefused(write.name, password, async () => {
    const stored = await send();
    if (password !== undefined && stored.data['password'] !== password) throw altered(`write Secret ${write.name}`, 'its password');
    return stored;
  });
}

/**
 * Whether Kubernetes accepts the connection Secret with this password, by a dry run.
 * @throws as {@link putConnection}
 */
export async function checkConnection(write: ConnectionWrite, owner: ManagedObject, password: string, context: Context): Promise<void> {
  const asked = { write, owner, password };
  const { namespace } = owner.metadata;
  const cached = context.caches.connectionSecrets.get(resourceKey(namespace, write.name));
  if (cached) return checkPatch(cached, asked, context);
  try {
    await checked(asked, () => context.kubernetes.create(contentOfSecrets, namespace, bodyOf(asked), { dryRun: true }));
  } catch (error) {
    if (!(error instanceof KubernetesError && error.kind === 'alreadyExists')) throw error;
    const there = await readSecret(namespace, write.name, context);
    if (!there) throw error;
    await checkPatch(there, asked, context);
  }
}

async function checkPatch(current: WatchedSecret, asked: Put & { readonly password: string }, context: Context): Promise<void> {
  const { write, owner, password } = asked;
  if (!isProjectionOf(current, owner, write.resource)) throw new SecretTaken(current);
  const body = secretPatch(current, write, owner, password);
  try {
    await checked(asked, () => context.kubernetes.patch(contentOfSecrets, keyOf(current), body, { dryRun: true }));
  } catch (error) {
    const live = error instanceof SecretRefused ? await readSecret(owner.metadata.namespace, write.name, context) : undefined;
    if (live?.immutable !== true || live.metadata.uid !== current.metadata.uid) throw error;
    // An immutable Secret takes no password, so it is recreated, with its present password, before another
    // password is sent.
    const mutable = watched(await recreate(live, { write, owner, password: undefined }, context));
    context.caches.connectionSecrets.wrote(mutable);
    const patched = secretPatch(mutable, write, owner, password);
    await checked(asked, () => context.kubernetes.patch(contentOfSecrets, keyOf(mutable), patched, { dryRun: true }));
  }
}

/** Deletes connection Secrets, each in the version that was read. */
export async function removeConnections(secrets: readonly WatchedSecret[], { kubernetes, caches }: Context): Promise<void> {
  for (const secret of secrets) {
    const { uid, resourceVersion } = secret.metadata;
    try {
      const held = await kubernetes.delete(secretsWithData, keyOf(secret), { uid, resourceVersion });
      if (!held) caches.connectionSecrets.remove(secret);
    } catch (error) {
      if (!(error instanceof KubernetesError && error.kind === 'notFound')) throw error;
    }
  }
}

export async function storeConnection(
  { write, isEdited }: StoreConnectionAction,
  object: ManagedObject,
  context: Context,
): Promise<Outcome> {
  const password = await readPassword(write.password, context);
  if (write.password && password === undefined && (await recoverPassword(object, context))) return { type: 'done', object };
  if (write.password && password === undefined) throw overtaken(`read ledger entry ${write.password.entry}`);
  await putConnection(write, object, password, context);
  if (isEdited) {
    const message = `Secret "${write.name}" was edited and is restored: to set a password, use spec.password`;
    context.events.record(object, { type: 'Warning', reason: 'SecretConflict', message });
  }
  return { type: 'done', object };
}

/** Deletes the connection Secrets that a rename in the spec left behind, once the new Secret is complete. */
export async function dropConnections({ write, names }: DropConnectionsAction, object: ManagedObject, context: Context): Promise<Outcome> {
  const left = otherSecrets(object, write.resource, context).filter(({ metadata }) => names.includes(metadata.name));
  await removeConnections(left, context);
  return { type: 'done', object };
}

interface FirstPassword {
  readonly id: string;
  readonly projectId: string;
  readonly password: string;
  readonly direct: Connection['direct'];
  readonly connection: Omit<ConnectionWrite, 'resource' | 'password'>;
}

/**
 * Creates the connection Secret right after the create. If that fails, the ledger has the password, and the
 * next visit reports a lasting cause.
 */
export async function showFirstPassword(answer: FirstPassword, object: ManagedObject, context: Context): Promise<void> {
  const { id, projectId, password } = answer;
  const stored = passwordOf(entryOf(object, context.caches), id);
  if (!stored) return;
  const write: ConnectionWrite = {
    ...answer.connection,
    connection: { ...answer.connection.connection, direct: answer.direct },
    resource: resourceHash(object.kind, projectId, id),
    password: stored,
  };
  try {
    await putConnection(write, object, password, context);
  } catch (error) {
    if (!(error instanceof KubernetesError || error instanceof SecretRefused || error instanceof SecretTaken)) throw error;
    const why = error instanceof KubernetesError ? error.kind : error.message;
    context.log.debug({ object: referenceOf(object), why }, 'the first password is not in its connection Secret yet');
  }
}
