import type { CallOptions } from '../../cloud/cloud-api.ts';
import { referenceOf, type KubernetesClient, type Leadership, type Shard } from '../../runtime/index.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Context } from '../process/context.ts';
import { sendWithinMs } from '../record/attempt.ts';
import { readObject } from './patch-object.ts';
import { overtaken } from '../step/errors.ts';
import { type ArgumentsOf, type CallOf, type CallOperation, keep, wait, type Step } from '../step/step.ts';
import { isDeepStrictEqual } from 'node:util';
import { unreadableCloud } from '../decide/unreadable-cloud.ts';
import type { KindReconciler } from '../kinds/kind.ts';
import type { Situation } from '../situation/situation.ts';
import type { Outcome } from '../step/outcome.ts';

/** Whether a request may still be sent: it is young enough by both clocks, in real time, and the lease is provably held. */
export function sendFence(leadership: Leadership, shard?: Pick<Shard, 'lookMs'>): () => boolean {
  const steady = performance.now();
  const wall = Date.now();
  const withinMs = shard?.lookMs ?? sendWithinMs;
  return () => leadership.held && performance.now() - steady < withinMs && Math.abs(Date.now() - wall) < withinMs;
}

/**
 * The fence of a request about an object. Where processes share the objects, a look first shows that the object
 * is unchanged, and so still this process's. (docs/safety.md, Several processes act)
 * @param looks whether to look also where no processes share the objects. Default: no
 * @throws {KubernetesError} `conflict` when the object has changed
 */
export async function fenceAfterLook(object: ManagedObject, context: Looking, looks = false): Promise<() => boolean> {
  const { leadership, shard } = context;
  const fence = sendFence(leadership, shard);
  const live = shard || looks ? await readObject(object, context) : object;
  const { uid, resourceVersion } = object.metadata;
  if (live?.metadata.uid !== uid || live.metadata.resourceVersion !== resourceVersion) throw overtaken(`look at ${referenceOf(object)}`);
  return fence;
}

type Looking = Pick<Context, 'leadership' | 'shard'> & { readonly kubernetes: Pick<KubernetesClient, 'get'> };

/** Every operation on an existing resource takes its options last. */
type Operations = { readonly [O in CallOperation]: (...args: [...ArgumentsOf<O>, CallOptions]) => Promise<void> };

/**
 * Sends a change or a deletion, if it may still be sent.
 * @throws {CloudError}
 */
export function send<O extends CallOperation>(project: Operations, asked: CallOf<O>, mayBeSent: () => boolean): Promise<void> {
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
  const isChange = step.type === 'call' && (step.action.type === 'change' || step.action.type === 'setPassword');
  if (!isChange || account.state !== 'usable') return undefined;
  const { cloud, state, pendingChanges } = await reread(situation, account.account);
  if (cloud.state === 'unknown') {
    const unread = unreadableCloud(situation, cloud.error);
    return { type: 'conflict', step: cloud.error ? unread.delayedReport : unread };
  }
  if (isDeepStrictEqual([state, pendingChanges], [situation.state, situation.pendingChanges])) return undefined;
  const message = `the list of the cloud shows another ${noun} than a read of it alone, each time: ask the cloud's support; tried again by itself`;
  return { type: 'conflict', step: keep(wait('WaitingForCloud', message)) };
}
