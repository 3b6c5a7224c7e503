import type { Attempt } from '../../../../src/resources/ledger-entry.ts';
import { expect, test } from 'vitest';
import { CloudError } from '../../../../src/cloud/cloud-error.ts';
import { withNewId } from '../../../../src/reconcile/act/record-answer.ts';
import { claimTable, isClaimedBesides } from '../../../../src/reconcile/wiring/claims.ts';
import { mayBeNew } from '../../../../src/reconcile/ledger/attempt.ts';
import { replicaSets } from '../../../../src/resources/replica-set.ts';
import { ledgerCache } from '../../../support/ledger-cache.ts';
import { entryFor } from '../../../support/ledger-entry.ts';
import { handClock } from '../../../support/hand-clock.ts';

/** A newly created resource has an id that was unknown before. (docs/safety.md, What an answer is about) */

const attempt: Attempt = {
  id: 'now',
  at: '2026-11-21T09:00:00.000Z',
  request: { operation: 'createReplicaSet', parentId: 'svc-1', name: 'reads' },
  sameNameIds: ['had-the-name'],
};

const caches = ledgerCache();

function claiming(name: string, record: object): void {
  const metadata = { name, namespace: 'shop', uid: name, resourceVersion: '1' };
  const object = replicaSets.parse({
    metadata,
    spec: { serviceId: 'svc-1', nodes: 1, cpuMillis: 1000, memoryGbs: 4 },
  });
  caches.of('ReplicaSet').wrote(object);
  caches.ledger.entries.wrote(
    entryFor(object, { projectId: 'prj-1', parentServiceId: 'svc-1', ...record }),
  );
}

claiming('reads', { id: 'lost', attempt });
claiming('other', { id: 'anothers' });
claiming('elsewhere', { id: 'of-another-service', parentServiceId: 'svc-2' });
const isClaimed = isClaimedBesides(
  attempt,
  { kind: 'ReplicaSet', projectId: 'prj-1' },
  claimTable(caches, handClock()),
);

test.each([
  ['no list and no object has', 'new', true],
  ['a list showed under the name before', 'had-the-name', false],
  ['a second object has', 'anothers', false],
  ['is that of the lost resource which is to be replaced', 'lost', false],
  ['a replica set of another service has', 'of-another-service', true],
])('an id in a create reply that %s: %s', (_what, id, isNew) => {
  expect(mayBeNew(attempt, id, isClaimed)).toBe(isNew);
});

test('an answer with an id that was known leaves open what the create made', () => {
  const answer = { id: 'vpc-of-another-tenant' };
  expect(withNewId('createVpc', answer, () => false)).toBe(answer);
  const message = 'createVpc: unreadable: it names a resource that was there before';
  expect(withNewId('createVpc', answer, () => true)).toMatchObject({
    kind: 'unreadable',
    changedNothing: false,
    message,
  });
});

test('a refused create with an id in the reply stays a refusal', () => {
  const refusal = new CloudError({
    operation: 'createVpc',
    kind: 'conflict',
    status: 409,
    sent: true,
    fromApi: true,
  });
  expect(withNewId('createVpc', refusal, () => true)).toBe(refusal);
});
