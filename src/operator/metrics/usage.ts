import type { Service } from '../../cloud/wire/service.ts';
import type { ListedService } from '../cloud-keys.ts';

/** The usage of a service, and the names of its object. A figure is undefined if the cloud leaves it out. */
export interface ObjectUsage extends NonNullable<ReturnType<typeof usageOf>> {
  readonly namespace: string;
  readonly name: string;
  readonly environment: string;
}

/** A list that is older than this says nothing about the usage now. It is read every 60 s. */
const oldestListMs = 300_000;

/**
 * The usage of a service; undefined without figures, for example of a stopped service. A megabyte has 1000² bytes and a gigabyte 1000³.
 * A ratio is the used part of the size, from 0 to 1, and undefined for a shared size.
 * @param listedMs the age of the list that has the service
 */
export function usageOf({ metrics, resources, status }: Service, listedMs: number) {
  if (!metrics || status === 'PAUSED' || listedMs > oldestListMs) return undefined;
  const { milli_cpu: cpu, memory_mb: memory, storage_mb: storage } = metrics;
  const { cpu_millis: cpuSize, memory_gbs: memorySize } = resources?.[0]?.spec ?? {};
  return {
    cpuCores: cpu && cpu / 1_000,
    memoryBytes: memory && memory * 1e6,
    storageBytes: storage && storage * 1e6,
    cpuRatio: shareOf(cpu, cpuSize),
    memoryRatio: shareOf(memory, memorySize && memorySize * 1_000),
  };
}

function shareOf(used: number | undefined, size: number | undefined): number | undefined {
  return used === undefined || !size ? undefined : used / size;
}

/** Each service once, from its newest list: two API keys of a project list it twice. */
export function newestOf(listed: Iterable<ListedService>): Iterable<ListedService> {
  const newest = new Map<string, ListedService>();
  for (const each of listed) {
    const id = `${each.projectId} ${each.service.service_id}`;
    const known = newest.get(id);
    if (!known || known.at < each.at) newest.set(id, each);
  }
  return newest.values();
}
