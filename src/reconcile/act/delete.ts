import { orCloudError, type CloudError } from '../../cloud/cloud-error.ts';
import type { ListPoller } from '../../cloud/list-poller.ts';
import { keyOf } from '../../runtime/index.ts';
import type { Account } from '../credentials/account.ts';
import type { Action, CloudDeletion } from '../step/action.ts';
import type { Context } from '../process/context.ts';
import { sendFence } from './fence.ts';
import type { Outcome } from '../step/outcome.ts';
import { writeRecord } from './patch-object.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/**
 * Deletes the resource. First it records the decision, locked to the version of the object that was decided upon. If a user sets Retain just before, that
 * write fails and Retain counts. If a user sets it later, the object reports that it is too late.
 */
export async function remove(
  { record, ...deletion }: Extract<Action, { type: 'delete' }>,
  object: ManagedObject,
  account: Account,
  context: Context,
): Promise<Outcome> {
  const marked = record === undefined ? object : await writeRecord(object, record, context);
  const accepted = { operation: 'delete', wanted: deletion.id };
  const list = listOf(deletion, account);
  const error = await orCloudError(send(deletion, account, sendFence(context.leadership)));
  if (error && !isGone(error, object, deletion.id, list, context)) return { type: 'failed', error, object: marked };
  // Lists may still show the resource, and are requested again. A VPC is gone at once; other resources take time.
  if (!error) list.expectRemoval(deletion.id);
  if (error || deletion.operation === 'deleteVpc') list.remove(deletion.id);
  return { type: 'done', object: marked, accepted };
}

/**
 * Whether the error of a DELETE says that the resource is gone, and nothing contradicts that: a list that began after such an answer must not show the
 * resource.
 */
export function isGone(
  error: CloudError,
  object: ManagedObject,
  id: string,
  { latest }: Pick<ListPoller<unknown>, 'latest'>,
  { memory, clock }: Pick<Context, 'memory' | 'clock'>,
): boolean {
  if (error.kind !== 'notFound') return false;
  const { notFoundOnDelete } = memory.of(object.kind, keyOf(object));
  const saidAt = notFoundOnDelete.get(id) ?? clock.now();
  notFoundOnDelete.set(id, saidAt);
  return !(latest && latest.begunAt > saidAt && latest.listed.has(id));
}

function send(deletion: CloudDeletion, { project }: Account, mayBeSent: () => boolean): Promise<void> {
  switch (deletion.operation) {
    case 'deleteVpc':
      return project.deleteVpc(deletion.id, { mayBeSent });
    case 'deleteService':
      return project.deleteService(deletion.id, { mayBeSent });
    case 'deleteReplicaSet':
      return project.deleteReplicaSet(deletion.parentId, deletion.id, { mayBeSent });
  }
}

function listOf(deletion: CloudDeletion, { observer }: Account): ListPoller<unknown> {
  switch (deletion.operation) {
    case 'deleteVpc':
      return observer.vpcs;
    case 'deleteService':
      return observer.services;
    case 'deleteReplicaSet':
      return observer.replicaSets(deletion.parentId);
  }
}
