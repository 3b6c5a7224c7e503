import { orCloudError } from '../../cloud/cloud-error.ts';
import type { Account } from '../credentials/account.ts';
import type { Action } from '../step/action.ts';
import type { Context } from '../process/context.ts';
import { sendFence } from './fence.ts';
import type { Outcome } from '../step/outcome.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** Deletes a peering that this object created. A peering that is gone counts as deleted. */
export async function deletePeering(
  { vpcId, id }: Extract<Action, { type: 'deletePeering' }>,
  object: ManagedObject,
  { project, observer }: Account,
  context: Context,
): Promise<Outcome> {
  const change = { operation: 'deletePeering', wanted: id } as const;
  const error = await orCloudError(project.deletePeering(vpcId, id, { mayBeSent: sendFence(context.leadership) }));
  if (error && error.kind !== 'notFound') return { type: 'failed', error, object, change };
  observer.peerings(vpcId).remove(id);
  return { type: 'done', object, accepted: change };
}
