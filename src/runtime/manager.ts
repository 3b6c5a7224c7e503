import type { Dispatcher } from 'undici';
import { type Clock, systemClock } from './clock.ts';
import { type ApiServer, connection } from './connection.ts';
import { controller, visiting, type Controller, type ControllerOptions } from './controller.ts';
import { eventRecorder, type EventRecorder } from './events.ts';
import type { MetricsPage } from './health-server.ts';
import { keptCaches, type Labels } from './kept-caches.ts';
import { kubernetesClient, type KubernetesClient } from './kubernetes-client.ts';
import { isAway, KubernetesError } from './kubernetes-error.ts';
import {
  type KubernetesObject,
  objectReference,
  type ObjectReference,
  partsOfReference,
  type ResourceType,
} from './kubernetes-object.ts';
import { type ElectionSettings, leaderElection, type Leadership } from './leader-election.ts';
import { lifecycle, type Preparation, type Running } from './lifecycle.ts';
import type { Log } from './log.ts';
import type { FillableCache, ObjectCache } from './object-cache.ts';
import { loggedOutage, reportRequest, type RequestObservation, requestObserver } from './outage.ts';
import { missingLists, watches } from './reflector.ts';
import {
  type Shard,
  shardOf,
  type ShardSettings,
  type SharedObjects,
  sharedVisits,
} from './shard.ts';
import type { QueueObserver } from './work-queue.ts';

/** The settings of an operator process. */
export interface ManagerOptions {
  /** The field manager of all writes, and the component of events. */
  readonly name: string;
  /** Default: the name. */
  readonly userAgent?: string;
  /** See {@link ConnectionOptions.apiServer}. */
  readonly apiServer: () => ApiServer;
  /** Observes or changes each request to the API server. */
  readonly intercept?: Dispatcher.DispatcherComposeInterceptor | undefined;
  /** The namespaces to watch. Default: the whole cluster. */
  readonly namespaces?: readonly string[] | undefined;
  readonly log: Log;
  /** Policy time. Default: real time. */
  readonly clock?: Clock | undefined;
  /** From 0 up to 1. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Default: the process acts without a lease. */
  readonly election?: ElectionSettings | undefined;
  /** The election is for a lease of this shard alone. */
  readonly shard?: ShardSettings | undefined;
  /** Replaces the election. */
  readonly leadership?: Leadership | undefined;
  /** Default: no health server. */
  readonly health?: { readonly host: string; readonly port: number } | undefined;
  readonly metrics?: ManagerMetrics | undefined;
}

/** The metrics of a process, which the manager feeds and serves. */
export interface ManagerMetrics {
  /** Called for each request to the API server. */
  request(observation: RequestObservation): void;
  /** Returns the observer of the queue of the controller that has this name. */
  queue(name: string): QueueObserver;
  /** Called after each failed visit of the controller that has this name. */
  retry(name: string): void;
  /** By path, such as `/metrics`. */
  readonly pages: Readonly<Record<string, MetricsPage>>;
}

/**
 * The options of a controller that the manager makes. The manager adds clock, random, errors and
 * metrics.
 */
export interface ManagedControllerOptions extends Pick<
  ControllerOptions,
  'name' | 'workers' | 'groupOf' | 'reconcile' | 'onDone'
> {
  /** The kind of the objects that it visits. Default: its name. */
  readonly kind?: string;
  /** The objects of its keys, if processes share them by a label. Default: each process visits all keys. */
  readonly shared?: SharedObjects;
}

/** The parts of an operator process and their order. */
export interface Manager {
  /** Sends writes only while this process holds the lease. */
  readonly client: KubernetesClient;
  /** Sends writes even without the lease: only writes that no other process could make, locked by a resourceVersion or a name. */
  readonly recording: KubernetesClient;
  readonly events: EventRecorder;
  /** Whether this process may write now. */
  readonly leadership: Leadership;
  /** Undefined if the processes do not share the objects. */
  readonly shard: Shard | undefined;
  readonly controllers: readonly Controller[];
  /** Whether the controllers have started, and this process may write. */
  readonly isActing: boolean;
  /** See {@link MissingLists.reasons}. */
  readonly missingLists: readonly string[];
  /**
   * Adds a cache of all objects of a type. It is complete before any key is worked. Must be called before the start.
   * @param labels only objects with these labels; `parse` must keep the labels
   * @param namespaces default: those of the manager; a single undefined for the whole cluster
   */
  cache<T extends KubernetesObject>(
    type: ResourceType<T>,
    labels?: Labels,
    namespaces?: readonly (string | undefined)[],
  ): ObjectCache<T>;
  /**
   * Fills another cache until the signal aborts or the manager stops.
   * @param namespace undefined for the whole cluster
   */
  watch<T extends KubernetesObject>(
    type: ResourceType<T>,
    cache: FillableCache<T>,
    namespace: string | undefined,
    signal: AbortSignal,
  ): void;
  /** Adds a controller, which starts with the manager. Must be called before the start. */
  controller(options: ManagedControllerOptions): Controller;
  /** Enqueues an object at the controller that is named like its kind, if any. */
  enqueue(reference: ObjectReference): void;
  /**
   * Starts the process. See {@link lifecycle}. Must be called once.
   * @throws when the health server cannot listen
   */
  start(preparation?: Preparation): Promise<Running>;
}

/** A watch that is silent for so long counts as dead. Bookmarks come every minute. */
const stallMs = 70_000;
const defaultCatchUpMs = 120_000;

/** Makes the parts of an operator process. `start` begins their work. */
export function manager(options: ManagerOptions): Manager {
  const { log, metrics, clock = systemClock, random = Math.random } = options;
  const state = { isStarted: false, hasGivenUp: false };
  const parts = linked(options, state);
  const { client, leadership, events } = parts;
  const caches = keptCaches(options.namespaces ?? [undefined]);
  const missing = missingLists(log);
  const watching = watches({ client, connection: parts.link, random, log, missing });
  const controllers: Controller[] = [];
  const ending = new AbortController();
  const shard =
    options.shard &&
    shardOf(options.shard, caches, (signal) =>
      caches.catchUp(client, missing, AbortSignal.any([ending.signal, signal])),
    );
  return {
    client,
    recording: parts.recording,
    events,
    leadership,
    shard,
    controllers,
    get isActing() {
      return state.isStarted && leadership.held;
    },
    get missingLists() {
      return missing.reasons;
    },
    cache: (type, labels, namespaces) => caches.add(type, labels, namespaces),
    watch(type, cache, namespace, signal) {
      watching.into(type, cache, { namespace }, AbortSignal.any([signal, ending.signal]));
    },
    controller({ kind = '', shared, ...asked }) {
      const visits = {
        ...asked,
        ...(shared && shard && sharedVisits(shared, shard, asked.reconcile)),
      };
      const made = controller({
        ...visits,
        clock,
        random,
        reconcile: (key, signal) =>
          visiting({ name: objectReference(kind || asked.name, key), signal }, () =>
            visits.reconcile(key, signal),
          ),
        onError(key, error, retryInMs) {
          metrics?.retry(asked.name);
          // The loss of the lease is logged once, not by each visit.
          if (leadership.held)
            logFailure(log, objectReference(kind || asked.name, key), error, retryInMs);
        },
        ...(metrics ? { observer: metrics.queue(asked.name) } : {}),
      });
      controllers.push(made);
      return made;
    },
    enqueue(reference) {
      const { kind, key } = partsOfReference(reference);
      controllers.find(({ name }) => name === kind)?.enqueue(key);
    },
    start(preparation = {}) {
      const { health, election: { catchUpMs = defaultCatchUpMs } = {} } = options;
      const pages = metrics?.pages ?? {};
      return lifecycle({
        ...parts,
        caches,
        watching,
        missing,
        controllers,
        ending,
        state,
        health,
        catchUpMs,
        pages,
        ...preparation,
      });
    },
  };
}

function linked(options: ManagerOptions, state: { readonly hasGivenUp: boolean }) {
  const {
    name,
    userAgent = name,
    apiServer,
    intercept,
    log,
    metrics,
    random = Math.random,
  } = options;
  const outage = loggedOutage(
    'the API server',
    'databases keep running, and the operator changes nothing until it answers',
    log,
  );
  const observed = requestObserver((request) => {
    metrics?.request(request);
    reportRequest(outage, request);
  });
  const toServer: Dispatcher.DispatcherComposeInterceptor = (dispatch) =>
    observed(intercept ? intercept(dispatch) : dispatch);
  const link = connection({ apiServer, intercept: toServer, stallMs });
  const election =
    options.election &&
    leaderElection(options.election, {
      apiServer,
      intercept: toServer,
      fieldManager: name,
      userAgent,
      log,
      random,
    });
  const granted = options.leadership ?? election ?? { held: true };
  const leadership: Leadership = {
    get held() {
      return !state.hasGivenUp && granted.held;
    },
  };
  const client = kubernetesClient({
    connection: link,
    fieldManager: name,
    userAgent,
    mayWrite: () => leadership.held,
  });
  const events = eventRecorder({
    client,
    component: name,
    onDropped(error) {
      const isExpected = isAway(error) || !leadership.held;
      log[isExpected ? 'debug' : 'warn']({ error: String(error) }, 'an event could not be written');
    },
  });
  return {
    link,
    election,
    leadership,
    client,
    recording: kubernetesClient({ connection: link, fieldManager: name, userAgent }),
    events,
  };
}

/** Only a bug is logged with its stack trace: the message of an API server's error says everything. */
export function logFailure(
  log: Log,
  object: ObjectReference,
  error: unknown,
  retryInMs: number,
): void {
  const more = { object, retryInMs: Math.round(retryInMs) };
  if (error instanceof KubernetesError) {
    log[isAway(error) ? 'debug' : 'warn'](
      { ...more, error: error.message },
      'a visit failed; it is tried again',
    );
    return;
  }
  log.error({ ...more, error }, 'a visit failed; it is tried again');
}
