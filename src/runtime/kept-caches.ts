import * as z from 'zod';
import { systemClock } from './clock.ts';
import { type KubernetesClient, listPages } from './kubernetes-client.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { isLetGo, type KubernetesObject, type ResourceType } from './kubernetes-object.ts';
import { type FillableCache, objectCache } from './object-cache.ts';
import { listName, type MissingLists, type ReflectorOptions, type Watches } from './reflector.ts';

/** A label selector: each label must have this value, or any value. */
export type Labels = Readonly<Record<string, string | { readonly any: true }>>;

/** The caches of a process. */
export interface KeptCaches {
  /**
   * Adds a cache, which {@link fillFrom} fills.
   * @param labels only objects with these labels
   * @param namespaces default: those of the caches together; a single undefined for the whole cluster
   */
  add<T extends KubernetesObject>(
    type: ResourceType<T>,
    labels?: Labels,
    namespaces?: readonly (string | undefined)[],
  ): FillableCache<T>;
  /**
   * Fills the caches until the signal aborts. Resolves once each cache has taken in a consistent
   * list.
   */
  fillFrom(watching: Watches, signal: AbortSignal): Promise<void>;
  /** See {@link catchUp}, for all caches. */
  catchUp(client: KubernetesClient, missing: MissingLists, signal: AbortSignal): Promise<void>;
  /** Steady time at which the last `catchUp` that succeeded began. `-Infinity` before the first. */
  readonly caughtUpAt: number;
}

/**
 * Makes an empty set of caches.
 * @param allScopes the namespaces to watch; a single undefined stands for all
 */
export function keptCaches(allScopes: readonly (string | undefined)[]): KeptCaches {
  const all: Pick<KeptCaches, 'fillFrom' | 'catchUp'>[] = [];
  let caughtUpAt = -Infinity;
  return {
    add<T extends KubernetesObject>(
      type: ResourceType<T>,
      labels: Labels = {},
      namespaces?: readonly (string | undefined)[],
    ) {
      const scopes = namespaces ?? allScopes;
      const { finalizer } = type;
      const cache = objectCache<T>(
        scopes,
        (object) => isSelected(object, labels),
        (object) => finalizer !== undefined && isLetGo(object, finalizer),
      );
      const selector =
        Object.keys(labels).length === 0 ? {} : { labelSelector: selectorOf(labels) };
      all.push({
        async fillFrom(watching, signal) {
          for (const namespace of scopes)
            watching.into(type, cache, { namespace, ...selector }, signal);
          await cache.whenSynced(signal);
        },
        async catchUp(client, missing, signal) {
          await Promise.all(
            scopes.map((namespace) =>
              catchUp({ type, cache, namespace, ...selector, client, missing }, signal),
            ),
          );
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

type CatchUpOptions<T extends KubernetesObject> = Pick<
  ReflectorOptions<T>,
  'type' | 'namespace' | 'labelSelector' | 'cache' | 'client' | 'missing'
>;

const lookMs = 50;
/** Looks per list: an object that was deleted after the list never reaches the cache. */
const looksPerList = 40;

const metadata = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string().optional(),
    uid: z.string(),
    resourceVersion: z.string(),
  }),
});

/**
 * Waits until a cache holds the present state of the API server: the previous leader may have
 * written objects that no watch has delivered yet. It compares a live list of metadata with the
 * cache, and waits out failures.
 * @throws the signal's reason
 */
export async function catchUp<T extends KubernetesObject>(
  options: CatchUpOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const there = await listedNow(options, signal);
    for (let looks = 0; looks < looksPerList; looks++) {
      if (there && options.cache.covers(options.namespace, there.items, there.resourceVersion)) {
        options.missing.works(listName(options.type, options));
        return;
      }
      await systemClock.sleep(lookMs, signal);
    }
  }
}

async function listedNow<T extends KubernetesObject>(
  options: CatchUpOptions<T>,
  signal: AbortSignal,
) {
  const { client, type, namespace, labelSelector, missing } = options;
  const anything: ResourceType<KubernetesObject> = {
    ...type,
    metadataOnly: true,
    parse: (value) => metadata.parse(value),
  };
  try {
    return await listPages(client, anything, { namespace, labelSelector, signal });
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    if (!signal.aborted) missing.failed(listName(type, options), error);
    return undefined;
  }
}
