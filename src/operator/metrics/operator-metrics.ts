import { totalmem } from 'node:os';
import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import type { CallObservation } from '../../cloud/cloud-client.ts';
import type { CallPriority, CloudOperation } from '../../cloud/cloud-api.ts';
import type { ManagerMetrics } from '../../runtime/index.ts';
import type { Version } from '../version.ts';
import { definitions, queueNames } from './definitions.ts';
import { instruments, type Instruments } from './instruments.ts';
import { codeOf } from './label.ts';
import { objectFigures } from './object-figures.ts';
import { kinds, type Kind, type ManagedObject } from '../../resources/managed-object.ts';

/** What Prometheus is told. Names carry units; labels come from closed lists, never from users. */
export interface OperatorMetrics extends ManagerMetrics {
  cloudCall(call: CallObservation): void;
  /** A call waited for its turn in the rate limit. */
  throttled(priority: CallPriority, waitedMs: number): void;
  visit(kind: string, durationMs: number, failed: boolean): void;
  /** An object went without the operator, and its resource may be there still. */
  abandoned(kind: Kind): void;
  /** Asked at each scrape from now on. */
  sample(sources: Sources): void;
}

/** What is not counted as it happens, but looked up when somebody asks. */
export interface Sources {
  readonly queues: () => Iterable<QueueSight>;
  /** Undefined where another process tells of them: what two of them told would be counted twice. */
  readonly objects: () => Iterable<ManagedObject> | undefined;
  /** Age, in milliseconds, of the oldest list of each kind that is followed. */
  readonly lists: () => Iterable<readonly [list: CloudOperation, ageMs: number]>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface QueueSight {
  readonly name: string;
  readonly queued: number;
  /** For each visit that has begun and not ended, since when; milliseconds. */
  readonly workingMs: readonly number[];
}

export function operatorMetrics(version: Version): OperatorMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const made = instruments(registry);
  made.gauge(definitions.buildInfo).set({ ...version }, 1);
  made.gauge(definitions.memoryLimit).set({}, memoryLimitBytes());
  const leader = made.gauge(definitions.leader);
  const abandoned = made.counter(definitions.abandoned);
  // What begins at 0 is seen to grow from the first time on.
  for (const kind of kinds) abandoned({ kind }, 0);
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
    leads: (name, isLeading) => leader.set({ name }, isLeading ? 1 : 0),
    sample: (asked) => void (sources = asked),
    async text() {
      if (sources) atScrape(sources);
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

function cloudMetrics(made: Instruments): Pick<OperatorMetrics, 'cloudCall' | 'throttled'> {
  const calls = made.counter(definitions.cloudCalls);
  const duration = made.histogram(definitions.cloudCallDuration);
  const throttled = made.counter(definitions.throttled);
  for (const priority of ['edit', 'resync', 'read']) throttled({ priority }, 0);
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
  for (const name of queueNames) {
    adds({ name, controller: name }, 0);
    retries({ name, controller: name }, 0);
  }
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
  const tellObjects = objectMetrics(made);
  return ({ queues, objects, lists, now }) => {
    for (const { name, queued, workingMs } of queues()) {
      const labels = { name, controller: name };
      depth.set(labels, queued);
      unfinished.set(labels, workingMs.reduce((sum, ms) => sum + ms, 0) / 1_000);
      longest.set(labels, Math.max(0, ...workingMs) / 1_000);
    }
    snapshotAge.clear();
    for (const [list, ageMs] of lists()) snapshotAge.set({ list }, ageMs / 1_000);
    tellObjects(objects(), now());
  };
}

function objectMetrics(made: Instruments): (objects: Iterable<ManagedObject> | undefined, now: number) => void {
  const objectCount = made.gauge(definitions.objects);
  const lost = made.gauge(definitions.lost);
  const stalled = made.gauge(definitions.stalled);
  const openCreates = made.gauge(definitions.openCreates);
  const oldest = made.gauge(definitions.oldestOpenCreate);
  return (objects, now) => {
    for (const each of [objectCount, lost, stalled, openCreates, oldest]) each.clear();
    if (!objects) return;
    const figures = objectFigures(objects, now);
    for (const { count, ...labels } of figures.groups) objectCount.set(labels, count);
    for (const [kind, of] of figures.kinds) {
      lost.set({ kind }, of.lost);
      stalled.set({ kind }, of.stalled);
      openCreates.set({ kind }, of.openCreates);
      oldest.set({ kind }, of.oldestOpenCreateMs / 1_000);
    }
  };
}

/** Without a limit of its own, the system names none, or one that is beyond what there is. */
function memoryLimitBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
