import { systemClock } from './clock.ts';
import type { KubernetesObject, ResourceType } from './kubernetes-object.ts';
import type { Log } from './log.ts';
import { listName, type MissingLists } from './missing-lists.ts';
import type { FillableCache } from './object-cache.ts';
import { reflect, type ReflectorOptions } from './reflector.ts';

export interface Watches {
  /** Keeps a cache equal to the API server until the signal aborts. @param where a namespace (undefined for all) and a label selector */
  into<T extends KubernetesObject>(
    type: ResourceType<T>,
    cache: FillableCache<T>,
    where: { readonly namespace: string | undefined; readonly labelSelector?: string },
    signal: AbortSignal,
  ): void;
  /** Resolves once all watches have ended. */
  ended(): Promise<void>;
}

export interface WatchesParts extends Pick<ReflectorOptions<never>, 'client' | 'connection' | 'random'> {
  readonly log: Log;
  readonly missing: MissingLists;
}

/** All watches of a process, and the log lines about them. */
export function watches({ log, missing, ...parts }: WatchesParts): Watches {
  const running = new Set<Promise<void>>();
  return {
    into(type, cache, where, signal) {
      const { plural } = type;
      const list = listName(type, where);
      const watch = reflect(
        {
          ...parts,
          ...where,
          type,
          cache,
          clock: systemClock,
          onTrouble: (error, retryInMs) => {
            log.debug({ watch: plural, error: String(error), retryInMs: Math.round(retryInMs) }, 'the watch broke; it is opened again');
            missing.failed(list, error);
          },
          onHiccup: (error) => log.debug({ watch: plural, error: String(error) }, 'the watch broke once; it is opened again'),
          onRecovery: () => {
            log.debug({ watch: plural }, 'the watch works again');
            missing.works(list);
          },
          onRewound: () => log.warn({ watch: plural }, 'the API server was restored from a backup: what it knows now counts'),
          onUnreadable: (error) => log.error({ watch: plural, error: String(error) }, 'an object could not be read and is left alone'),
        },
        signal,
      ).finally(() => {
        running.delete(watch);
        missing.forget(list);
      });
      running.add(watch);
    },
    async ended() {
      await Promise.all(running);
    },
  };
}
