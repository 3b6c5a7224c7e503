import { isDeepStrictEqual } from 'node:util';
import { backOffMs, type Clock, systemClock } from './clock.ts';
import type { Connection } from './connection.ts';
import { type KubernetesClient, listPages } from './kubernetes-client.ts';
import { askedToWaitMs, isAway, KubernetesError } from './kubernetes-error.ts';
import {
  keyOf,
  type KubernetesObject,
  type ResourceKey,
  type ResourceType,
} from './kubernetes-object.ts';
import type { Log } from './log.ts';
import type { FillableCache } from './object-cache.ts';
import { watch, type WatchEvent } from './watch.ts';

/** The objects of a reflector, their cache, and the ways to the API server. */
export interface ReflectorOptions<T extends KubernetesObject> {
  readonly type: ResourceType<T>;
  /** Undefined: the whole cluster. */
  readonly namespace: string | undefined;
  readonly labelSelector?: string;
  readonly cache: FillableCache<T>;
  readonly client: KubernetesClient;
  readonly connection: Connection;
  /** Real time, since delays here depend on the transport. */
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly missing: MissingLists;
  /** The name of the list, by {@link listName}. */
  readonly list: string;
}

/** client-go waits up to 30 s. The few watches of a process may try more often: visits wait for them. */
const backOff = { firstMs: 800, longestMs: 5_000, spread: 1 };
const goodAfterMs = 120_000;
const suspiciouslyShortMs = 1_000;

/** Keeps a cache equal to the API server until the signal aborts. Never throws. */
export async function reflect<T extends KubernetesObject>(
  options: ReflectorOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  const state: State = {
    resourceVersion: undefined,
    seen: 0n,
    isDoubtful: false,
    canStreamList: true,
    failures: 0,
    since: performance.now(),
    expiredAt: -Infinity,
  };
  while (!signal.aborted) {
    try {
      const begunAt = performance.now();
      const events = await follow(options, state, signal);
      if (performance.now() - begunAt < suspiciouslyShortMs && events === 0)
        throw new Error('the server closed the watch at once');
    } catch (error) {
      if (signal.aborted) return;
      const isInvalid = error instanceof KubernetesError && error.kind === 'invalid';
      if (isInvalid && state.resourceVersion === undefined && state.canStreamList) {
        state.canStreamList = false;
        continue; // with a list
      }
      state.isDoubtful = true;
      options.cache.doubted(options.namespace);
      const isExpired = error instanceof KubernetesError && error.kind === 'gone';
      // Expiry is normal, but a new list is expensive: a second expiry soon after the first waits.
      const isTrouble = !isExpired || performance.now() - state.expiredAt < goodAfterMs;
      if (isExpired) {
        state.resourceVersion = undefined;
        state.expiredAt = performance.now();
      }
      const delayMs = isTrouble
        ? Math.max(
            backOffMs(failuresBefore(state), backOff, options.random()),
            askedToWaitMs(error),
          )
        : 0;
      if (isTrouble) {
        const fields = {
          watch: options.list,
          error: String(error),
          retryInMs: Math.round(delayMs),
        };
        options.log.debug(fields, 'the watch broke; it is opened again');
        options.missing.failed(options.list, error);
      }
      await options.clock.sleep(delayMs, signal).catch(() => undefined); // aborted: the loop ends
    }
  }
}

interface State {
  /** Where to continue; undefined to list anew. */
  resourceVersion: string | undefined;
  /** The newest known version. */
  seen: bigint;
  /** The connection broke. */
  isDoubtful: boolean;
  /** Whether the server may stream its list (WatchList). Servers before Kubernetes 1.34 refuse to. */
  canStreamList: boolean;
  failures: number;
  since: number;
  /** Steady time of the last 410 of the server. */
  expiredAt: number;
}

function failuresBefore(state: State): number {
  if (performance.now() - state.since > goodAfterMs) state.failures = 0;
  state.since = performance.now();
  return state.failures++;
}

/** Runs a watch to its end, after a list if needed. Returns the number of events. */
async function follow<T extends KubernetesObject>(
  options: ReflectorOptions<T>,
  state: State,
  signal: AbortSignal,
): Promise<number> {
  const { cache, type, connection } = options;
  await doubt(options, state, signal);
  if (state.resourceVersion === undefined)
    state.seen = later(state.seen, cache.newest(options.namespace).version);
  if (state.resourceVersion === undefined && !state.canStreamList)
    await listAll(options, state, signal);
  // Objects may change until the list is complete.
  let initial: Map<ResourceKey, T> | undefined =
    state.resourceVersion === undefined ? new Map() : undefined;
  let events = 0;
  const stream = watch(type, connection, {
    namespace: options.namespace,
    labelSelector: options.labelSelector,
    resourceVersion: state.resourceVersion,
    sendInitialEvents: initial !== undefined,
    timeoutSeconds: 300 + Math.floor(options.random() * 300),
    signal,
  });
  for await (const event of stream) {
    events += 1;
    if (event.type === 'bookmark') {
      if (event.initialEnd && initial) {
        takeIn(options, state, [...initial.values()], event.resourceVersion);
        initial = undefined;
      }
    } else if (event.type === 'applied') {
      const object = !initial && isCached(cache, event) ? undefined : read(options, event.object);
      if (object && initial) initial.set(keyOf(object), object);
      else if (object) cache.apply(object);
    } else if (initial) {
      initial.delete(event.key);
    } else {
      const object = read(options, event.object) ?? lastSeen(cache, event);
      if (object) cache.remove(object);
    }
    // The version counts only once everything before it is in the cache.
    if (!initial) {
      reach(options, state, event.resourceVersion);
      options.missing.works(options.list);
    }
  }
  if (initial) throw new Error('the server closed the watch before its list was complete');
  return events;
}

async function listAll<T extends KubernetesObject>(
  options: ReflectorOptions<T>,
  state: State,
  signal: AbortSignal,
): Promise<void> {
  const { client, type, namespace, labelSelector, missing } = options;
  const readable = { ...type, parse: (value: unknown) => read(options, value) };
  const { items, resourceVersion } = await listPages(client, readable, {
    namespace,
    labelSelector,
    signal,
  });
  const objects = items.filter((item) => item !== undefined);
  takeIn(options, state, objects, resourceVersion);
  reach(options, state, resourceVersion);
  missing.works(options.list);
}

/** Takes in a complete list. A list older than the newest version known at its request shows that the server was restored. */
function takeIn<T extends KubernetesObject>(
  { cache, namespace, log, list }: ReflectorOptions<T>,
  state: State,
  objects: readonly T[],
  resourceVersion: string,
): void {
  const isOlder = BigInt(resourceVersion) < state.seen;
  if (isOlder) {
    state.seen = 0n;
    cache.rewind(namespace, objects, resourceVersion);
  }
  if (isOlder || cache.replace(namespace, objects, resourceVersion))
    log.warn(
      { watch: list },
      'the API server was restored from a backup: its present state counts',
    );
  state.isDoubtful = false;
}

function reach<T extends KubernetesObject>(
  { cache, namespace }: ReflectorOptions<T>,
  state: State,
  resourceVersion: string,
): void {
  state.resourceVersion = resourceVersion;
  cache.reached(namespace, resourceVersion);
  state.seen = later(state.seen, BigInt(resourceVersion));
}

/** Proves the history of the server after a break. (docs/architecture.md, Caches) */
async function doubt<T extends KubernetesObject>(
  options: ReflectorOptions<T>,
  state: State,
  signal: AbortSignal,
): Promise<void> {
  if (!state.isDoubtful || state.resourceVersion === undefined) return;
  const { cache, client, namespace } = options;
  const { version, object } = cache.newest(namespace);
  const found =
    object &&
    (await client.get({ ...options.type, parse: (value) => value }, keyOf(object), { signal }));
  const isProven =
    object !== undefined && found !== undefined && isDeepStrictEqual(read(options, found), object);
  // The writes of this process may be ahead of the watch.
  const isAhead = version > BigInt(state.resourceVersion);
  if (!isProven) state.resourceVersion = undefined;
  else reach(options, state, isAhead ? state.resourceVersion : String(version));
  state.isDoubtful = false;
}

function later(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

type ObjectEvent = Exclude<WatchEvent, { type: 'bookmark' }>;

/** Whether the cache has this very version, mostly from a write of this process whose reply came first. */
function isCached(
  cache: FillableCache<KubernetesObject>,
  { key, uid, resourceVersion }: ObjectEvent,
): boolean {
  const known = cache.get(key)?.metadata;
  return known !== undefined && known.uid === uid && known.resourceVersion === resourceVersion;
}

/** The cached object for a deleted object that does not parse, in the version of its deletion. */
function lastSeen<T extends KubernetesObject>(
  cache: FillableCache<T>,
  event: ObjectEvent,
): T | undefined {
  const known = cache.get(event.key);
  return (
    known && { ...known, metadata: { ...known.metadata, resourceVersion: event.resourceVersion } }
  );
}

function read<T extends KubernetesObject>(
  { type, log, list }: ReflectorOptions<T>,
  value: unknown,
): T | undefined {
  try {
    return type.parse(value);
  } catch (error) {
    log.error(
      { watch: list, error: String(error) },
      'an object could not be read and is left alone',
    );
    return undefined;
  }
}

/** The reflectors of a process. */
export interface Watches {
  /**
   * Starts {@link reflect}, until the signal aborts.
   * @param where a namespace (undefined for all) and a label selector
   */
  into<T extends KubernetesObject>(
    type: ResourceType<T>,
    cache: FillableCache<T>,
    where: { readonly namespace: string | undefined; readonly labelSelector?: string },
    signal: AbortSignal,
  ): void;
  /** Resolves once all watches have ended. */
  ended(): Promise<void>;
}

/** Makes an empty set of reflectors, which share these parts. */
export function watches(
  parts: Pick<ReflectorOptions<never>, 'client' | 'connection' | 'random' | 'log' | 'missing'>,
): Watches {
  const running = new Set<Promise<void>>();
  return {
    into(type, cache, where, signal) {
      const list = listName(type, where);
      const reflection = reflect(
        { ...parts, ...where, type, cache, list, clock: systemClock },
        signal,
      ).finally(() => {
        running.delete(reflection);
        parts.missing.forget(list);
      });
      running.add(reflection);
    },
    async ended() {
      await Promise.all(running);
    },
  };
}

/** Lists that the caches need, and that the API server has refused for a while. An outage is reported elsewhere. */
export interface MissingLists {
  /** Such as `the list of configmaps in the namespace shop: forbidden (403)`. */
  readonly reasons: readonly string[];
  /**
   * Records that a list, or its watch, failed and is tried again.
   * @param list as named by {@link listName}
   */
  failed(list: string, error: unknown): void;
  /** Records that a list, or its watch, works. */
  works(list: string): void;
  /** No cache needs the list any more. */
  forget(list: string): void;
}

/** For a moment after its start, an API server has no roles and definitions: it refuses everything. Real time. */
const patienceMs = 10_000;

/**
 * Makes an empty record of missing lists. It logs a line when a list is missing, and another when
 * it is available again.
 */
export function missingLists(log: Log): MissingLists {
  const failing = new Map<string, { readonly since: number; reason?: string }>();
  return {
    get reasons() {
      return [...failing].flatMap(([list, { reason }]) =>
        reason === undefined ? [] : `the list of ${list}: ${reason}`,
      );
    },
    failed(list, error) {
      if (isAway(error)) return;
      const state = failing.get(list) ?? { since: performance.now() };
      failing.set(list, state);
      const isRefusal = error instanceof KubernetesError;
      const reason = isRefusal
        ? `${error.kind}${error.status === undefined ? '' : ` (${error.status})`}`
        : String(error);
      if (performance.now() - state.since < patienceMs || reason === state.reason) return;
      state.reason = reason;
      log.warn(
        { list, error: String(error) },
        'a list is missing: changes in it are not seen, and no process begins to work without it',
      );
    },
    works(list) {
      if (failing.get(list)?.reason !== undefined)
        log.info({ list }, 'a list that was missing is available again');
      failing.delete(list);
    },
    forget: (list) => void failing.delete(list),
  };
}

/** The name of a list in logs and reasons: `deployments.apps in the namespace shop`, `namespaces/shop`. */
export function listName(
  { plural, group, onlyName }: ResourceType<unknown>,
  {
    namespace,
    labelSelector,
  }: { readonly namespace: string | undefined; readonly labelSelector?: string },
): string {
  const where = namespace === undefined ? '' : ` in the namespace ${namespace}`;
  const object = onlyName === undefined ? '' : `/${onlyName}`;
  return `${plural}${group === '' ? '' : `.${group}`}${object}${labelSelector === undefined ? '' : ` with ${labelSelector}`}${where}`;
}
