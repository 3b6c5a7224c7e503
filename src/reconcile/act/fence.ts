import {
  referenceOf,
  type KubernetesClient,
  type Leadership,
  type Shard,
} from '../../runtime/index.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Context } from '../wiring/context.ts';
import { sendWithinMs } from '../ledger/attempt.ts';
import { readObject } from './patch-object.ts';
import { overtaken, requestOf } from '../step/errors.ts';

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
    throw overtaken(`look at ${referenceOf(object)}`, requestOf(object));
  return fence;
}

type Looking = Pick<Context, 'leadership' | 'shard'> & {
  readonly kubernetes: Pick<KubernetesClient, 'get'>;
};
