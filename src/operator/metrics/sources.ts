import { recordOf } from '../../reconcile/record/record.ts';
import type { CloudOperation } from '../../cloud/cloud-api.ts';
import type { Caches } from '../../reconcile/process/context.ts';
import type { Clock, Manager } from '../../runtime/index.ts';
import type { CloudKeys } from '../cloud-keys.ts';
import { entryFigures } from './entry-figures.ts';
import type { Sources } from './operator-metrics.ts';

/** Reads the values for a scrape from the parts of an operator. */
export function sourcesOf(parts: {
  readonly caches: Caches;
  /** Only the leader counts objects. */
  readonly runtime: Pick<Manager, 'controllers' | 'isActing' | 'missingLists' | 'shard'>;
  /** The name of the Lease; undefined without an election. */
  readonly lease: string | undefined;
  readonly toCloud: Pick<CloudKeys, 'asOf'>;
  readonly clock: Clock;
}): Sources {
  const { runtime, caches, lease, toCloud, clock } = parts;
  return {
    queues: () => runtime.controllers.map(({ name, queued, workingMs }) => ({ name, queued, workingMs })),
    objects: () => (runtime.isActing ? caches.ofAllKinds.flatMap((cache) => [...cache.values()]) : undefined),
    entries: () => (runtime.isActing ? entryFigures(caches) : undefined),
    isOurs: (object) => runtime.shard?.isOurs(object) !== false,
    openCreateSince: (object) => {
      const { attempt } = recordOf(object, caches);
      return attempt && Date.parse(attempt.at);
    },
    lists: () => oldest(toCloud.asOf(), clock.now()),
    leads: () => (lease === undefined ? undefined : { lease, isActing: runtime.isActing }),
    missingLists: () => runtime.missingLists.length,
    now: () => clock.now(),
  };
}

/** The greatest age of each kind of list, in milliseconds. */
function oldest(asOf: ReturnType<CloudKeys['asOf']>, now: number): ReadonlyMap<CloudOperation, number> {
  const ages = new Map<CloudOperation, number>();
  for (const [list, at] of asOf) ages.set(list, Math.max(ages.get(list) ?? 0, now - at));
  return ages;
}
