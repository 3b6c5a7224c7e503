import { expect, test } from 'vitest';
import { operatorCaches } from '../../../../src/operator/caches.ts';
import { restoreFinalizers } from '../../../../src/reconcile/act/restore-finalizers.ts';
import { cloudResourceFinalizer } from '../../../../src/resources/annotations.ts';
import type { EntryContent } from '../../../../src/resources/ledger-entry.ts';
import { objectCache } from '../../../../src/runtime/index.ts';
import { handClock } from '../../../support/hand-clock.ts';
import { entryFor } from '../../../support/ledger-entry.ts';
import { recordOf, serviceObject } from '../../../support/situation.ts';

/** An object that loses its finalizer by another client, while a visit waits for the cloud. */

const finalizers = [cloudResourceFinalizer];
const ignore = () => undefined;

interface Given {
  readonly entry?: Partial<EntryContent>;
  readonly isDeleted?: boolean;
  readonly isOurs?: boolean;
}

/** The patches after another client has removed the finalizer this often, with this pause of policy time before each. */
function patches(
  pausesMs: readonly number[],
  { entry = {}, isDeleted = false, isOurs = true }: Given = {},
) {
  const clock = handClock();
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'managed-db-ledger');
  let version = 1;
  const patched: unknown[] = [];
  const write = (metadata: object, byAnother: boolean) => {
    version += 1;
    const object = serviceObject(
      {},
      {},
      { metadata: { resourceVersion: `${version}`, ...metadata } },
    );
    caches
      .of('ManagedService')
      .wrote(object, byAnother ? serviceObject({ 'managed-db.io/ledger': 'other' }) : undefined);
    return object;
  };
  const first = write({ finalizers }, false);
  caches.ledger.entries.wrote(entryFor(first, { ...recordOf('svc-1'), ...entry }));
  restoreFinalizers({
    caches,
    clock,
    clusterUid: 'cluster',
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    shard: { isOurs: () => isOurs },
    kubernetes: {
      patch(type, _key, body) {
        patched.push(body);
        return Promise.resolve(type.parse(first));
      },
    },
  });
  const times = isDeleted ? { deletionTimestamp: '2026-11-21T12:00:00Z' } : {};
  for (const pauseMs of pausesMs) {
    clock.pass(pauseMs);
    write({ finalizers }, false);
    write({ finalizers: [], ...times }, true);
  }
  return patched;
}

test('a finalizer that another client removes is written back at once, locked to the version without it', () => {
  expect(patches([0])).toMatchObject([
    { metadata: { uid: 'uid', resourceVersion: '4', finalizers } },
  ]);
});

test('a client that removes the finalizer again within ten seconds is left to the rule that backs off', () => {
  expect(patches([0, 9_000])).toHaveLength(1);
  expect(patches([0, 11_000])).toHaveLength(2);
});

test.each<[string, Given]>([
  ['that is being deleted', { isDeleted: true }],
  ['of another process', { isOurs: false }],
  ['whose entry is of another cluster', { entry: { clusterUid: 'production' } }],
  ['without a resource and an open create', { entry: { id: undefined, outcome: undefined } }],
])('the finalizer of an object %s is not written back', (_, given) => {
  expect(patches([0], given)).toEqual([]);
});
