import { CloudError } from '../../cloud/cloud-error.ts';
import type { Account } from '../credentials/account.ts';
import type { Action } from '../step/action.ts';
import type { Context } from '../process/context.ts';
import { sendFence } from './fence.ts';
import type { Outcome } from '../step/outcome.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** Removes a peering that this object made. One that is gone already is as good as removed. */
export async function deletePeering(
  { vpcId, id }: Extract<Action, { type: 'deletePeering' }>,
  object: ManagedObject,
  { project, observer }: Account,
  context: Context,
): Promise<Outcome> {
  try {
    await project.deletePeering(vpcId, id, { mayBeSent: sendFence(context.leadership) });
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    if (error.kind !== 'notFound') return { type: 'failed', error, object, change: { operation: 'deletePeering', wanted: id } };
  }
  observer.peerings(vpcId).remove(id);
  return { type: 'done', object, accepted: { operation: 'deletePeering', wanted: id } };
}
