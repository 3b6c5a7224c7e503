import * as z from 'zod';
import { systemClock } from './clock.ts';
import { KubernetesError } from './kubernetes-error.ts';
import type { KubernetesObject, ResourceType } from './kubernetes-object.ts';
import { listName, type MissingLists } from './missing-lists.ts';
import type { ReflectorOptions } from './reflector.ts';

export interface CatchUpOptions<T extends KubernetesObject> extends Pick<
  ReflectorOptions<T>,
  'type' | 'namespace' | 'labelSelector' | 'cache' | 'client'
> {
  readonly missing: MissingLists;
}

const pageSize = 500;
const lookMs = 50;
/** Looks at the cache before each new list: an object that was deleted after the list never reaches the cache. */
const looksPerList = 40;

const metadata = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string().optional(), uid: z.string(), resourceVersion: z.string() }),
});

/**
 * Waits until a cache holds the present state of the API server: its watch may be behind, or broken without a sign.
 * Compares a live list of metadata with the cache. An unchanged cache matches at once, without a bookmark. Failures are
 * waited out.
 * @throws the signal's reason
 */
export async function catchUp<T extends KubernetesObject>(options: CatchUpOptions<T>, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const there = await listedNow(options, signal);
    for (let looks = 0; looks < looksPerList; looks++) {
      if (there && options.cache.covers(options.namespace, there.listed, there.resourceVersion)) {
        options.missing.works(listName(options.type, options));
        return;
      }
      await systemClock.sleep(lookMs, signal);
    }
  }
}

/** Undefined when the API server did not answer with a list. */
async function listedNow<T extends KubernetesObject>(options: CatchUpOptions<T>, signal: AbortSignal) {
  const { type, namespace, labelSelector, client, missing } = options;
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
    if (!(error instanceof KubernetesError)) throw error;
    if (!signal.aborted) missing.failed(listName(type, options), error);
    return undefined;
  }
  return { listed, resourceVersion };
}
