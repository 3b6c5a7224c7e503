import type { ControllerOptions, Requeue } from './controller.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { keyOf, type KubernetesObject, type ResourceKey } from './kubernetes-object.ts';
import type { ObjectCache } from './object-cache.ts';
import { sharedRead } from './shared-read.ts';

/**
 * The share of this process in the objects. A label names the process of an object. Another program
 * writes the labels, at any moment.
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

/** The share of this process in the objects. */
export interface Shard extends ShardSettings {
  /** Whether the label of an object names this process. */
  isOurs(object: KubernetesObject | undefined): boolean;
  /** Whether the label names another process. An object without a label belongs to no process. */
  isAnothers(object: KubernetesObject): boolean;
  /**
   * Waits until the caches hold the present state of the API server, with the writes of other processes.
   * @throws {KubernetesError} `timeout` when that takes too long, such as when a list is refused
   */
  catchUp(): Promise<void>;
  /** Steady time at which the last comparison began. */
  readonly caughtUpAt: number;
}

const compareWithinMs = 5_000;

/**
 * Makes the share of this process.
 * @param compare resolves once the caches hold the present state of the API server, or rejects when
 *   the signal aborts. Callers share a comparison.
 */
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
      throw new KubernetesError({
        operation: 'compare all objects',
        kind: 'timeout',
        statusMessage,
        cause: error,
      });
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

/**
 * The objects of a controller that processes share, and the effects of a change of their process.
 */
export interface SharedObjects {
  readonly cache: ObjectCache<KubernetesObject>;
  /** Whether no process ever began work for the object, so that none can be in flight. */
  isUntouched(key: ResourceKey): boolean;
  /** Removes these labels, unless the object has changed since. */
  letGo(key: ResourceKey, labels: readonly string[]): Promise<void>;
  /** Whether a process that died may have left work for an object that is gone, such as the end of a record. */
  hasRemains(key: ResourceKey): boolean;
  /** Called before the first visit to an object that may have belonged to another process. */
  begin(key: ResourceKey): void;
  /** The object is gone, or no longer belongs to this process. */
  forget(key: ResourceKey): void;
}

/** Real milliseconds until a look at an object to be released: the same write may assign it to this process again. */
const lookAgainMs = 1_000;

const togetherMs = 1_000;

/** Waits that begin at about the same time end together: a single comparison serves all. */
function togetherFrom(time: number): number {
  return Math.ceil(time / togetherMs) * togetherMs;
}

/** A period in which an object belongs to this process. All versions of the object in that period share it. */
interface Period {
  /** Steady time of its begin. Undefined: no process ever began work for the object, so no wait is needed. */
  readonly since: number | undefined;
}

/**
 * Visits only the objects of this process. The visit to another process's former object waits. Releases objects here,
 * since a key is visited once at a time. The remains of an object that is gone belong to no process: each process visits
 * them, after the same wait.
 */
export function sharedVisits(
  shared: SharedObjects,
  shard: Shard,
  reconcile: ControllerOptions['reconcile'],
): Required<Pick<ControllerOptions, 'concerns' | 'reconcile'>> {
  const { cache } = shared;
  const periods = new WeakMap<KubernetesObject, Period>();
  const begun = new Map<ResourceKey, Period>();
  /** Steady times at which the remains of objects were first seen. */
  const remains = new Map<ResourceKey, number>();
  /** Undefined: the requests of other processes until this time have arrived, and the caches have their effects. */
  const proved = async (since: number): Promise<Requeue | undefined> => {
    const end = togetherFrom(since + shard.waitMs);
    const waitMs = end - performance.now();
    if (waitMs > 0) return { afterMs: waitMs };
    if (shard.caughtUpAt >= end) return undefined;
    await shard.catchUp();
    // The name may belong to another object now.
    return { afterMs: 0 };
  };
  cache.onChange(({ object, previous, listed }) => {
    if (!shard.isOurs(object)) return;
    const before = previous && !listed ? periods.get(previous) : undefined;
    periods.set(
      object,
      before ?? { since: shared.isUntouched(keyOf(object)) ? undefined : performance.now() },
    );
  });
  return {
    concerns(key) {
      const object = cache.get(key);
      return begun.has(key) || shard.isOurs(object) || (!object && shared.hasRemains(key));
    },
    async reconcile(key, signal) {
      const object = cache.get(key);
      const period = object && periods.get(object);
      // A later object of the name ends the wait for the remains of an earlier object.
      const since = remains.get(key) ?? performance.now();
      remains.delete(key);
      if (!object || !period) {
        begun.delete(key);
        shared.forget(key);
        if (object || !shared.hasRemains(key)) return 'forget';
        const next = await proved(since);
        if (next) {
          remains.set(key, since);
          return next;
        }
        return reconcile(key, signal);
      }
      if (object.metadata.labels?.[shard.drainLabel] !== undefined) {
        await shared.letGo(key, [shard.label, shard.drainLabel]);
        return { afterMs: lookAgainMs };
      }
      if (period.since !== undefined) {
        const next = await proved(period.since);
        if (next) return next;
        if (begun.get(key) !== period) shared.begin(key);
      }
      begun.set(key, period);
      return reconcile(key, signal);
    },
  };
}
