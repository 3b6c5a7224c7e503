import { expect, test } from 'vitest';
import { wireWakeUps } from '../../../src/reconcile/process/wake-ups.ts';
import { claimTable } from '../../../src/reconcile/process/claims.ts';
import { memory } from '../../../src/reconcile/process/memory.ts';
import { reportAbandoned } from '../../../src/reconcile/report/report-abandoned.ts';
import { cloudResourceFinalizer } from '../../../src/resources/annotations.ts';
import { replicaSets } from '../../../src/resources/replica-set.ts';
import { isLetGo, objectCache } from '../../../src/runtime/index.ts';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { handClock } from '../../support/hand-clock.ts';
import { ledgerCache } from '../../support/ledger-cache.ts';
import { entryFor, ledgerEntry } from '../../support/ledger-entry.ts';
import { recordOf, serviceObject } from '../../support/situation.ts';
const orders = serviceObject();
const set = replicaSets.parse({
  metadata: { name: 'reads', namespace: 'shop', uid: 'r', resourceVersion: '1' },
  spec: { serviceId: 'svc-1', nodes: 1, cpuMillis: 1000, memoryGbs: 4 },
});
const ignore = () => undefined;

test.each(['removed', 'another id', 'removed, then the object goes'])(
  'a ledger entry that is %s wakes the replica set that names its service by id',
  (how) => {
    const caches = ledgerCache([orders, set], [entryFor(orders, { id: 'svc-1', projectId: 'p' })]);
    const heard: string[] = [];
    wireWakeUps(caches, (k, key) => heard.push(`${k}/${key}`));
    if (how === 'another id') caches.ledger.entries.wrote(entryFor(orders, { id: 'svc-2', projectId: 'p' }, '2'));
    else caches.ledger.entries.remove(entryFor(orders, { id: 'svc-1', projectId: 'p' }, '2'));
    if (how.endsWith('goes')) caches.of('ManagedService').remove({ ...orders, metadata: { ...orders.metadata, resourceVersion: '3' } });
    expect(heard).toContain('ReplicaSet/shop/reads');
  },
);
test('a process that ended after it took the finalizer off is no reason to report the object as abandoned', () => {
  const caches = operatorCaches(
    { cache: (type) => objectCache([undefined], undefined, (o) => type.kind === 'ManagedService' && isLetGo(o, cloudResourceFinalizer)) },
    'managed-db-ledger',
  );
  const object = serviceObject({}, {}, { metadata: { deletionTimestamp: '2026-11-21T12:00:00Z', finalizers: ['example.com/hook'] } });
  caches.ledger.entries.wrote(
    ledgerEntry({ ...recordOf('svc-1'), deletionStarted: { id: 'svc-1' } }, { deletionTimestamp: '2026-11-21T12:00:00Z' }),
  );
  caches.of('ManagedService').wrote(object);
  const messages: string[] = [];
  reportAbandoned(
    {
      caches,
      claims: claimTable(caches, handClock()),
      clusterUid: 'cluster',
      events: { record: (_o, { message }) => void messages.push(message), flush: () => Promise.resolve() },
      log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
      memory: memory(),
      options: defaultOptions,
    },
    ignore,
  );
  expect(messages).toEqual([]);
});
