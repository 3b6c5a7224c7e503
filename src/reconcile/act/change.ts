import type { CallOptions } from '../../cloud/cloud-api.ts';
import { CloudError } from '../../cloud/cloud-error.ts';
import type { Account } from '../credentials/account.ts';
import type { Action } from '../step/action.ts';
import type { ArgumentsOf, ChangeOperation, CloudChange } from '../step/cloud-change.ts';
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
    await send(account.project, asked, { mayBeSent: sendFence(context.leadership) });
    return { type: 'done', object, accepted: { operation: asked.operation, from, wanted } };
  } catch (error) {
    if (error instanceof CloudError) return { type: 'failed', error, object, change: { operation: asked.operation, from, wanted } };
    throw error;
  }
}

/** Each operation that changes something takes its options last. */
type Operations = { readonly [O in ChangeOperation]: (...args: [...ArgumentsOf<O>, CallOptions]) => Promise<void> };

function send<O extends ChangeOperation>(project: Operations, asked: CloudChange<O>, options: CallOptions): Promise<void> {
  return project[asked.operation](...asked.args, options);
}
