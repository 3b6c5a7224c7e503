import { systemClock } from './clock.ts';
import { isAway } from './kubernetes-error.ts';
import type { KubernetesObject, ResourceType } from './kubernetes-object.ts';
import type { Log } from './log.ts';
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

/** All watches of a process, and the log lines about them. */
export function watches({
  log,
  ...parts
}: Pick<ReflectorOptions<never>, 'client' | 'connection' | 'random'> & { readonly log: Log }): Watches {
  const running = new Set<Promise<void>>();
  return {
    into(type, cache, where, signal) {
      const { plural } = type;
      let troubles = 0;
      const watch = reflect(
        {
          ...parts,
          ...where,
          type,
          cache,
          clock: systemClock,
          onTrouble: (error, retryInMs) => {
            if (!isAway(error)) troubles += 1;
            // Errors of a server that is shutting down or starting are part of its outage.
            const isNews = !isAway(error) && troubles > 1;
            const fields = { watch: plural, error: String(error), retryInMs: Math.round(retryInMs) };
            log[isNews ? 'warn' : 'debug'](fields, 'the watch broke; it is opened again');
          },
          onHiccup: (error) => log.debug({ watch: plural, error: String(error) }, 'the watch broke once; it is opened again'),
          onRecovery: () => {
            log[troubles > 1 ? 'info' : 'debug']({ watch: plural }, 'the watch works again');
            troubles = 0;
          },
          onRewound: () => log.warn({ watch: plural }, 'the API server was restored from a backup: what it knows now counts'),
          onUnreadable: (error) => log.error({ watch: plural, error: String(error) }, 'an object could not be read and is left alone'),
        },
        signal,
      ).finally(() => running.delete(watch));
      running.add(watch);
    },
    async ended() {
      await Promise.all(running);
    },
  };
}
