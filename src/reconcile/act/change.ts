import type { CallOptions } from '../../cloud/cloud-api.ts';
import { orCloudError } from '../../cloud/cloud-error.ts';
import type { Account } from '../credentials/account.ts';
import type { Action, ArgumentsOf, ChangeOperation, CloudChange } from '../step/action.ts';
import type { Context } from '../process/context.ts';
import { sendFence } from './fence.ts';
import type { Outcome } from '../step/outcome.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** Sends a change to the cloud. Its acceptance goes into status. Until the new value is seen, a list with the old value means "in progress". */
export async function change(
  { change: asked, from, wanted }: Extract<Action, { type: 'change' }>,
  object: ManagedObject,
  account: Account,
  context: Context,
): Promise<Outcome> {
  const told = { operation: asked.operation, from, wanted };
  const error = await orCloudError(send(account.project, asked, { mayBeSent: sendFence(context.leadership) }));
  return error ? { type: 'failed', error, object, change: told } : { type: 'done', object, accepted: told };
}

/** Every operation that changes a resource takes its options last. */
type Operations = { readonly [O in ChangeOperation]: (...args: [...ArgumentsOf<O>, CallOptions]) => Promise<void> };

function send<O extends ChangeOperation>(project: Operations, asked: CloudChange<O>, options: CallOptions): Promise<void> {
  return project[asked.operation](...asked.args, options);
}
