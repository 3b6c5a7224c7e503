import { expect, test } from 'vitest';
import { definitionReader } from '../../../../src/reconcile/wiring/custom-resource-definition.ts';
import {
  resourceTypes,
  type Kind,
  type ManagedObject,
} from '../../../../src/resources/managed-object.ts';
import { objectCache, type KubernetesClient } from '../../../../src/runtime/index.ts';
import { handClock } from '../../../support/hand-clock.ts';

const kind: Kind = 'ManagedService';

/** A reader with a cache of objects in deletion. Each read ends when the test settles it. */
function world(known: readonly ManagedObject[] = []) {
  const clock = handClock();
  const cache = objectCache<ManagedObject>([undefined]);
  for (const object of known) cache.apply(object);
  const reads: PromiseWithResolvers<undefined>[] = [];
  const kubernetes: Pick<KubernetesClient, 'get'> = {
    get() {
      const read = Promise.withResolvers<undefined>();
      reads.push(read);
      return read.promise;
    },
  };
  const definitionOf = definitionReader(kubernetes, [cache], clock, () => undefined);
  return {
    clock,
    cache,
    reads,
    definitionOf,
    /** Answers the reads that began, and waits for their callers. */
    answered: async (asked: readonly Promise<unknown>[]) => {
      await settled();
      for (const read of reads) read.resolve(undefined);
      await Promise.all(asked);
    },
  };
}

let version = 1;

function deleted(name: string): ManagedObject {
  version += 1;
  return resourceTypes[kind].parse({
    kind,
    metadata: {
      name,
      namespace: 'shop',
      uid: name,
      resourceVersion: String(version),
      generation: 1,
      deletionTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { cpuMillis: 1_000, memoryGbs: 4 },
  });
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('hundreds of deletions that the process has seen share a single read, and none waits for a second read', async () => {
  const { cache, reads, definitionOf, answered, clock } = world();
  const objects = Array.from({ length: 300 }, (_, index) => deleted(`s${index}`));
  for (const object of objects) cache.apply(object);
  await answered(objects.slice(0, 32).map((object) => definitionOf(kind, object)));
  clock.pass(1_900);
  await Promise.all(objects.slice(32).map((object) => definitionOf(kind, object)));
  expect(reads.length).toBe(1);
});

test('deletions that were in the cache at the start share a read, too', async () => {
  const objects = [deleted('a'), deleted('b')];
  const { reads, definitionOf, answered, clock } = world(objects);
  for (const object of objects) {
    await answered([definitionOf(kind, object)]);
    clock.pass(100);
  }
  expect(reads.length).toBe(1);
});

test.each<[string, (its: ReturnType<typeof world>) => ManagedObject | undefined]>([
  [
    'the deletion of the object was seen after the read began',
    ({ cache }) => {
      const later = deleted('later');
      cache.apply(later);
      return later;
    },
  ],
  [
    'the object in deletion has changed since',
    ({ cache }) => {
      const changed = deleted('first');
      cache.apply(changed);
      return changed;
    },
  ],
  [
    'the read is more than two seconds old',
    ({ clock, cache }) => {
      clock.pass(2_001);
      return [...cache.values()][0];
    },
  ],
  ['the cache does not have the object', () => deleted('unseen')],
  ['the caller names no object in deletion', () => undefined],
])('a new read begins if %s', async (_, next) => {
  const its = world();
  const first = deleted('first');
  its.cache.apply(first);
  await its.answered([its.definitionOf(kind, first)]);
  its.clock.pass(10);
  const object = next(its);
  await its.answered([its.definitionOf(kind, object)]);
  expect(its.reads.length).toBe(2);
});

test('a failed read fails only its callers: the next deletion reads anew', async () => {
  const { cache, reads, definitionOf } = world();
  const object = deleted('a');
  cache.apply(object);
  const asked = definitionOf(kind, object);
  await settled();
  reads[0]?.reject(new Error('away'));
  await expect(asked).rejects.toThrow('away');
  const again = definitionOf(kind, object);
  await settled();
  reads[1]?.resolve(undefined);
  expect(await again).toBeUndefined();
});
