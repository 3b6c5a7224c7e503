import { expect, test } from 'vitest';
import * as z from 'zod';
import {
  keyOf,
  KubernetesError,
  objectCache,
  patchStatus,
  type KubernetesObject,
  type ResourceType,
} from '../../../src/runtime/index.ts';

interface Greeting extends KubernetesObject {
  readonly metadata: KubernetesObject['metadata'] & {
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly to: string };
  readonly status?: { readonly phase: string };
}

const type: ResourceType<Greeting> = {
  group: 'example.com',
  version: 'v1',
  plural: 'greetings',
  kind: 'Greeting',
  parse: (value) => z.custom<Greeting>().parse(value),
};
const metadata = {
  name: 'monday',
  namespace: 'team-a',
  uid: 'uid-1',
  resourceVersion: '1',
  generation: 1,
  labels: { tier: 'one' },
};
const seen: Greeting = { metadata, spec: { to: 'world' } };

/** Writes a status; the API server answers with this object. Returns whether the cache calls the change its own. */
async function isOwnAfter(answer: Greeting): Promise<boolean | undefined> {
  const cache = objectCache<Greeting>([undefined]);
  cache.replace(undefined, [seen], '1');
  const changes: boolean[] = [];
  cache.onChange(({ own }) => changes.push(own));
  const client = {
    get: () => Promise.resolve(undefined),
    patch: <T>(of: ResourceType<T>) => Promise.resolve(of.parse(answer)),
  };
  await patchStatus(client, type, { object: seen, difference: { phase: 'said' }, cache });
  expect(cache.get(keyOf(seen))).toEqual(answer);
  return changes[0];
}

const written: Greeting = {
  ...seen,
  metadata: { ...metadata, resourceVersion: '3' },
  status: { phase: 'said' },
};

test('a status write that changed only the status counts as an own change', async () => {
  expect(await isOwnAfter(written)).toBe(true);
});

test.each<{ change: string; answer: Greeting }>([
  {
    change: 'the spec',
    answer: {
      ...written,
      spec: { to: 'stranger' },
      metadata: { ...written.metadata, generation: 2 },
    },
  },
  {
    change: 'a label',
    answer: { ...written, metadata: { ...written.metadata, labels: { tier: 'two' } } },
  },
  {
    change: 'an annotation',
    answer: { ...written, metadata: { ...written.metadata, annotations: { ask: 'now' } } },
  },
  {
    change: 'the deletion',
    answer: {
      ...written,
      metadata: { ...written.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    },
  },
])(
  'a status write whose reply shows a foreign change of $change does not count as an own change',
  async ({ answer }) => {
    expect(await isOwnAfter(answer)).toBe(false);
  },
);

test.each<{ live: string; versions: readonly string[]; end: string }>([
  { live: 'the same object', versions: ['1', '2'], end: 'written' },
  { live: 'another object of the name', versions: ['1'], end: 'conflict' },
])(
  'a status write is locked to a version of its object, and ends with $end if a GET after a conflict shows $live',
  async ({ live, versions, end }) => {
    const cache = objectCache<Greeting>([undefined]);
    const locks: unknown[] = [];
    const uid = live === 'the same object' ? 'uid-1' : 'uid-2';
    const newer = { ...written, metadata: { ...metadata, uid, resourceVersion: '2' } };
    const client = {
      get: <T>(of: ResourceType<T>) => Promise.resolve(of.parse(newer)),
      patch<T>(of: ResourceType<T>, _: unknown, body: unknown) {
        locks.push(z.object({ metadata: z.unknown() }).parse(body).metadata);
        return locks.length === 1
          ? Promise.reject(new KubernetesError({ operation: 'patch', kind: 'conflict' }))
          : Promise.resolve(of.parse(written));
      },
    };
    const ended = patchStatus(client, type, { object: seen, difference: { phase: 'said' }, cache });
    expect(
      await ended.then(
        () => 'written',
        ({ kind }: KubernetesError) => kind,
      ),
    ).toBe(end);
    expect(locks).toEqual(versions.map((resourceVersion) => ({ uid: 'uid-1', resourceVersion })));
  },
);
