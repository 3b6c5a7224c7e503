import { totalmem } from 'node:os';
import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import type { CallPriority } from '../../cloud/cloud-api.ts';
import type { CallObservation } from '../../cloud/cloud-client.ts';
import type { ClaimTable } from '../../reconcile/wiring/claims.ts';
import type { Caches } from '../../reconcile/wiring/context.ts';
import { objectOfEntry, recordOf } from '../../reconcile/ledger/entry.ts';
import { hasReason, readyOf, syncedOf } from '../../resources/condition.ts';
import { entryLabels } from '../../resources/ledger-entry.ts';
import { isKind, type Kind, kinds, type ManagedObject } from '../../resources/managed-object.ts';
import {
  keyOf,
  type CacheChange,
  type Clock,
  type Controller,
  type Manager,
  type ManagerMetrics,
  type MetricsPage,
  type Shard,
} from '../../runtime/index.ts';
import type { CloudKeys } from '../cloud-keys.ts';
import type { Version } from '../version.ts';
import { codeOf } from './definition.ts';
import { definitions, usageDefinitions } from './definitions.ts';
import { instruments, type Instruments } from './instruments.ts';
import {
  environmentOf,
  environments,
  hasCondition,
  heldForMs,
  unsyncedMs,
  withoutProgressMs,
} from './object-figures.ts';
import { newestOf, type ObjectUsage, usageOf } from './usage.ts';

/** Names carry units. On /metrics, label values come from fixed lists, never from users. */
export interface OperatorMetrics extends ManagerMetrics {
  readonly pages: { readonly '/metrics': MetricsPage; readonly '/metrics/usage'?: MetricsPage };
  cloudCall(call: CallObservation): void;
  throttled(priority: CallPriority, waitedMs: number): void;
  visit(kind: string, durationMs: number, failed: boolean): void;
  abandoned(kind: Kind): void;
  /** Adds the time for which the spec of an object was not applied. */
  synced(kind: Kind, afterMs: number): void;
  sample(sources: Sources): void;
}

/** The parts of an operator whose values each scrape reads. */
export interface Sources {
  readonly caches: Pick<Caches, 'of' | 'ledger'>;
  /** Only an acting process counts objects: objects counted by two processes would count twice. */
  readonly runtime: Pick<Manager, 'isActing' | 'missingLists'> & {
    readonly shard: Pick<Shard, 'isOurs'> | undefined;
    readonly controllers: Iterable<Pick<Controller, 'name' | 'queued' | 'workingMs'>>;
  };
  /** Undefined without an election. */
  readonly lease: string | undefined;
  readonly toCloud: Pick<CloudKeys, 'asOf' | 'services'>;
  readonly claims: Pick<ClaimTable, 'ownerOf'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Undefined until it was read. */
  readonly clusterUid: () => string | undefined;
}

/**
 * @param options.usage whether /metrics/usage is served
 * @param options.ofProcess whether memory, CPU and garbage collection are measured, which takes a timer. Default true
 */
export function operatorMetrics(
  version: Version,
  options: { readonly usage: boolean; readonly ofProcess?: boolean },
): OperatorMetrics {
  const registry = new Registry();
  if (options.ofProcess !== false) collectOfProcess();
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
    visit: (kind, durationMs, failed) =>
      visits({ kind, result: failed ? 'error' : 'done' }, durationMs / 1_000),
    ...queues,
    abandoned: (kind) => abandoned({ kind }),
    synced: (kind, afterMs) => synced({ kind }, afterMs / 1_000),
    sample: (asked) => void (sources = asked),
    pages: {
      '/metrics': pageOf([registry, ofProcess], () => sources && atScrape(sources)),
      ...(options.usage
        ? { '/metrics/usage': usagePage(() => (sources ? usageIn(sources) : [])) }
        : {}),
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
      if (of.memoryRatio !== undefined)
        ratio.set({ ...labels, resource: 'memory' }, of.memoryRatio);
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
  return (sources) => {
    const { runtime, lease, toCloud, clock } = sources;
    if (lease !== undefined) leader.set({ name: lease }, runtime.isActing ? 1 : 0);
    for (const { name, queued, workingMs } of runtime.controllers) {
      const labels = { name, controller: name };
      depth.set(labels, queued);
      unfinished.set(labels, workingMs.reduce((sum, ms) => sum + ms, 0) / 1_000);
      longest.set(labels, Math.max(0, ...workingMs) / 1_000);
    }
    missing.set({}, runtime.missingLists.length);
    snapshotAge.clear();
    for (const [list, at] of toCloud.asOf())
      snapshotAge.raise({ list }, (clock.now() - at) / 1_000);
    setObjects(sources);
    setEntries(sources);
  };
}

function objectMetrics(
  made: Instruments,
): (sources: Pick<Sources, 'caches' | 'runtime' | 'clock'>) => void {
  const watched = made.gauge(definitions.watched);
  const count = made.gauge(definitions.objects);
  const unsynced = made.gauge(definitions.oldestUnsynced);
  const held = made.gauge(definitions.oldestHeldChange);
  const lost = made.gauge(definitions.lost);
  const stalled = made.gauge(definitions.stalled);
  const openCreates = made.gauge(definitions.openCreates);
  const oldest = made.gauge(definitions.oldestOpenCreate);
  return ({ caches, runtime, clock }) => {
    for (const each of [watched, count, unsynced, held, lost, stalled, openCreates, oldest])
      each.clear();
    if (!runtime.isActing) return;
    const now = clock.now();
    for (const kind of kinds) {
      watched.set({ kind }, 0);
      for (const environment of environments) {
        for (const each of [lost, stalled, openCreates, oldest]) each.set({ kind, environment }, 0);
      }
      for (const object of caches.of(kind).values()) {
        watched.add({ kind });
        if (runtime.shard?.isOurs(object) === false) continue;
        const labels = { kind, environment: environmentOf(object) };
        const reason = syncedOf(object)?.reason ?? 'Pending';
        count.add({ ...labels, ready: readyOf(object)?.status ?? 'Unknown', reason });
        if (hasReason(object, 'Lost')) lost.add(labels);
        if (hasCondition(object, 'Stalled')) stalled.add(labels);
        const waitedMs = withoutProgressMs(object, now);
        if (waitedMs !== undefined) unsynced.raise({ ...labels, reason }, waitedMs / 1_000);
        for (const change of heldForMs(object, now))
          held.raise({ ...labels, reason: change.reason }, change.ms / 1_000);
        const { attempt } = recordOf(object, caches);
        if (!attempt) continue;
        openCreates.add(labels);
        oldest.raise(labels, (now - Date.parse(attempt.at)) / 1_000);
      }
    }
  };
}

function entryMetrics(
  made: Instruments,
): (sources: Pick<Sources, 'caches' | 'runtime' | 'clusterUid'>) => void {
  const gauge = made.gauge(definitions.ledgerEntries);
  return ({ caches, runtime, clusterUid }) => {
    gauge.clear();
    if (!runtime.isActing) return;
    const thisCluster = clusterUid();
    for (const entry of caches.ledger.entries.values()) {
      const object = objectOfEntry(entry);
      if (!object) {
        const kind = entry.metadata.labels?.[entryLabels.kind] ?? '';
        if (isKind(kind)) gauge.add({ kind, state: 'unreadable' });
      } else if (entry.content?.clusterUid === thisCluster) {
        const { kind, metadata } = object;
        const there = caches.of(kind).get(keyOf(object));
        gauge.add({ kind, state: there?.metadata.uid === metadata.uid ? 'bound' : 'left' });
      }
    }
  };
}

/** Without a limit for the process, the system reports none, or more than the machine has. */
function memoryLimitBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** The usage of each database that an object of this process has. */
function* usageIn({ caches, claims, clock, runtime, toCloud }: Sources): Iterable<ObjectUsage> {
  if (!runtime.isActing) return;
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
export function countSynced(
  { ofAllKinds }: Caches,
  clock: Clock,
  count: OperatorMetrics['synced'],
): void {
  for (const cache of ofAllKinds)
    cache.onChange(({ object, previous, own }: CacheChange<ManagedObject>) => {
      const waitedMs = own && previous ? unsyncedMs(previous, clock.now()) : undefined;
      if (waitedMs !== undefined && syncedOf(object)?.status === 'True')
        count(object.kind, waitedMs);
    });
}
