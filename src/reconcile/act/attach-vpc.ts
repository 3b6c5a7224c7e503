import { CloudError } from '../../cloud/cloud-error.ts';
import type { ServiceId, VpcId } from '../../cloud/wire/ids.ts';
import type { Account } from '../account.ts';
import type { Context } from '../context.ts';
import { sendFence } from '../fence.ts';
import type { Outcome } from '../outcome.ts';
import type { ManagedObject } from '../situation.ts';

export async function attachVpc(id: ServiceId, vpcId: VpcId, object: ManagedObject, account: Account, context: Context): Promise<Outcome> {
  try {
    await account.api.attachServiceToVpc(account.projectId, id, vpcId, { mayBeSent: sendFence(context.leadership) });
    return { type: 'done', object, accepted: { operation: 'attachVpc', wanted: vpcId } };
  } catch (error) {
    if (error instanceof CloudError) return { type: 'failed', error, object };
    throw error;
  }
}
