import type { ResourceRecord } from '../../resources/ledger-entry.ts';
import { storeRecord } from '../ledger/write-entry.ts';
import { entryOf } from '../ledger/entry.ts';
import { peeringIds, withPeering } from '../ledger/record.ts';
import { remainingMs } from '../ledger/attempt.ts';
import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import type { Account } from '../credentials/accounts.ts';
import type { CreatePeeringAction, DeletePeeringAction } from '../step/step.ts';
import type { Context } from '../wiring/context.ts';
import { afterDelete } from './delete.ts';
import { fenceAfterLook, sendFence } from './fence.ts';
import type { CallTarget } from './send.ts';
import type { Outcome } from '../step/outcome.ts';
import { withNewId, recordAnswer, recordChange } from './record-answer.ts';
import { writeRecord } from './patch-object.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** Requests a peering. Only the recorded id of the answer proves that this object made it. */
export async function createPeering(
  action: CreatePeeringAction,
  { object, account }: CallTarget,
  context: Context,
  signal: AbortSignal,
): Promise<Outcome> {
  const { project, observer } = account;
  const { record } = action;
  const refused = await orCloudError(account.limiter.acquire('createPeering', 'edit', signal));
  if (refused) return { type: 'failed', error: refused, object };
  const begun = performance.now();
  const mayBeSent = sendFence(context.leadership, context.shard);
  const pendingSince = new Date(context.clock.now()).toISOString();
  const pending = await writeRecord(
    object,
    withPeering(record, action.key, { pendingSince }),
    context,
  );
  const list = observer.peerings(action.vpcId);
  const known = new Set([...peeringIds(record), ...(list.latest?.listed ?? [])]);
  const answer = await orCloudError(
    project.createPeering(action.vpcId, action.request, {
      hasTurn: true,
      mayBeSent,
      timeoutMs: remainingMs(begun),
    }),
  );
  const peering = withNewId('createPeering', answer, (id) => known.has(id));
  if (peering instanceof CloudError) {
    // A refusal created nothing. After any other error the record keeps the request: a repetition would make two peerings.
    if (peering.changedNothing)
      await storeRecord(pending, withPeering(record, action.key, undefined), context);
    return {
      type: 'failed',
      error: peering,
      object: pending,
      change: { operation: 'createPeering', wanted: action.key },
    };
  }
  // An answer is recorded even during a shutdown or after the loss of the lease.
  const late = { ...context, kubernetes: context.recording };
  const { id } = peering;
  const entry = entryOf(object, context.caches);
  if (entry)
    await recordAnswer(
      pending,
      entry,
      { id, write: recordChange((now) => withAnswer(now, action.key, pendingSince, id)) },
      late,
    );
  list.put(peering.id, peering);
  return { type: 'done', object: pending };
}

/** The record with the peering in place of its request. Undefined where another process has changed that meanwhile. */
export function withAnswer(
  record: ResourceRecord,
  key: string,
  pendingSince: string,
  id: string,
): ResourceRecord | undefined {
  const recorded = record.peerings?.[key];
  const isOpen = recorded && 'pendingSince' in recorded && recorded.pendingSince === pendingSince;
  return isOpen ? withPeering(record, key, { id }) : undefined;
}

/**
 * Deletes a peering. An accepted DELETE and a 404 both count as success, unless the action says that an earlier DELETE
 * was in vain. The list learns of an accepted removal at once, and shows the absence after a 404.
 * @returns `done` after a success; `stalled` if this DELETE is accepted after a DELETE in vain; `failed` with the error
 *   of the cloud for each other answer
 */
export async function deletePeering(
  { vpcId, id, inVain }: DeletePeeringAction,
  object: ManagedObject,
  { project, observer }: Account,
  context: Context,
): Promise<Outcome> {
  const change = { operation: 'deletePeering', wanted: id } as const;
  const mayBeSent = await fenceAfterLook(object, context, true);
  const error = await orCloudError(project.deletePeering(vpcId, id, { mayBeSent }));
  if (error && error.kind !== 'notFound') return { type: 'failed', error, object, change };
  return afterDelete(error || undefined, object, { ...change, inVain }, observer.peerings(vpcId));
}
