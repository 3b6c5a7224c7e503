import { idIn } from '../connection/ownership.ts';
import { annotations } from '../../resources/annotations.ts';
import { KubernetesError, referenceOf, resourceKey } from '../../runtime/index.ts';
import { connectionData } from '../connection/connection-data.ts';
import type { Connection } from '../step/connection.ts';
import { SecretRefused, SecretTaken } from '../connection/secret-refused.ts';
import { passwordDigest, storedPassword } from '../connection/stored-password.ts';
import { putSecret, readSecret, type SecretIdentity } from '../connection/store.ts';
import type { Context } from '../process/context.ts';
import { readRecord } from '../record/record.ts';
import type { Action } from '../step/action.ts';
import { readObject } from './patch-object.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

type CreateAction = Extract<Action, { type: 'create' }>;

interface Answer {
  readonly id: string;
  readonly projectId: string;
  readonly password: string;
  readonly direct: Connection['direct'];
  /** Whether this process was not frozen since the attempt, and holds the lease. Then nobody else has resolved the attempt. */
  readonly isFresh: () => boolean;
}

/**
 * Stores the password from the answer to a create, with the attempt and the id. It is the only copy. It never replaces another password of this resource, and
 * is not stored for an object that no longer has this attempt: another process may have resolved the attempt while this one was frozen. A refused Secret
 * (quota, terminating namespace, a name taken meanwhile, also by the Secret of a kept resource that is put back) is not waited for. The password then counts
 * as not stored, and a new one is set later.
 */
export async function storeInitialPassword(
  { secret, connection, origin }: NonNullable<CreateAction['passwordTo']>,
  object: ManagedObject,
  attempt: string,
  answer: Answer,
  context: Context,
): Promise<void> {
  const { name } = secret;
  const identity: SecretIdentity = {
    ...secret,
    owner: object,
    attempt,
    id: answer.id,
    projectId: answer.projectId,
    passwordHandled: origin,
    passwordDigest: passwordDigest(answer.password, context.newId(), answer.id),
  };
  const data = connectionData({ ...connection, direct: answer.direct }, answer.password);
  try {
    const key = resourceKey(object.metadata.namespace, name);
    // Without one in the cache a Secret is created, or nothing is written.
    const current = context.caches.connectionSecrets.get(key) && (await readSecret(object.metadata.namespace, name, context));
    const isFirst = !current && answer.isFresh();
    if (!isFirst && !(await isOpen(object, attempt, context))) return;
    if (current && idIn(current) === answer.id && storedPassword(current).state !== 'none') return;
    await putSecret(current, identity, data, context);
  } catch (error) {
    if (!(error instanceof KubernetesError || error instanceof SecretRefused || error instanceof SecretTaken)) throw error;
    context.log.warn(
      { object: referenceOf(object), secret: name, why: error instanceof KubernetesError ? error.kind : error.message },
      'the connection Secret was refused; the id is recorded without it',
    );
  }
}

/** Whether nobody has resolved the attempt meanwhile. If somebody removed or broke the whole record, the attempt counts as unresolved. */
async function isOpen(object: ManagedObject, attempt: string, context: Context): Promise<boolean> {
  const current = await readObject(object, context);
  if (current?.metadata.uid !== object.metadata.uid) return false;
  const read = readRecord(current.metadata.annotations?.[annotations.record]);
  return read.state !== 'read' || read.record.attempt?.id === attempt;
}
