import { totalmem } from 'node:os';
import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import type { CallPriority, CloudOperation } from '../../cloud/cloud-api.ts';
import type { CallObservation } from '../../cloud/cloud-client.ts';
import type { ClaimTable } from '../../reconcile/process/claims.ts';
import type { Caches } from '../../reconcile/process/context.ts';
import { recordOf } from '../../reconcile/record/record.ts';
import { syncedOf } from '../../resources/condition.ts';
import type { Kind, ManagedObject } from '../../resources/managed-object.ts';
import type { CacheChange, Clock, Manager, ManagerMetrics, MetricsPage } from '../../runtime/index.ts';
import type { CloudKeys } from '../cloud-keys.ts';
import type { Version } from '../version.ts';
import { codeOf } from './definition.ts';
import { definitions, usageDefinitions } from './definitions.ts';
import { instruments, type Instruments } from './instruments.ts';
import { entryFigures, type EntryGroup, environmentOf, environments, objectFigures, unsyncedMs } from './object-figures.ts';
import { newestOf, type ObjectUsage, usageOf } from './usage.ts';

/** Names carry units. On /metrics, label values come from fixed lists, never from users. */
export interface OperatorMetrics extends ManagerMetrics {
  readonly pages: { readonly '/metrics': MetricsPage; readonly '/metrics/usage'?: MetricsPage };
  cloudCall(call: CallObservation): void;
  throttled(priority: CallPriority, waitedMs: number): void;
  visit(kind: string, durationMs: number, failed: boolean): void;
  /** Counts an object that was deleted without the operator. Its resource may still exist in the cloud. */
  abandoned(kind: Kind): void;
  /** Adds the time for which the spec of an object was not applied. */
  synced(kind: Kind, afterMs: number): void;
  /** Sets the sources of each scrape from now on. */
  sample(sources: Sources): void;
}

/** Values that are read at a scrape. */
export interface Sources {
  readonly queues: () => Iterable<QueueState>;
  /** Undefined in a standby process: objects counted by two processes would count twice. */
  readonly objects: () => Iterable<ManagedObject> | undefined;
  /** The figures of the cloud about the databases of this process; none in a standby process. */
  readonly usage: () => Iterable<ObjectUsage>;
  /** Undefined in a standby process, too. */
  readonly entries: () => Iterable<EntryGroup> | undefined;
  /** Whether this process works the object. */
  readonly isOurs: (object: ManagedObject) => boolean;
  /** Milliseconds since the epoch: the begin of a create whose answer is not recorded. */
  readonly openCreateSince: (object: ManagedObject) => number | undefined;
  /** For each kind of list: the age in milliseconds of the oldest list in use. */
  readonly lists: () => Iterable<readonly [list: CloudOperation, ageMs: number]>;
  readonly missingLists: () => number;
  /** Whether this process leads under a Lease, and its controllers run. Undefined without an election. */
  readonly leads: () => { readonly lease: string; readonly isActing: boolean } | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface QueueState {
  readonly name: string;
  readonly queued: number;
  /** Milliseconds since the begin of each current visit. */
  readonly workingMs: readonly number[];
}

/** @param options.usage whether /metrics/usage is served */
export function operatorMetrics(version: Version, options: { readonly usage: boolean }): OperatorMetrics {
  const registry = new Registry();
  collectOfProcess();
  const made = instruments(registry);
  made.gauge(definitions.buildInfo).set({ ...version }, 1);
  made.gauge(definitions.memoryLimit).set({}, memoryLimitBytes());
  const abandoned = made.counter(definitions.abandoned);
  const synced = made.histogram(definitions.syncDuration);
  const visits = made.histogram(definitions.visits);
  const requests = made.counter(definitions.requests);
  const requestDuration = made.histogram(definitions.requestDuration);
  const queues = queueMetrics(made);
  const atScrape = sampled(made);
  let sources: Sources | undefined;
  return {
    ...cloudMetrics(made),
    request({ method, host, status, durationMs, isWatch }) {
      requests({ code: codeOf(status), method, host });
      if (!isWatch) requestDuration({ verb: method, host }, durationMs / 1_000);
    },
    visit: (kind, durationMs, failed) => visits({ kind, result: failed ? 'error' : 'done' }, durationMs / 1_000),
    ...queues,
    abandoned: (kind) => abandoned({ kind }),
    synced: (kind, afterMs) => synced({ kind }, afterMs / 1_000),
    sample: (asked) => void (sources = asked),
    pages: {
      '/metrics': pageOf([registry, ofProcess], () => sources && atScrape(sources)),
      ...(options.usage ? { '/metrics/usage': usagePage(() => sources?.usage() ?? []) } : {}),
    },
  };
}

/** Memory, CPU and garbage collection, once for each process: their observers never end, and a test process has many operators. */
const ofProcess = new Registry();

function collectOfProcess(): void {
  if (ofProcess.getMetricsAsArray().length === 0) collectDefaultMetrics({ register: ofProcess });
}

function pageOf(registries: Registry[], update: () => void): MetricsPage {
  const registry = Registry.merge(registries);
  return async () => {
    update();
    return { contentType: registry.contentType, text: await registry.metrics() };
  };
}

/** Has a registry of its own, since Prometheus scrapes it apart. */
function usagePage(usage: () => Iterable<ObjectUsage>): MetricsPage {
  const registry = new Registry();
  const made = instruments(registry);
  const cpu = made.gauge(usageDefinitions.cpu);
  const memory = made.gauge(usageDefinitions.memory);
  const storage = made.gauge(usageDefinitions.storage);
  const ratio = made.gauge(usageDefinitions.ratio);
  return pageOf([registry], () => {
    for (const each of [cpu, memory, storage, ratio]) each.clear();
    for (const { namespace, name, environment, ...of } of usage()) {
      const labels = { namespace, name, environment };
      if (of.cpuCores !== undefined) cpu.set(labels, of.cpuCores);
      if (of.memoryBytes !== undefined) memory.set(labels, of.memoryBytes);
      if (of.storageBytes !== undefined) storage.set(labels, of.storageBytes);
      if (of.cpuRatio !== undefined) ratio.set({ ...labels, resource: 'cpu' }, of.cpuRatio);
      if (of.memoryRatio !== undefined) ratio.set({ ...labels, resource: 'memory' }, of.memoryRatio);
    }
  });
}

function cloudMetrics(made: Instruments): Pick<OperatorMetrics, 'cloudCall' | 'throttled'> {
  const calls = made.counter(definitions.cloudCalls);
  const duration = made.histogram(definitions.cloudCallDuration);
  const throttled = made.counter(definitions.throttled);
  return {
    cloudCall({ operation, outcome, status, durationMs, waitedMs }) {
      calls({ operation, outcome, code: codeOf(status) });
      duration({ operation }, (durationMs - waitedMs) / 1_000);
    },
    throttled: (priority, waitedMs) => throttled({ priority }, waitedMs / 1_000),
  };
}

function queueMetrics(made: Instruments): Pick<OperatorMetrics, 'queue' | 'retry'> {
  const adds = made.counter(definitions.adds);
  const retries = made.counter(definitions.retries);
  const waited = made.histogram(definitions.queueDuration);
  const worked = made.histogram(definitions.workDuration);
  return {
    queue: (name) => ({
      added: () => adds({ name, controller: name }),
      taken: (waitedMs) => waited({ name, controller: name }, waitedMs / 1_000),
      done: (workedMs) => worked({ name, controller: name }, workedMs / 1_000),
    }),
    retry: (name) => retries({ name, controller: name }),
  };
}

function sampled(made: Instruments): (sources: Sources) => void {
  const depth = made.gauge(definitions.depth);
  const unfinished = made.gauge(definitions.unfinished);
  const longest = made.gauge(definitions.longest);
  const snapshotAge = made.gauge(definitions.snapshotAge);
  const leader = made.gauge(definitions.leader);
  const missing = made.gauge(definitions.missingLists);
  const setObjects = objectMetrics(made);
  const setEntries = entryMetrics(made);
  return ({ queues, objects, entries, lists, missingLists, leads, now, ...of }) => {
    const led = leads();
    if (led) leader.set({ name: led.lease }, led.isActing ? 1 : 0);
    for (const { name, queued, workingMs } of queues()) {
      const labels = { name, controller: name };
      depth.set(labels, queued);
      unfinished.set(labels, workingMs.reduce((sum, ms) => sum + ms, 0) / 1_000);
      longest.set(labels, Math.max(0, ...workingMs) / 1_000);
    }
    missing.set({}, missingLists());
    snapshotAge.clear();
    for (const [list, ageMs] of lists()) snapshotAge.set({ list }, ageMs / 1_000);
    setObjects(objects(), now(), of);
    setEntries(entries() ?? []);
  };
}

function objectMetrics(
  made: Instruments,
): (objects: Iterable<ManagedObject> | undefined, now: number, of: Pick<Sources, 'isOurs' | 'openCreateSince'>) => void {
  const watched = made.gauge(definitions.watched);
  const objectCount = made.gauge(definitions.objects);
  const unsynced = made.gauge(definitions.oldestUnsynced);
  const lost = made.gauge(definitions.lost);
  const stalled = made.gauge(definitions.stalled);
  const openCreates = made.gauge(definitions.openCreates);
  const oldest = made.gauge(definitions.oldestOpenCreate);
  return (objects, now, { openCreateSince, isOurs }) => {
    for (const each of [watched, objectCount, unsynced, lost, stalled, openCreates, oldest]) each.clear();
    if (!objects) return;
    const figures = objectFigures(objects, now, openCreateSince, isOurs);
    for (const { count, ...labels } of figures.groups) objectCount.set(labels, count);
    for (const { oldestMs, ...labels } of figures.unsynced) unsynced.set(labels, oldestMs / 1_000);
    for (const [kind, of] of figures.kinds) {
      watched.set({ kind }, of.watched);
      for (const environment of environments) {
        lost.set({ kind, environment }, of.lost[environment]);
        stalled.set({ kind, environment }, of.stalled[environment]);
        openCreates.set({ kind, environment }, of.openCreates[environment]);
        oldest.set({ kind, environment }, of.oldestOpenCreateMs[environment] / 1_000);
      }
    }
  };
}

function entryMetrics(made: Instruments): (entries: Iterable<EntryGroup>) => void {
  const gauge = made.gauge(definitions.ledgerEntries);
  return (entries) => {
    gauge.clear();
    const counts = new Map<string, number>();
    for (const { kind, state } of entries) {
      const count = (counts.get(`${kind} ${state}`) ?? 0) + 1;
      counts.set(`${kind} ${state}`, count);
      gauge.set({ kind, state }, count);
    }
  };
}

/** Without a limit for the process, the system reports none, or more than the machine has. */
function memoryLimitBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

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
    lists: () => oldestLists(toCloud.asOf(), clock.now()),
    usage: () => (runtime.isActing ? usageIn(parts) : []),
    leads: () => (lease === undefined ? undefined : { lease, isActing: runtime.isActing }),
    missingLists: () => runtime.missingLists.length,
    now: () => clock.now(),
  };
}

/** The usage of each database that an object of this process has. */
function* usageIn({ caches, claims, clock, runtime, toCloud }: Parts): Iterable<ObjectUsage> {
  for (const { projectId, service, at } of newestOf(toCloud.services())) {
    const owner = claims.ownerOf('ManagedService', projectId, service.service_id);
    const object = owner && caches.of('ManagedService').get(owner.key);
    const usage = usageOf(service, clock.now() - at);
    if (!usage || !object || runtime.shard?.isOurs(object) === false) continue;
    const { namespace, name } = object.metadata;
    yield { namespace, name, environment: environmentOf(object), ...usage };
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
function oldestLists(asOf: ReturnType<CloudKeys['asOf']>, now: number): ReadonlyMap<CloudOperation, number> {
  const ages = new Map<CloudOperation, number>();
  for (const [list, at] of asOf) ages.set(list, Math.max(ages.get(list) ?? 0, now - at));
  return ages;
}
