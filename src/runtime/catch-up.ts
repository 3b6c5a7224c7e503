import * as z from 'zod';
import { systemClock } from './clock.ts';
import type { KubernetesClient } from './kubernetes-client.ts';
import { KubernetesError } from './kubernetes-error.ts';
import type { KubernetesObject, ResourceType } from './kubernetes-object.ts';
import type { FillableCache } from './object-cache.ts';

export interface CatchUpOptions<T extends KubernetesObject> {
  readonly type: ResourceType<T>;
  /** Undefined: the whole cluster. */
  readonly namespace: string | undefined;
  readonly labelSelector?: string;
  readonly cache: FillableCache<T>;
  readonly client: KubernetesClient;
}

const pageSize = 500;
const lookMs = 50;
/** What was listed and has gone since may never have come to the cache, and the API server may be away: then another list tells. */
const looksPerList = 40;

const metadata = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string().optional(), uid: z.string(), resourceVersion: z.string() }),
});

/**
 * Waits until a cache holds all that the API server has at this moment: a watch may be behind, or broken without a sign. A live list tells, of metadata
 * alone; where nothing has changed, that is compared at once, and no bookmark has to be waited for. However long the API server is away.
 * @throws the signal's reason
 */
export async function catchUp<T extends KubernetesObject>(options: CatchUpOptions<T>, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const there = await listedNow(options, signal);
    for (let looks = 0; looks < looksPerList; looks++) {
      if (there && options.cache.covers(options.namespace, there.listed, there.resourceVersion)) return;
      await systemClock.sleep(lookMs, signal);
    }
  }
}

/** Undefined when the API server does not say. */
async function listedNow<T extends KubernetesObject>({ type, namespace, labelSelector, client }: CatchUpOptions<T>, signal: AbortSignal) {
  const anything: ResourceType<KubernetesObject> = { ...type, metadataOnly: true, parse: (value) => metadata.parse(value) };
  const listed: KubernetesObject[] = [];
  let page: string | undefined;
  let resourceVersion = '';
  try {
    do {
      const list = await client.list(anything, { namespace, labelSelector, limit: pageSize, continue: page, signal });
      listed.push(...list.items);
      ({ resourceVersion, continue: page } = list);
    } while (page !== undefined);
  } catch (error) {
    if (error instanceof KubernetesError) return undefined; // an outage is told by its requests
    throw error;
  }
  return { listed, resourceVersion };
}
