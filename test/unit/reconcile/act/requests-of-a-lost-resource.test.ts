import { expect, test } from 'vitest';
import { operatorCaches } from '../../../../src/operator/caches.ts';
import { writeRecord } from '../../../../src/reconcile/act/patch-object.ts';
import { decideService, serviceKind } from '../../../../src/reconcile/kinds/service/kind.ts';
import { memory } from '../../../../src/reconcile/wiring/memory.ts';
import { annotationsOf, type ResourceRecord } from '../../../../src/resources/ledger-entry.ts';
import { statusAfter } from '../../../../src/reconcile/report/status.ts';
import { wait } from '../../../../src/reconcile/step/step.ts';
import { annotations, cloudResourceFinalizer } from '../../../../src/resources/annotations.ts';
import { keyOf, objectCache } from '../../../../src/runtime/index.ts';
import { visitOf } from '../../../support/visit.ts';
import { entryFor } from '../../../support/ledger-entry.ts';
import { secretsInMemory } from '../../../support/secrets-in-memory.ts';
import { recordOf, serviceObject, serviceSituation } from '../../../support/situation.ts';

/** Requests about a lost resource, and their results, do not apply to its replacement. (docs/safety.md, Changing) */

const operation = {
  operation: 'resizeService',
  from: '1000m/4GB',
  wanted: '2000m/8GB',
  generation: 1,
};
const accepted = { ...operation, at: '2026-11-21T11:00:00.000Z' };

const object = serviceObject(
  { [annotations.ledger]: 'managedservice-uid' },
  {},
  { metadata: { finalizers: [cloudResourceFinalizer] } },
);

/** The memory of a process after it has written this record over that of svc-1. */
async function memoryAfter(record: ResourceRecord) {
  const entry = entryFor(object, recordOf('svc-1'));
  const texts = entry.content ? annotationsOf(entry.content) : {};
  const { kubernetes } = secretsInMemory([
    { type: 'x', metadata: { ...entry.metadata, annotations: texts }, data: {} },
  ]);
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'managed-db-ledger');
  caches.ledger.entries.wrote(entry);
  const known = memory();
  const own = known.of('ManagedService', keyOf(object));
  own.refusals = new Map([
    [
      'resizeService 2000m/8GB',
      { generation: 1, again: 0, times: 3, step: wait('Resizing', 'refused') },
    ],
  ]);
  Object.assign(own, { accepted, asWanted: { environment: 'DEV' }, passwordUnansweredAt: 1 });
  await writeRecord(object, record, { kubernetes, memory: known, caches, clusterUid: 'cluster' });
  return own;
}

test('a process forgets the request when a second resource is recorded in place of the lost resource', async () => {
  const left = await memoryAfter(recordOf('svc-2'));
  expect(left).toEqual({ failures: 0, refusals: new Map(), firstSeen: new Map() });
});

test('a process keeps the request while the record is about an unchanged resource', async () => {
  const own = await memoryAfter(recordOf('svc-1', { vpcAttachment: 'vpc-1' }));
  expect(own).toMatchObject({
    accepted,
    asWanted: { environment: 'DEV' },
    passwordUnansweredAt: 1,
  });
  expect(own.refusals.size).toBe(1);
});

const shows = (id: string) => ({
  id,
  notApplied: [operation],
  observedGeneration: 1,
  service: { metadata: { environment: 'DEV' } },
  conditions: [
    {
      type: 'Synced',
      status: 'True',
      reason: 'Available',
      message: '',
      lastTransitionTime: accepted.at,
      observedGeneration: 1,
    },
  ],
});
const situationWith = (id: string) =>
  serviceSituation({ status: shows(id), cloud: { state: 'unknown', error: undefined } });

test.each([
  ['the service itself', 'svc-1', [operation]],
  ['a lost one', 'svc-0', undefined],
])(
  'status keeps what came to nothing for %s while the cloud cannot be read, or not',
  (_, id, notApplied) => {
    const situation = situationWith(id);
    const status = statusAfter(
      visitOf(serviceKind, situation, wait('WaitingForCloud', '')),
      undefined,
    );
    expect(status).toMatchObject({ id: 'svc-1', notApplied });
  },
);

test('a service in the place of a lost one that was at work is being created', () => {
  const seen = { status: 'CONFIGURING' };
  const step = (id: string) =>
    decideService(serviceSituation({ status: { id, state: 'READY' }, seen }));
  expect(step('svc-0')).toMatchObject({ type: 'wait', reason: 'Creating' });
  expect(step('svc-1')).toMatchObject({ type: 'wait', reason: 'WaitingForCloud' });
});
