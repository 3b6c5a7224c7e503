import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { inParallel } from '../support/in-parallel.ts';
import { service } from '../support/manifests.ts';
import type { Cluster } from './cluster.ts';

/** The services of a namespace, as a watch reports them: looking costs the API server next to nothing. */
export interface Fleet extends AsyncDisposable {
  readonly namespace: string;
  /** Applies services of these names, some at a time, as a person does. */
  apply(names: readonly string[], spec?: object): Promise<void>;
  /** Deletes all of them in a single request. */
  deleteAll(): Promise<void>;
  get(name: string): Seen | undefined;
  /** Told of each change of a service from now on. */
  onChange(listener: (seen: Seen) => void): void;
  /** Services that are there, and how many of them are Ready with their newest spec. */
  counts(): { readonly there: number; readonly ready: number };
  untilThere(count: number, seconds: number): Promise<void>;
  untilReady(count: number, seconds: number): Promise<void>;
  untilGone(seconds: number): Promise<void>;
}

export interface Seen {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isReady: boolean;
  readonly id: string | undefined;
  /** The reason of its condition Ready. */
  readonly words: string;
}

const appliesAtOnce = 24;
const frame = z.object({
  type: z.string(),
  object: z.object({
    metadata: z.object({
      name: z.string(),
      uid: z.string(),
      resourceVersion: z.string(),
      generation: z.number(),
    }),
    status: z
      .object({
        id: z.string().optional(),
        conditions: z
          .array(
            z.object({
              type: z.string(),
              status: z.string(),
              observedGeneration: z.number().optional(),
              message: z.string().optional(),
            }),
          )
          .default([]),
      })
      .optional(),
  }),
});

export const servicesPath = (namespace: string) =>
  `/apis/managed-db.io/v1alpha1/namespaces/${namespace}/managedservices`;

/** Names of equal length, so that replayed requests are as long as recorded requests. */
export function names(count: number, from = 0): readonly string[] {
  return Array.from(
    { length: count },
    (_, index) => `orders-${String(from + index).padStart(5, '0')}`,
  );
}

export async function watchFleet(cluster: Cluster, namespace: string): Promise<Fleet> {
  const path = servicesPath(namespace);
  const ending = new AbortController();
  const seen = new Map<string, Seen>();
  const listeners: ((seen: Seen) => void)[] = [];
  let ready = 0;
  let version = '0';
  const watch = () =>
    cluster.stream(
      `${path}?watch=true&resourceVersion=${version}&timeoutSeconds=86400`,
      ending.signal,
    );
  const first = await watch();
  const take = (line: string) => {
    const { type, object } = frame.parse(JSON.parse(line));
    const { name, generation } = object.metadata;
    version = object.metadata.resourceVersion;
    const condition = object.status?.conditions.find((each) => each.type === 'Synced');
    const isReady = condition?.status === 'True' && condition.observedGeneration === generation;
    if (seen.get(name)?.isReady) ready -= 1;
    const now = {
      ...object.metadata,
      isReady,
      id: object.status?.id,
      words: condition?.message ?? 'no status',
    };
    if (type === 'DELETED') seen.delete(name);
    else {
      seen.set(name, now);
      if (isReady) ready += 1;
      for (const listener of listeners) listener(now);
    }
  };
  const following = (async () => {
    // The API server ends the watch of a reader that falls behind, such as a reader that applies many at the
    // same time.
    for (let body = first; !ending.signal.aborted; body = await watch())
      for await (const line of createInterface({ input: Readable.from(body) })) take(line);
  })();
  let broken: unknown;
  following.catch((error: unknown) => (broken = error));
  const until = async (what: string, seconds: number, isSo: () => boolean) => {
    const deadline = performance.now() + seconds * 1_000;
    while (!isSo()) {
      if (broken !== undefined) throw new Error(`the watch broke`, { cause: broken });
      if (performance.now() > deadline)
        throw new Error(
          `${what}: not within ${seconds} s; ${seen.size} are there, ${ready} Ready; ${unready()}`,
        );
      await pause(5);
    }
  };
  const unready = () => {
    const one = [...seen.values()].find(({ isReady }) => !isReady);
    return one ? `${one.name}: ${one.words}` : '';
  };
  return {
    namespace,
    apply: (wanted, spec) =>
      inParallel(wanted, appliesAtOnce, (name) =>
        cluster.send(
          'PATCH',
          `${path}/${name}?fieldManager=person&force=true`,
          service(name, spec),
          'application/apply-patch+yaml',
        ),
      ),
    deleteAll: async () => void (await cluster.send('DELETE', path)),
    get: (name) => seen.get(name),
    onChange: (listener) => void listeners.push(listener),
    counts: () => ({ there: seen.size, ready }),
    untilThere: (count, seconds) => until(`${count} there`, seconds, () => seen.size >= count),
    untilReady: (count, seconds) => until(`${count} Ready`, seconds, () => ready >= count),
    untilGone: (seconds) => until('all gone', seconds, () => seen.size === 0),
    async [Symbol.asyncDispose]() {
      ending.abort();
      await following.catch(() => undefined);
    },
  };
}
