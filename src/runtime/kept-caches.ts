import { catchUp } from './catch-up.ts';
import { isLetGo } from './finalizers.ts';
import type { KubernetesClient } from './kubernetes-client.ts';
import type { MissingLists } from './missing-lists.ts';
import type { KubernetesObject, ResourceType } from './kubernetes-object.ts';
import { objectCache, type FillableCache } from './object-cache.ts';
import type { Watches } from './watches.ts';

/** A label selector: each label must have this value, or any value. */
export type Labels = Readonly<Record<string, string | { readonly any: true }>>;

/** Caches that are filled, and compared with the API server, together. */
export interface KeptCaches {
  /** @param namespaces default: those of the caches together */
  add<T extends KubernetesObject>(type: ResourceType<T>, labels?: Labels, namespaces?: readonly string[]): FillableCache<T>;
  /** Resolves once each cache has taken in a consistent list. Fills them until the signal aborts. */
  fillFrom(watching: Watches, signal: AbortSignal): Promise<void>;
  /**
   * Resolves once each cache holds the present state of the API server: the previous leader may have written objects
   * that no watch has delivered yet.
   */
  catchUp(client: KubernetesClient, missing: MissingLists, signal: AbortSignal): Promise<void>;
  /** Steady time at which the last `catchUp` that succeeded began. */
  readonly caughtUpAt: number;
}

/** @param allScopes the namespaces to watch; a single undefined stands for all */
export function keptCaches(allScopes: readonly (string | undefined)[]): KeptCaches {
  const all: Pick<KeptCaches, 'fillFrom' | 'catchUp'>[] = [];
  let caughtUpAt = -Infinity;
  return {
    add<T extends KubernetesObject>(type: ResourceType<T>, labels: Labels = {}, namespaces?: readonly string[]) {
      const scopes = namespaces ?? allScopes;
      const { finalizer } = type;
      const cache = objectCache<T>(
        scopes,
        (object) => isSelected(object, labels),
        (object) => finalizer !== undefined && isLetGo(object, finalizer),
      );
      const selector = Object.keys(labels).length === 0 ? {} : { labelSelector: selectorOf(labels) };
      all.push({
        async fillFrom(watching, signal) {
          for (const namespace of scopes) watching.into(type, cache, { namespace, ...selector }, signal);
          await cache.whenSynced(signal);
        },
        async catchUp(client, missing, signal) {
          await Promise.all(scopes.map((namespace) => catchUp({ type, cache, namespace, ...selector, client, missing }, signal)));
        },
      });
      return cache;
    },
    async fillFrom(watching, signal) {
      await Promise.all(all.map((each) => each.fillFrom(watching, signal)));
    },
    async catchUp(client, missing, signal) {
      const begunAt = performance.now();
      await Promise.all(all.map((each) => each.catchUp(client, missing, signal)));
      caughtUpAt = Math.max(caughtUpAt, begunAt);
    },
    get caughtUpAt() {
      return caughtUpAt;
    },
  };
}

function selectorOf(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => (typeof value === 'string' ? `${name}=${value}` : name))
    .join(',');
}

function isSelected({ metadata }: KubernetesObject, labels: Labels): boolean {
  return Object.entries(labels).every(([name, value]) => {
    const found = metadata.labels?.[name];
    return typeof value === 'string' ? found === value : found !== undefined;
  });
}
