import { orCloudError } from '../../cloud/cloud-error.ts';
import { replicaSetId, serviceId, vpcId } from '../../cloud/wire/ids.ts';
import type { Account } from '../credentials/account.ts';
import type { Context } from '../process/context.ts';
import { deletionMark, isDeletionStarted } from '../situation/deletion-started.ts';
import { sendFence } from './fence.ts';
import type { Outcome } from '../step/outcome.ts';
import type { ResourceRecord } from '../record/record.ts';
import { writeRecord } from './patch-object.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

interface Deleting {
  readonly object: ManagedObject;
  readonly record: ResourceRecord;
}

/**
 * Deletes the resource. That it was decided is written down first, on exactly the object that was decided upon: a user who says Retain at the
 * last moment makes that write fail and is heard, and one who says it later is told that it is too late.
 */
export async function remove(
  id: string,
  parentId: string | undefined,
  { object, record }: Deleting,
  account: Account,
  context: Context,
): Promise<Outcome> {
  const marked = await startDeletion(id, { object, record }, context);
  const error = await orCloudError(send(id, parentId, object, account, sendFence(context.leadership)));
  return error
    ? { type: 'failed', error, object: marked }
    : { type: 'done', object: marked, accepted: { operation: 'delete', wanted: id } };
}

/** Writes down that the resource is to be deleted, unless it is there already. */
export async function startDeletion(id: string, { object, record }: Deleting, context: Context): Promise<ManagedObject> {
  if (isDeletionStarted(id, object, record)) return object;
  return writeRecord(object, { ...record, deletionStarted: deletionMark(id, object) }, context);
}

function send(
  id: string,
  parentId: string | undefined,
  object: ManagedObject,
  { project }: Account,
  mayBeSent: () => boolean,
): Promise<void> {
  switch (object.kind) {
    case 'ManagedVpc':
      return project.deleteVpc(vpcId.parse(id), { mayBeSent });
    case 'ManagedService':
      return project.deleteService(serviceId.parse(id), { mayBeSent });
    case 'ReplicaSet':
      return project.deleteReplicaSet(serviceId.parse(parentId), replicaSetId.parse(id), { mayBeSent });
  }
}
