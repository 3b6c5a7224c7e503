import type { KubernetesObject } from './kubernetes-object.ts';
import { KubernetesError } from './kubernetes-error.ts';
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
  /** Whether the label names another process. Without a label an object is nobody's. */
  isAnothers(object: KubernetesObject): boolean;
  /**
   * Waits until the caches hold all that the API server has now, and so what other processes wrote.
   * @throws {KubernetesError} `timeout` when that takes too long, as where a list is refused
   */
  catchUp(): Promise<void>;
  /** Steady time at which the last comparison of all caches with the API server began. */
  readonly caughtUpAt: number;
}

const compareWithinMs = 5_000;

/** @param compare compares all caches with the API server, until the signal aborts */
export function shardOf(
  settings: ShardSettings,
  caches: { readonly caughtUpAt: number },
  compare: (signal: AbortSignal) => Promise<void>,
): Shard {
  const { label, name } = settings;
  const compared = sharedRead(async () => {
    const tooLong = AbortSignal.timeout(compareWithinMs);
    await compare(tooLong).catch((error: unknown) => {
      if (!tooLong.aborted) throw error;
      const statusMessage = 'a list that is missing, or a watch that is late; the log names it';
      throw new KubernetesError({ operation: 'compare all objects', kind: 'timeout', statusMessage, cause: error });
    });
  });
  return {
    ...settings,
    isOurs: (object) => object?.metadata.labels?.[label] === name,
    isAnothers: ({ metadata }) => ![undefined, '', name].includes(metadata.labels?.[label]),
    catchUp: compared,
    get caughtUpAt() {
      return caches.caughtUpAt;
    },
  };
}
