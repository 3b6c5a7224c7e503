import type { KubernetesObject } from './kubernetes-object.ts';
import { parked } from './parked.ts';
import { sharedRead } from './shared-read.ts';

/** How several processes share objects: a label says whose an object is. Others write the labels, at any moment. */
export interface ShardSettings {
  /** The value of the label on the objects of this process. */
  readonly name: string;
  readonly label: string;
  /** The label that asks a process to let its object go. The process then removes both labels. */
  readonly drainLabel: string;
  /** Real milliseconds in which a request may be sent after a look that showed the label. */
  readonly lookMs: number;
  /**
   * Real milliseconds in which nothing is done for an object after its label was seen to name this process. Longer than `lookMs`: what the process before sent
   * at the last moment has the difference to arrive.
   */
  readonly waitMs: number;
}

/** One of several processes that share objects. */
export interface Shard extends ShardSettings {
  isOurs(object: KubernetesObject | undefined): boolean;
  /** Waits until the caches hold all that the API server has now, and so what other processes wrote. */
  catchUp(): Promise<void>;
  /** Steady time at which the last comparison of all caches with the API server began. */
  readonly caughtUpAt: number;
}

/** @param compare compares all caches with the API server */
export function shardOf(settings: ShardSettings, caches: { readonly caughtUpAt: number }, compare: () => Promise<void>): Shard {
  const { label, name } = settings;
  const compared = sharedRead(compare);
  return {
    ...settings,
    isOurs: (object) => object?.metadata.labels?.[label] === name,
    catchUp: () => parked(compared()),
    get caughtUpAt() {
      return caches.caughtUpAt;
    },
  };
}
