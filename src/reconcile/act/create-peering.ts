import type { Permit } from '../../cloud/cloud-api.ts';
import { CloudError } from '../../cloud/cloud-error.ts';
import type { Account } from '../credentials/account.ts';
import type { Action } from '../step/action.ts';
import { remainingMs } from '../record/attempt.ts';
import type { Context } from '../process/context.ts';
import { sendFence } from './fence.ts';
import type { Outcome } from '../step/outcome.ts';
import { withPeering } from '../record/record-changes.ts';
import type { Situation } from '../situation/situation.ts';
import { writeRecord } from './patch-object.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** Asks for a peering, exactly once: what existed before is recorded, then it is sent, then its id is recorded. */
export async function createPeering(
  action: Extract<Action, { type: 'createPeering' }>,
  { object, record }: Situation,
  account: Account,
  context: Context,
  signal: AbortSignal,
): Promise<Outcome> {
  const { project, observer } = account;
  const list = observer.peerings(action.vpcId);
  let before: readonly string[];
  let permit: Permit;
  try {
    before = [...(await list.since(context.clock.now())).items.keys()];
    permit = await account.limiter.acquire('createPeering', 'edit', signal);
  } catch (error) {
    if (error instanceof CloudError) return { type: 'failed', error, object };
    throw error;
  }
  const begun = performance.now();
  const mayBeSent = sendFence(context.leadership);
  let pending: ManagedObject;
  try {
    pending = await writeRecord(
      object,
      withPeering(record, action.key, { pendingSince: new Date(account.cloudNow()).toISOString(), before: [...before] }),
      context,
    );
  } catch (error) {
    permit.release();
    throw error;
  }
  try {
    const peering = await project.createPeering(action.vpcId, action.request, { permit, mayBeSent, timeoutMs: remainingMs(begun) });
    if (peering.id === undefined)
      throw new CloudError({ operation: 'createPeering', kind: 'unreadable', sent: true, fromApi: false, field: 'id: expected a string' });
    // Neither shutdown nor the loss of the lease keeps an answer from being recorded.
    const late = { ...context, kubernetes: context.recording };
    const recorded = await writeRecord(pending, withPeering(record, action.key, { id: peering.id }), late);
    list.put(peering.id, peering);
    return { type: 'done', object: recorded };
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    // A refusal made nothing: what was about to be is taken back. Everything else stays pending until the lists tell.
    const current = error.changedNothing ? await writeRecord(pending, withPeering(record, action.key, undefined), context) : pending;
    return { type: 'failed', error, object: current, change: { operation: 'createPeering', wanted: action.key } };
  }
}
