import { expect, test } from 'vitest';
import { CloudError } from '../../../../src/cloud/cloud-error.ts';
import { serviceId } from '../../../../src/cloud/wire/service.ts';
import { decideService, serviceKind } from '../../../../src/reconcile/kinds/service/kind.ts';
import { conclude } from '../../../../src/reconcile/report/conclude.ts';
import { statusAfter } from '../../../../src/reconcile/report/status.ts';
import type { Outcome } from '../../../../src/reconcile/step/outcome.ts';
import { call, wait } from '../../../../src/reconcile/step/step.ts';
import { memoryAbout, type Remembered } from '../../../../src/reconcile/wiring/memory.ts';
import { connectionWrite } from '../../../support/our-secret.ts';
import { serviceObject, serviceSituation } from '../../../support/situation.ts';
import { freshMemory, visitOf } from '../../../support/visit.ts';

/** Requests about a lost resource, and their results, do not apply to its replacement. (docs/safety.md, Changing) */

const operation = {
  operation: 'resizeService',
  from: '1000m/4GB',
  wanted: '2000m/8GB',
  generation: 1,
};
const accepted = { ...operation, at: '2026-11-21T11:00:00.000Z' };

const known: Remembered = {
  ...freshMemory(),
  failures: 2,
  resource: 'svc-1',
  refusals: new Map([
    [
      'resizeService 2000m/8GB',
      { generation: 1, again: 0, times: 3, isUnclear: false, step: wait('Resizing', 'refused') },
    ],
  ]),
  accepted,
  asWanted: { environment: 'DEV' },
  passwordUnansweredAt: 1,
  neverSent: '7',
};

test('a process forgets its requests about a resource once another resource has its place', () => {
  expect(memoryAbout(known, 'svc-2')).toEqual({
    failures: 2,
    resource: 'svc-2',
    refusals: new Map(),
    firstSeen: new Map(),
  });
});

test.each([
  ['its resource is the same', 'svc-1'],
  ['its resource is not known', undefined],
])('a process keeps its requests while %s', (_, id) => {
  expect(memoryAbout(known, id)).toEqual(known);
});

test.each<[string, string | undefined, Outcome, string]>([
  ['its record', undefined, { type: 'nothing' }, 'svc-1'],
  [
    'an adoption',
    'svc-0',
    { type: 'done', object: serviceObject(), accepted: { operation: 'adopt', wanted: 'svc-2' } },
    'svc-2',
  ],
])('the memory of an object is about the resource of %s', (_, resource, outcome, expected) => {
  const memory = { ...freshMemory(), resource };
  const visit = visitOf(serviceKind, serviceSituation(), wait('Resizing', ''), { memory, outcome });
  expect(conclude(visit).memory.resource).toBe(expected);
});

test.each<[string, Outcome, string | undefined]>([
  [
    'was sent, and could not be recorded',
    { type: 'conflict', step: wait('Resizing', '') },
    undefined,
  ],
  ['was accepted', { type: 'done', object: serviceObject() }, undefined],
  [
    'was not sent',
    {
      type: 'failed',
      error: new CloudError({
        operation: 'updateServicePassword',
        kind: 'rateLimited',
        sent: false,
        fromApi: false,
      }),
      object: serviceObject(),
      remember: { neverSent: '8' },
    },
    '8',
  ],
])('a password that %s counts as never sent, or not', (_, outcome, expected) => {
  const step = call(
    {
      type: 'setPassword',
      id: serviceId.parse('svc-1'),
      origin: 'rotation 1',
      source: undefined,
      supersedes: false,
      write: connectionWrite(),
    },
    { reason: 'RotatingPassword', message: '' },
  );
  const visit = visitOf(serviceKind, serviceSituation(), step, { memory: known, outcome });
  expect(conclude(visit).memory.neverSent).toBe(expected);
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
