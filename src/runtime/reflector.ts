import { isDeepStrictEqual } from 'node:util';
import { backOffMs, type Clock, systemClock } from './clock.ts';
import type { Connection } from './connection.ts';
import type { KubernetesClient } from './kubernetes-client.ts';
import { askedToWaitMs, isAway, KubernetesError } from './kubernetes-error.ts';
import { keyOf, type KubernetesObject, type ResourceKey, type ResourceType } from './kubernetes-object.ts';
import type { Log } from './log.ts';
import type { FillableCache } from './object-cache.ts';
import { watch, type WatchEvent } from './watch.ts';

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
  /** The first failure in a row. The next attempt mostly succeeds: a CRD was created a moment ago, or a server closed its watches. */
  readonly onHiccup?: (error: unknown) => void;
  /** Called for each later failure in a row. The first success after such a failure calls `onRecovery`. */
  readonly onTrouble: (error: unknown, retryInMs: number) => void;
  readonly onRecovery: () => void;
  /** The API server was restored from a backup, so its history is different. The cache follows the restored state. */
  readonly onRewound?: () => void;
  /** Called for an object that does not parse, and so stays out of the cache. */
  readonly onUnreadable: (error: unknown) => void;
}

const pageSize = 500;
/** client-go waits up to 30 s. The few watches of a process may try more often: nothing goes on before they work again. */
const backOff = { firstMs: 800, longestMs: 5_000, spread: 1 };
const goodAfterMs = 120_000;
const suspiciouslyShortMs = 1_000;

/**
 * Keeps a cache equal to the API server: lists everything, then watches every change. After a break it continues in the
 * known history of the server. Otherwise, such as after a 410, it lists again. Runs until the signal aborts, and never
 * throws.
 */
export async function reflect<T extends KubernetesObject>(options: ReflectorOptions<T>, signal: AbortSignal): Promise<void> {
  const state: State = {
    resourceVersion: undefined,
    seen: 0n,
    isDoubtful: false,
    canStreamList: true,
    failures: 0,
    since: performance.now(),
    expiredAt: -Infinity,
    trouble: 'none',
  };
  while (!signal.aborted) {
    try {
      const begunAt = performance.now();
      const events = await follow(options, state, signal);
      if (performance.now() - begunAt < suspiciouslyShortMs && events === 0) throw new Error('the server closed the watch at once');
    } catch (error) {
      if (signal.aborted) return;
      state.isDoubtful = true;
      options.cache.doubted(options.namespace);
      const isExpired = error instanceof KubernetesError && error.kind === 'gone';
      // Expiry is normal, but a new list is expensive: a second expiry soon after the first waits.
      const isTrouble = !isExpired || performance.now() - state.expiredAt < goodAfterMs;
      if (isExpired) {
        state.resourceVersion = undefined;
        state.expiredAt = performance.now();
      }
      if (error instanceof KubernetesError && error.kind === 'invalid' && state.resourceVersion === undefined) state.canStreamList = false;
      const delayMs = isTrouble ? Math.max(backOffMs(failuresBefore(state), backOff, options.random()), askedToWaitMs(error)) : 0;
      if (isTrouble) {
        if (state.trouble === 'none') options.onHiccup?.(error);
        else options.onTrouble(error, delayMs);
        state.trouble = state.trouble === 'none' ? 'once' : 'reported';
      }
      await options.clock.sleep(delayMs, signal).catch(() => undefined); // aborted: the loop ends
    }
  }
}

interface State {
  /** Where to continue; undefined to list anew. */
  resourceVersion: string | undefined;
  /** The newest known version. Only a restored server lists an older version. */
  seen: bigint;
  /** The connection broke: another server may answer now, or a restored server. */
  isDoubtful: boolean;
  /** Whether the server can stream its list (WatchList); older servers cannot. */
  canStreamList: boolean;
  failures: number;
  since: number;
  /** Steady time of the last 410 of the server. */
  expiredAt: number;
  /** Failures since the last success: none, the first (a hiccup), or reported failures. */
  trouble: 'none' | 'once' | 'reported';
}

/** Returns the earlier failures in a row, and counts the present failure. */
function failuresBefore(state: State): number {
  if (performance.now() - state.since > goodAfterMs) state.failures = 0;
  state.since = performance.now();
  return state.failures++;
}

/** Runs a watch to its end, after a list if needed. Returns the number of events. */
async function follow<T extends KubernetesObject>(options: ReflectorOptions<T>, state: State, signal: AbortSignal): Promise<number> {
  const { cache, type, connection } = options;
  await doubt(options, state, signal);
  if (state.resourceVersion === undefined) state.seen = later(state.seen, cache.newest(options.namespace).version);
  if (state.resourceVersion === undefined && !state.canStreamList) await listAll(options, state, signal);
  // Objects go on changing until the list is complete.
  let initial: Map<ResourceKey, T> | undefined = state.resourceVersion === undefined ? new Map() : undefined;
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
      works(options, state);
    }
  }
  if (initial) throw new Error('the server closed the watch before its list was complete');
  return events;
}

async function listAll<T extends KubernetesObject>(options: ReflectorOptions<T>, state: State, signal: AbortSignal): Promise<void> {
  const { client, type, namespace, labelSelector } = options;
  const items: T[] = [];
  let page: string | undefined;
  let resourceVersion = '';
  do {
    const list = await client.list(
      { ...type, parse: (value) => value },
      { namespace, labelSelector, limit: pageSize, continue: page, signal },
    );
    for (const item of list.items) {
      const object = read(options, item);
      if (object) items.push(object);
    }
    ({ resourceVersion } = list);
    page = list.continue;
  } while (page !== undefined);
  takeIn(options, state, items, resourceVersion);
  reach(options, state, resourceVersion);
  works(options, state);
}

/** Takes in a complete list. A list older than the newest version known at its request shows that the server was restored. */
function takeIn<T extends KubernetesObject>(
  { cache, namespace, onRewound }: ReflectorOptions<T>,
  state: State,
  objects: readonly T[],
  resourceVersion: string,
): void {
  const isOlder = BigInt(resourceVersion) < state.seen;
  if (isOlder) {
    state.seen = 0n;
    cache.rewind(namespace, objects, resourceVersion);
  }
  if (isOlder || cache.replace(namespace, objects, resourceVersion)) onRewound?.();
  state.isDoubtful = false;
}

function reach<T extends KubernetesObject>({ cache, namespace }: ReflectorOptions<T>, state: State, resourceVersion: string): void {
  state.resourceVersion = resourceVersion;
  cache.reached(namespace, resourceVersion);
  state.seen = later(state.seen, BigInt(resourceVersion));
}

/** A complete list or an event ends the trouble. */
function works<T extends KubernetesObject>({ onRecovery }: ReflectorOptions<T>, state: State): void {
  if (state.trouble === 'reported') onRecovery();
  state.trouble = 'none';
}

/**
 * After a break, a server that was restored from a backup may answer. A watch would miss its differences, and its
 * version proves nothing. If the newest cached object is unchanged there, the history up to its version is the same.
 * Where a list or a deletion is newer, only another list helps.
 */
async function doubt<T extends KubernetesObject>(options: ReflectorOptions<T>, state: State, signal: AbortSignal): Promise<void> {
  if (!state.isDoubtful || state.resourceVersion === undefined) return;
  const { cache, client, namespace } = options;
  const { version, object } = cache.newest(namespace);
  const found = object && (await client.get({ ...options.type, parse: (value) => value }, keyOf(object), { signal }));
  const isProven = object !== undefined && found !== undefined && isDeepStrictEqual(read(options, found), object);
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
function isCached(cache: FillableCache<KubernetesObject>, { key, uid, resourceVersion }: ObjectEvent): boolean {
  const known = cache.get(key)?.metadata;
  return known !== undefined && known.uid === uid && known.resourceVersion === resourceVersion;
}

/** The cached object for a deleted object that does not parse, in the version of its deletion. */
function lastSeen<T extends KubernetesObject>(cache: FillableCache<T>, event: ObjectEvent): T | undefined {
  const known = cache.get(event.key);
  return known && { ...known, metadata: { ...known.metadata, resourceVersion: event.resourceVersion } };
}

function read<T extends KubernetesObject>({ type, onUnreadable }: ReflectorOptions<T>, value: unknown): T | undefined {
  try {
    return type.parse(value);
  } catch (error) {
    onUnreadable(error);
    return undefined;
  }
}

export interface Watches {
  /** Keeps a cache equal to the API server until the signal aborts. @param where a namespace (undefined for all) and a label selector */
  into<T extends KubernetesObject>(
    type: ResourceType<T>,
    cache: FillableCache<T>,
    where: { readonly namespace: string | undefined; readonly labelSelector?: string },
    signal: AbortSignal,
  ): void;
  /** Resolves once all watches have ended. */
  ended(): Promise<void>;
}

export interface WatchesParts extends Pick<ReflectorOptions<never>, 'client' | 'connection' | 'random'> {
  readonly log: Log;
  readonly missing: MissingLists;
}

/** All watches of a process, and the log lines about them. */
export function watches({ log, missing, ...parts }: WatchesParts): Watches {
  const running = new Set<Promise<void>>();
  return {
    into(type, cache, where, signal) {
      const { plural } = type;
      const list = listName(type, where);
      const reflection = reflect(
        {
          ...parts,
          ...where,
          type,
          cache,
          clock: systemClock,
          onTrouble: (error, retryInMs) => {
            log.debug({ watch: plural, error: String(error), retryInMs: Math.round(retryInMs) }, 'the watch broke; it is opened again');
            missing.failed(list, error);
          },
          onHiccup: (error) => log.debug({ watch: plural, error: String(error) }, 'the watch broke once; it is opened again'),
          onRecovery: () => {
            log.debug({ watch: plural }, 'the watch works again');
            missing.works(list);
          },
          onRewound: () => log.warn({ watch: plural }, 'the API server was restored from a backup: its present state counts'),
          onUnreadable: (error) => log.error({ watch: plural, error: String(error) }, 'an object could not be read and is left alone'),
        },
        signal,
      ).finally(() => {
        running.delete(reflection);
        missing.forget(list);
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
  /** A list, or its watch, failed and is tried again. @param list as named by {@link listName} */
  failed(list: string, error: unknown): void;
  works(list: string): void;
  /** No cache needs the list any more. */
  forget(list: string): void;
}

/** For a moment after its start, an API server has no roles and definitions: it refuses everything. Real time. */
const patienceMs = 10_000;

/** @param remedy the way to end a refusal, for the log; empty when only the API server can end it */
export function missingLists(log: Log, remedy: (refusal: KubernetesError) => string = () => ''): MissingLists {
  const failing = new Map<string, { readonly since: number; reason?: string }>();
  return {
    get reasons() {
      return [...failing].flatMap(([list, { reason }]) => (reason === undefined ? [] : `the list of ${list}: ${reason}`));
    },
    failed(list, error) {
      if (isAway(error)) return;
      const state = failing.get(list) ?? { since: performance.now() };
      failing.set(list, state);
      const isRefusal = error instanceof KubernetesError;
      const reason = isRefusal ? `${error.kind}${error.status === undefined ? '' : ` (${error.status})`}` : String(error);
      if (performance.now() - state.since < patienceMs || reason === state.reason) return;
      state.reason = reason;
      const way = isRefusal ? remedy(error) : '';
      const words = 'a list is missing: changes in it are not seen, and no process begins to work without it';
      log.warn({ list, error: String(error) }, way === '' ? words : `${words}; ${way}`);
    },
    works(list) {
      if (failing.get(list)?.reason !== undefined) log.info({ list }, 'a list that was missing is available again');
      failing.delete(list);
    },
    forget: (list) => void failing.delete(list),
  };
}

/** Such as `deployments.apps in the namespace shop`. */
export function listName(
  { plural, group }: ResourceType<unknown>,
  { namespace, labelSelector }: { readonly namespace: string | undefined; readonly labelSelector?: string },
): string {
  const where = namespace === undefined ? '' : ` in the namespace ${namespace}`;
  return `${plural}${group === '' ? '' : `.${group}`}${labelSelector === undefined ? '' : ` with ${labelSelector}`}${where}`;
}
