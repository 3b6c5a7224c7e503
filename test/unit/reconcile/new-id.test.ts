import { expect, test } from 'vitest';
import { CloudError } from '../../../src/cloud/cloud-error.ts';
import { withNewId } from '../../../src/reconcile/act/new-id.ts';
import { claimTable, isClaimedBesides } from '../../../src/reconcile/process/claims.ts';
import { mayBeNew } from '../../../src/reconcile/record/attempt.ts';
import type { Attempt } from '../../../src/reconcile/record/record.ts';
import { replicaSets, type ReplicaSet } from '../../../src/resources/replica-set.ts';
import { objectCache } from '../../../src/runtime/index.ts';
import { handClock } from '../../support/hand-clock.ts';

/** What a create made has an id that was known nowhere before. (docs/safety.md, What an answer is about) */

const attempt: Attempt = {
  id: 'now',
  at: '2026-11-21T09:00:00.000Z',
  request: { operation: 'createReplicaSet', parentId: 'svc-1', name: 'reads' },
  sameNameIds: ['had-the-name'],
};

function claiming(name: string, record: object): ReplicaSet {
  const annotations = {
    'managed-db.io/record': JSON.stringify({ projectId: 'prj-1', objectUid: name, parentServiceId: 'svc-1', ...record }),
  };
  const metadata = { name, namespace: 'shop', uid: name, resourceVersion: '1', annotations };
  return replicaSets.parse({ metadata, spec: { serviceId: 'svc-1', nodes: 1, cpuMillis: 1000, memoryGbs: 4 } });
}

const cache = objectCache<ReplicaSet>([undefined]);
for (const object of [
  claiming('reads', { id: 'lost', attempt }),
  claiming('other', { id: 'anothers' }),
  claiming('copy', { id: 'copied', createdBy: 'now' }),
  claiming('elsewhere', { id: 'of-another-service', parentServiceId: 'svc-2' }),
])
  cache.apply(object);
const isClaimed = isClaimedBesides(attempt, { kind: 'ReplicaSet', projectId: 'prj-1' }, claimTable([cache], handClock()));

test.each([
  ['nobody knows', 'new', true],
  ['a list showed under the name before', 'had-the-name', false],
  ['another object has', 'anothers', false],
  ['is that of the lost resource which is to be replaced', 'lost', false],
  ['a copy of the record has from this create', 'copied', true],
  ['a replica set of another service has', 'of-another-service', true],
])('an id that %s: %s', (_what, id, isNew) => {
  expect(mayBeNew(attempt, id, isClaimed)).toBe(isNew);
});

test('an answer with an id that was known leaves open what the create made', () => {
  const answer = { id: 'vpc-of-another-tenant' };
  expect(withNewId('createVpc', answer, () => false)).toBe(answer);
  const message = 'createVpc: unreadable: it names a resource that was there before';
  expect(withNewId('createVpc', answer, () => true)).toMatchObject({ kind: 'unreadable', changedNothing: false, message });
});

test('a refusal stays one', () => {
  const refusal = new CloudError({ operation: 'createVpc', kind: 'conflict', status: 409, sent: true, fromApi: true });
  expect(withNewId('createVpc', refusal, () => true)).toBe(refusal);
});
