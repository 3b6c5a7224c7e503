import type { CallOptions } from '../../cloud/cloud-api.ts';
import { CloudError } from '../../cloud/cloud-error.ts';
import type { Account } from '../credentials/account.ts';
import type { Action } from '../step/action.ts';
import type { CloudChange } from '../step/cloud-change.ts';
import type { Context } from '../process/context.ts';
import { sendFence } from './fence.ts';
import type { Outcome } from '../step/outcome.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** Asks the cloud for a change. That it was accepted goes into status: until it shows, an older-looking list means "in progress". */
export async function change(
  { change: asked, from, wanted }: Extract<Action, { type: 'change' }>,
  object: ManagedObject,
  account: Account,
  context: Context,
): Promise<Outcome> {
  try {
    await send(asked, account, { mayBeSent: sendFence(context.leadership) });
    return { type: 'done', object, accepted: { operation: asked.operation, from, wanted } };
  } catch (error) {
    if (error instanceof CloudError) return { type: 'failed', error, object, change: { operation: asked.operation, from, wanted } };
    throw error;
  }
}

function send(asked: CloudChange, { project }: Account, options: CallOptions): Promise<void> {
  switch (asked.operation) {
    case 'renameVpc':
      return project.renameVpc(asked.id, asked.name, options);
    case 'startService':
    case 'stopService':
    case 'enableServicePooler':
    case 'disableServicePooler':
      return project[asked.operation](asked.id, options);
    case 'attachServiceToVpc':
    case 'detachServiceFromVpc':
      return project[asked.operation](asked.id, asked.vpcId, options);
    case 'resizeService':
      return project.resizeService(asked.id, asked.size, options);
    case 'setServiceHighAvailability':
      return project.setServiceHighAvailability(asked.id, asked.replicas, options);
    case 'setServiceEnvironment':
      return project.setServiceEnvironment(asked.id, asked.environment, options);
    case 'resizeReplicaSet':
      return project.resizeReplicaSet(asked.parentId, asked.id, asked.size, options);
    case 'setReplicaSetEnvironment':
      return project.setReplicaSetEnvironment(asked.parentId, asked.id, asked.environment, options);
    case 'enableReplicaSetPooler':
    case 'disableReplicaSetPooler':
      return project[asked.operation](asked.parentId, asked.id, options);
  }
}
