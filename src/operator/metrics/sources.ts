import { recordOf } from '../../reconcile/record/own-entry.ts';
import type { CloudOperation } from '../../cloud/cloud-api.ts';
import type { ClaimTable } from '../../reconcile/process/claims.ts';
import type { Caches } from '../../reconcile/process/context.ts';
import type { CacheChange, Clock, Manager } from '../../runtime/index.ts';
import type { CloudKeys } from '../cloud-keys.ts';
import { entryFigures } from './entry-figures.ts';
import { syncedOf } from '../../resources/condition.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { unsyncedMs } from './object-figures.ts';
import { usageOf, type ObjectUsage } from './usage.ts';
import type { OperatorMetrics, Sources } from './operator-metrics.ts';

interface Parts {
  readonly caches: Caches;
  /** Only the leader counts objects. */
  readonly runtime: Pick<Manager, 'controllers' | 'isActing' | 'missingLists' | 'shard'>;
  /** Undefined without an election. */
  readonly lease: string | undefined;
  readonly toCloud: Pick<CloudKeys, 'asOf' | 'services'>;
  readonly claims: Pick<ClaimTable, 'ownerOf'>;
  readonly clock: Clock;
  /** Undefined until it was read. */
  readonly clusterUid: () => string | undefined;
}

/** Reads the values for a scrape from the parts of an operator. */
export function sourcesOf(parts: Parts): Sources {
  const { runtime, caches, lease, toCloud, clock, clusterUid } = parts;
  return {
    queues: () => runtime.controllers.map(({ name, queued, workingMs }) => ({ name, queued, workingMs })),
    objects: () => (runtime.isActing ? caches.ofAllKinds.flatMap((cache) => [...cache.values()]) : undefined),
    entries: () => (runtime.isActing ? entryFigures(caches, clusterUid()) : undefined),
    isOurs: (object) => runtime.shard?.isOurs(object) !== false,
    openCreateSince: (object) => {
      const { attempt } = recordOf(object, caches);
      return attempt && Date.parse(attempt.at);
    },
    lists: () => oldest(toCloud.asOf(), clock.now()),
    usage: () => (runtime.isActing ? usageIn(parts) : []),
    leads: () => (lease === undefined ? undefined : { lease, isActing: runtime.isActing }),
    missingLists: () => runtime.missingLists.length,
    now: () => clock.now(),
  };
}

/** The usage of each database that an object of this process has. */
function* usageIn({ caches, claims, clock, runtime, toCloud }: Parts): Iterable<ObjectUsage> {
  for (const { projectId, service, at } of toCloud.services()) {
    const owner = claims.ownerOf('ManagedService', projectId, service.service_id);
    const object = owner && caches.of('ManagedService').get(owner.key);
    const usage = usageOf(service, clock.now() - at);
    if (!usage || !object || runtime.shard?.isOurs(object) === false) continue;
    const { namespace, name } = object.metadata;
    yield { namespace, name, environment: service.metadata?.environment ?? '', ...usage };
  }
}

/** Counts how long each object of this process waited until its spec was applied. */
export function countSynced({ ofAllKinds }: Caches, clock: Clock, count: OperatorMetrics['synced']): void {
  for (const cache of ofAllKinds)
    cache.onChange(({ object, previous, own }: CacheChange<ManagedObject>) => {
      const waitedMs = own && previous ? unsyncedMs(previous, clock.now()) : undefined;
      if (waitedMs !== undefined && syncedOf(object)?.status === 'True') count(object.kind, waitedMs);
    });
}

/** In milliseconds. */
function oldest(asOf: ReturnType<CloudKeys['asOf']>, now: number): ReadonlyMap<CloudOperation, number> {
  const ages = new Map<CloudOperation, number>();
  for (const [list, at] of asOf) ages.set(list, Math.max(ages.get(list) ?? 0, now - at));
  return ages;
}
