import { storeRecord } from '../ledger/write-entry.ts';
import { reconcilers } from '../kinds/all.ts';
import { nameFor } from '../situation/neighbours.ts';
import type { Account } from '../credentials/accounts.ts';
import type { ListPoller } from '../../cloud/list-poller.ts';
import { orCloudError, type CloudError } from '../../cloud/cloud-error.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Context } from '../wiring/context.ts';
import type { Writer } from './patch-object.ts';
import { keep, wait, type DeleteAction, type Stall } from '../step/step.ts';
import { isAfterReady } from '../kinds/service/fields.ts';
import type { Outcome, Accepted } from '../step/outcome.ts';
import { fenceAfterLook } from './fence.ts';
import { send } from './send.ts';

/** Deletes the resource. First it records the decision and checks that the object is unchanged since. */
export async function remove(
  { id, record, inVain, ...deletion }: DeleteAction,
  object: ManagedObject,
  { project, observer }: Pick<Account, 'project' | 'observer'>,
  context: Pick<Context, 'claims' | 'leadership' | 'shard'> & Writer,
): Promise<Outcome> {
  // A fork or a replica set may have begun since the look for dependents. A fork that a list shows as copied is independent.
  const isCopied = (fork: string | undefined) =>
    isAfterReady(observer.services.latest?.items.get(fork ?? '')?.status);
  const holder = () =>
    context.claims
      .holdersOf(id)
      .find((each) => each.attempt || each.kind !== 'ManagedService' || !isCopied(each.id));
  const held = holder();
  if (held) {
    const name = nameFor(object, held);
    return {
      type: 'conflict',
      step: keep(wait('Deleting', `waiting for ${name}, which still needs this resource`)),
    };
  }
  if (record) await storeRecord(object, record, context);
  // Another process may have begun a fork or a replica set that no event has reported yet.
  await context.shard?.catchUp();
  const fence = await fenceAfterLook(object, context, true);
  const error = await orCloudError(send(project, deletion, () => fence() && !holder()));
  // Where the cloud does not show the resource, a refusal rather indicates that it exists: lists and GETs may be wrong.
  if (error && error.kind !== 'notFound') return { type: 'failed', error, object };
  const list = reconcilers[object.kind].list(observer, deletion.args[0]);
  return afterDelete(error || undefined, object, { operation: 'delete', wanted: id, inVain }, list);
}

/** The outcome of a DELETE that was accepted, or answered with 404 (`error`). Only the lists show the absence. */
export function afterDelete(
  error: CloudError | undefined,
  object: ManagedObject,
  { inVain, ...change }: Accepted & { readonly inVain: Stall | undefined },
  list: Pick<ListPoller<unknown>, 'acceptRemoval' | 'denyRemoval'>,
): Outcome {
  if (error) list.denyRemoval(change.wanted);
  else list.acceptRemoval(change.wanted);
  if (!inVain) return { type: 'done', object, accepted: change };
  return error
    ? { type: 'failed', error, object, change }
    : { type: 'stalled', step: inVain, object, change };
}
