import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { inject } from 'vitest';
import * as z from 'zod';
import { systemClock, type Clock } from '../../../src/runtime/clock.ts';
import {
  connection,
  type Connection,
  type ConnectionOptions,
} from '../../../src/runtime/connection.ts';
import { kubernetesClient, type KubernetesClient } from '../../../src/runtime/kubernetes-client.ts';
import {
  resourceKey,
  type ResourceKey,
  type ResourceType,
} from '../../../src/runtime/kubernetes-object.ts';
import { objectCache, type FillableCache } from '../../../src/runtime/object-cache.ts';
import { reflect } from '../../../src/runtime/reflector.ts';
import { kubeconfig } from '../../../src/runtime/kubeconfig.ts';
import type { ControlPlaneHandle } from '../../control-plane/control-plane.ts';
import { kubeconfigFor, kubeconfigText } from '../../control-plane/kubeconfig.ts';
import { until } from '../../support/until.ts';

const configMap = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    deletionTimestamp: z.string().optional(),
  }),
  data: z.record(z.string(), z.string()).optional(),
});
export type ConfigMap = z.infer<typeof configMap>;

export const configMaps: ResourceType<ConfigMap> = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  parse: (value) => configMap.parse(value),
};
export const namespaces: ResourceType<unknown> = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  parse: (value) => value,
};

export interface LinkOptions extends Partial<Pick<ConnectionOptions, 'intercept' | 'stallMs'>> {
  /** Instead of the API server itself. */
  readonly server?: string;
  readonly token?: string;
}

/** The control plane of the run, or a server in front of it. */
export function apiServer(
  options: Pick<LinkOptions, 'server' | 'token'> = {},
  handle: ControlPlaneHandle = inject('controlPlane'),
) {
  const { server = handle.server, token = handle.adminToken } = options;
  return () =>
    kubeconfig({
      text: kubeconfigText(kubeconfigFor({ server, caData: handle.caData }, { token })),
    }).apiServer();
}

/** A separate connection and client to the control plane of the run. */
export function linked(options: LinkOptions = {}, handle?: ControlPlaneHandle) {
  const { stallMs = 70_000, intercept } = options;
  const link = connection({ apiServer: apiServer(options, handle), stallMs, intercept });
  const client = kubernetesClient({ connection: link, fieldManager: 'test', userAgent: 'test' });
  return { link, client, [Symbol.asyncDispose]: () => link[Symbol.asyncDispose]() };
}

/** A test's own namespace and its objects, through a client without network trouble. */
export interface Shop extends AsyncDisposable {
  readonly namespace: string;
  readonly client: KubernetesClient;
  readonly key: (name: string) => ResourceKey;
  create(name: string, value?: string): Promise<ConfigMap>;
  update(name: string, value: string): Promise<ConfigMap>;
  remove(name: string): Promise<unknown>;
}

export async function shop(handle: ControlPlaneHandle = inject('controlPlane')): Promise<Shop> {
  const { client, [Symbol.asyncDispose]: dispose } = linked({}, handle);
  const namespace = `runtime-${randomBytes(4).toString('hex')}`;
  await client.create(namespaces, undefined, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  const key = (name: string) => resourceKey(namespace, name);
  return {
    namespace,
    client,
    key,
    create: (name, value = '') =>
      client.create(configMaps, namespace, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, labels },
        data: { value },
      }),
    update: (name, value) => client.patch(configMaps, key(name), { data: { value } }),
    remove: (name) => client.delete(configMaps, key(name)),
    [Symbol.asyncDispose]: dispose,
  };
}

/** Excludes the objects that Kubernetes puts into every namespace. */
const labels = { part: 'test' };
const labelSelector = 'part=test';

/** A reflector at work, and its reports. */
export interface Follower extends AsyncDisposable {
  readonly cache: FillableCache<ConfigMap>;
  readonly changes: readonly string[];
  readonly troubles: readonly unknown[];
  /** The list or the watch failed, and has not worked since. */
  readonly isFailing: boolean;
  readonly unreadable: readonly object[];
  readonly rewinds: number;
  /** Waits until the cache holds exactly these values by name. */
  untilHolds(values: Readonly<Record<string, string>>): Promise<void>;
}

export function follow(
  {
    namespace,
    link,
    client,
  }: { readonly namespace: string; readonly link: Connection; readonly client: KubernetesClient },
  options: { readonly clock?: Clock; readonly type?: ResourceType<ConfigMap> } = {},
): Follower {
  const cache = objectCache<ConfigMap>([namespace]);
  const changes: string[] = [];
  const troubles: unknown[] = [];
  const unreadable: object[] = [];
  let isFailing = false;
  let rewinds = 0;
  const stop = new AbortController();
  cache.onChange(({ type, object }) => changes.push(`${type} ${object.metadata.name}`));
  const ended = reflect(
    {
      type: options.type ?? configMaps,
      namespace,
      labelSelector,
      cache,
      client,
      connection: link,
      clock: options.clock ?? systemClock,
      random: () => 0,
      log: {
        debug: () => undefined,
        info: () => undefined,
        warn: () => void (rewinds += 1),
        error: (fields) => void unreadable.push(fields),
      },
      list: 'configmaps',
      missing: {
        reasons: [],
        failed(_list, error) {
          troubles.push(error);
          isFailing = true;
        },
        works: () => void (isFailing = false),
        forget: () => undefined,
      },
    },
    stop.signal,
  );
  const held = () =>
    Object.fromEntries(
      [...cache.values()].map(({ metadata, data }) => [metadata.name, data?.['value'] ?? '']),
    );
  return {
    cache,
    changes,
    troubles,
    unreadable,
    get isFailing() {
      return isFailing;
    },
    get rewinds() {
      return rewinds;
    },
    async untilHolds(values) {
      await until(
        `the cache to hold ${JSON.stringify(values)}`,
        () => cache.synced && isDeepStrictEqual(held(), values),
        () => ({ held: held(), changes, troubles: troubles.map(String) }),
      );
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the test is over'));
      await ended;
    },
  };
}

/** A clock whose sleeps end at once; it remembers how long they should have been. */
export function sleepless(): Clock & { readonly slept: readonly number[] } {
  const slept: number[] = [];
  return {
    ...systemClock,
    slept,
    sleep(delayMs, signal) {
      slept.push(delayMs);
      return systemClock.sleep(Math.min(delayMs, 20), signal);
    },
  };
}
