import type { KubernetesObject } from './kubernetes-object.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { sharedRead } from './shared-read.ts';

/**
 * How several processes share objects: a label names the process of an object. Another program writes the labels, at
 * any moment.
 */
export interface ShardSettings {
  /** The label's value on the objects of this process. */
  readonly name: string;
  readonly label: string;
  /** The label that requests a process to release its object. The process then removes both labels. */
  readonly drainLabel: string;
  /** Real milliseconds in which a request may be sent after a look that showed the label. */
  readonly lookMs: number;
  /**
   * Real milliseconds without work for an object after its label was seen to name this process. Longer than `lookMs`:
   * the last requests of the previous process have the difference to arrive.
   */
  readonly waitMs: number;
}

export interface Shard extends ShardSettings {
  isOurs(object: KubernetesObject | undefined): boolean;
  /** Whether the label names another process. An object without a label belongs to no process. */
  isAnothers(object: KubernetesObject): boolean;
  /**
   * Waits until the caches hold the present state of the API server, with the writes of other processes.
   * @throws {KubernetesError} `timeout` when that takes too long, such as when a list is refused
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
