import { storeRecord } from '../ledger/write-entry.ts';
import { reconcilers } from '../kinds/all.ts';
import { nameFor } from '../situation/neighbours.ts';
import type { Account } from '../credentials/accounts.ts';
import type { ListPoller } from '../../cloud/list-poller.ts';
import { orCloudError, type CloudError } from '../../cloud/cloud-error.ts';
import type { CallOptions } from '../../cloud/cloud-api.ts';
import {
  referenceOf,
  type KubernetesClient,
  type Leadership,
  type Shard,
} from '../../runtime/index.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Context } from '../wiring/context.ts';
import { sendWithinMs } from '../ledger/attempt.ts';
import { readObject, type Writer } from './patch-object.ts';
import { overtaken } from '../step/errors.ts';
import {
  type ArgumentsOf,
  type CallOf,
  type CallOperation,
  keep,
  wait,
  type Step,
  type DeleteAction,
  type Stall,
} from '../step/step.ts';
import { isDeepStrictEqual } from 'node:util';
import { unreadableCloud } from '../decide/unreadable-cloud.ts';
import type { KindReconciler } from '../kinds/kind.ts';
import type { Situation } from '../situation/situation.ts';
import { isAfterReady } from '../kinds/service/fields.ts';
import type { Outcome, Accepted } from '../step/outcome.ts';

/** Whether a request may still be sent: it is young enough by both clocks, in real time, and the lease is provably held. */
export function sendFence(leadership: Leadership, shard?: Pick<Shard, 'lookMs'>): () => boolean {
  const steady = performance.now();
  const wall = Date.now();
  const withinMs = shard?.lookMs ?? sendWithinMs;
  return () =>
    leadership.held &&
    performance.now() - steady < withinMs &&
    Math.abs(Date.now() - wall) < withinMs;
}

/**
 * The fence of a request about an object. Where processes share the objects, a look first shows that the object
 * is unchanged, and so still this process's. (docs/safety.md, Several processes act)
 * @param looks whether to look also where no processes share the objects. Default: no
 * @throws {KubernetesError} `conflict` when the object has changed
 */
export async function fenceAfterLook(
  object: ManagedObject,
  context: Looking,
  looks = false,
): Promise<() => boolean> {
  const { leadership, shard } = context;
  const fence = sendFence(leadership, shard);
  const live = shard || looks ? await readObject(object, context) : object;
  const { uid, resourceVersion } = object.metadata;
  if (live?.metadata.uid !== uid || live.metadata.resourceVersion !== resourceVersion)
    throw overtaken(`look at ${referenceOf(object)}`);
  return fence;
}

type Looking = Pick<Context, 'leadership' | 'shard'> & {
  readonly kubernetes: Pick<KubernetesClient, 'get'>;
};

/** Every operation on an existing resource takes its options last. */
type Operations = {
  readonly [O in CallOperation]: (...args: [...ArgumentsOf<O>, CallOptions]) => Promise<void>;
};

/** @throws {CloudError} */
export function send<O extends CallOperation>(
  project: Operations,
  asked: CallOf<O>,
  mayBeSent: () => boolean,
): Promise<void> {
  return project[asked.operation](...asked.args, { mayBeSent });
}

/**
 * Reads the resource alone right before a change. (docs/safety.md, Changing) A failed read is reported at once.
 * @returns undefined if the step may be carried out; otherwise the answer is in the snapshot, and the next
 * visit decides anew
 */
export async function lookAgain<S extends Situation>(
  { reread }: Pick<KindReconciler<S>, 'reread'>,
  step: Step,
  situation: S,
): Promise<Outcome | undefined> {
  const { account, noun } = situation;
  const isChange =
    step.type === 'call' && (step.action.type === 'change' || step.action.type === 'setPassword');
  if (!isChange || account.state !== 'usable') return undefined;
  const { cloud, state, pendingChanges } = await reread(situation, account.account);
  if (cloud.state === 'unknown') {
    const unread = unreadableCloud(situation, cloud.error);
    return { type: 'conflict', step: cloud.error ? unread.delayedReport : unread };
  }
  if (isDeepStrictEqual([state, pendingChanges], [situation.state, situation.pendingChanges]))
    return undefined;
  const message = `the list of the cloud shows another ${noun} than a read of it alone, each time: ask the cloud's support; tried again by itself`;
  return { type: 'conflict', step: keep(wait('WaitingForCloud', message)) };
}

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
