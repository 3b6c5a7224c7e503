import {
  connectionAnnotations,
  secretsWithData,
  type SecretWithData,
} from '../../resources/connection-secret.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { watched, type WatchedSecret } from '../../resources/watched-secret.ts';
import {
  keyOf,
  KubernetesError,
  resourceKey,
  referenceOf,
  unlessNotFound,
} from '../../runtime/index.ts';
import type { Context } from '../wiring/context.ts';
import type { ConnectionWrite, Connection } from '../step/connection.ts';
import { altered } from '../step/errors.ts';
import { readSecret, otherSecrets, readPassword } from '../connection/observe-connection.ts';
import { mayWrite } from '../connection/hand-over.ts';
import {
  showsPassword,
  hasRequestedTexts,
  isOwnedBy,
  newSecret,
  secretPatch,
} from '../connection/projection.ts';
import { nameTaken, SecretConflict, unlessRefused } from '../connection/secret-refused.ts';
import {
  type DropConnectionsAction,
  type StoreConnectionAction,
  keep,
  wait,
} from '../step/step.ts';
import type { Outcome } from '../step/outcome.ts';
import { entryOf, passwordOf, resourceHash } from '../ledger/entry.ts';

/**
 * Writes the connection Secret, without a read if there is a password, unless Kubernetes refuses the first try.
 * @param password undefined: the Secret keeps its password
 * @param dryRun only shows whether Kubernetes accepts the Secret with this password
 * @throws {SecretConflict} when Kubernetes refuses the Secret or does not keep its password as written, and when the name belongs to
 * a Secret that the operator did not write for this object or resource
 * @throws {KubernetesError} `conflict` when the Secret has changed
 */
export async function putConnection(
  { write, password }: { readonly write: ConnectionWrite; readonly password: string | undefined },
  owner: ManagedObject,
  context: Context,
  { dryRun = false } = {},
): Promise<void> {
  const { kubernetes, caches, compared } = context;
  const { namespace } = owner.metadata;
  const send = (request: () => Promise<SecretWithData>) =>
    unlessRefused(write.name, password, async () => {
      const stored = await request();
      // A webhook may have changed the password.
      if (password !== undefined && stored.data['password'] !== password)
        throw altered(`write Secret ${write.name}`, 'its password');
      return stored;
    });
  const patch = async (current: WatchedSecret, known?: SecretWithData) => {
    if (!mayWrite(current, owner, write, context))
      throw new SecretConflict(nameTaken(current, owner));
    const live =
      password === undefined
        ? (known ?? (await readSecret(namespace, write.name, { kubernetes })))
        : undefined;
    const hasLostPassword = live !== undefined && !showsPassword(live);
    const changes = secretPatch(current, write, owner, { password, hasLostPassword });
    return send(() => kubernetes.patch(secretsWithData, keyOf(current), changes, { dryRun }));
  };
  const create = async () => {
    try {
      return await send(() =>
        kubernetes.create(secretsWithData, namespace, newSecret(write, owner, password), {
          dryRun,
        }),
      );
    } catch (error) {
      if (!(error instanceof KubernetesError && error.kind === 'alreadyExists')) throw error;
      // The cache has only labelled Secrets: an unlabelled Secret of the name may exist, and may be the operator's.
      const there = await readSecret(namespace, write.name, { kubernetes });
      if (!there) throw error;
      return patch(there, there);
    }
  };
  const cached = caches.connectionSecrets.get(resourceKey(namespace, write.name));
  const stored = cached ? await patch(cached) : await create();
  if (dryRun) return;
  caches.connectionSecrets.wrote(watched(stored));
  if (hasRequestedTexts(stored, write))
    compared.add(watched(stored), write, { hasPassword: showsPassword(stored) });
}

/** Deletes the Secrets, locked to the versions that were read. A deleted Secret is no error. */
export async function removeConnections(
  secrets: readonly WatchedSecret[],
  { kubernetes, caches }: Context,
): Promise<void> {
  for (const secret of secrets) {
    const { uid, resourceVersion } = secret.metadata;
    const held = await unlessNotFound(
      kubernetes.delete(secretsWithData, keyOf(secret), { uid, resourceVersion }),
    );
    if (!held) caches.connectionSecrets.remove(secret);
    // A finalizer of another client holds it: the next visit must not send this DELETE again.
    else caches.connectionSecrets.wrote(watched(held));
  }
}

/**
 * Writes the connection Secret with the password in the ledger. An event reports that an edit was
 * undone.
 */
export async function storeConnection(
  { write, isEdited }: StoreConnectionAction,
  object: ManagedObject,
  context: Context,
): Promise<Outcome> {
  const password = await readPassword(write.password, context);
  if (write.password && password === undefined) {
    const message = `ledger entry ${write.password.entry} has no password for Secret "${write.name}": restore the entry from a backup, or set a new spec.password.rotation of the service`;
    return { type: 'conflict', step: keep(wait('InternalError', message)) };
  }
  await putConnection({ write, password }, object, context);
  if (isEdited) {
    const message = `Secret "${write.name}" was edited and is restored: to set a password, use spec.password`;
    context.events.record(object, { type: 'Warning', reason: 'SecretConflict', message });
  }
  return { type: 'done', object };
}

/**
 * Deletes the connection Secrets that a rename in the spec or an earlier object left behind, once the new Secret is
 * complete. Apps may use the Secret of an earlier object, so an event reports it.
 */
export async function dropConnections(
  { write, names }: DropConnectionsAction,
  object: ManagedObject,
  context: Context,
): Promise<Outcome> {
  const left = otherSecrets(object, write.resource, context).filter(({ metadata }) =>
    names.includes(metadata.name),
  );
  await removeConnections(left, context);
  for (const secret of left.filter((each) => !isOwnedBy(each, object))) {
    const whose = secret.metadata.annotations?.[connectionAnnotations.owner] ?? 'an earlier object';
    const problem = `Secret "${secret.metadata.name}" of ${whose} had an older password of this database and is deleted`;
    const message = `${problem}: use Secret "${write.name}"`;
    context.events.record(object, { type: 'Warning', reason: 'RotatingPassword', message });
  }
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
export async function showFirstPassword(
  answer: FirstPassword,
  object: ManagedObject,
  context: Context,
): Promise<void> {
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
    await putConnection({ write, password }, object, context);
  } catch (error) {
    if (!(error instanceof KubernetesError || error instanceof SecretConflict)) throw error;
    const why = error instanceof KubernetesError ? error.kind : error.message;
    context.log.debug(
      { object: referenceOf(object), why },
      'the first password is not in its connection Secret yet',
    );
  }
}
