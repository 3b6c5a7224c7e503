import { expect, test } from 'vitest';
import { wireWakeUps } from '../../../../src/reconcile/wiring/wake-ups.ts';
import { replicaSets } from '../../../../src/resources/replica-set.ts';
import { ledgerCache } from '../../../support/ledger-cache.ts';
import { entryFor } from '../../../support/ledger-entry.ts';
import { serviceObject } from '../../../support/situation.ts';

const orders = serviceObject({}, {}, { status: { id: 'svc-1' } });
const set = replicaSets.parse({
  metadata: { name: 'reads', namespace: 'shop', uid: 'r', resourceVersion: '1' },
  spec: { serviceId: 'svc-1', nodes: 1, cpuMillis: 1000, memoryGbs: 4 },
});

test.each(['removed', 'another id', 'removed, then the object goes'])(
  'a ledger entry that is %s wakes the replica set that names its service by id',
  (how) => {
    const caches = ledgerCache([orders, set], [entryFor(orders, { id: 'svc-1', projectId: 'p' })]);
    const heard: string[] = [];
    wireWakeUps(caches, (k, key) => heard.push(`${k}/${key}`));
    if (how === 'another id')
      caches.ledger.entries.wrote(entryFor(orders, { id: 'svc-2', projectId: 'p' }, '2'));
    else caches.ledger.entries.remove(entryFor(orders, { id: 'svc-1', projectId: 'p' }, '2'));
    if (how.endsWith('goes'))
      caches
        .of('ManagedService')
        .remove({ ...orders, metadata: { ...orders.metadata, resourceVersion: '3' } });
    expect(heard).toContain('ReplicaSet/shop/reads');
  },
);
