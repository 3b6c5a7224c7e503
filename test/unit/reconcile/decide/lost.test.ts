import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../support/default-options.ts';
import { notReady } from '../../../support/asking-statuses.ts';
import { allDecide, creates, decides } from '../../../support/policy-rows.ts';
import { noon, recordOf, serviceSituation } from '../../../support/situation.ts';
import { visitOf } from '../../../support/visit.ts';
import { serviceKind } from '../../../../src/reconcile/kinds/service/kind.ts';
import { conclude } from '../../../../src/reconcile/report/conclude.ts';

const observe = { managementPolicy: 'Observe' };
const onlyLooks = { options: { ...defaultOptions, managementPolicy: 'Observe' } } as const;
const absent = { cloud: { state: 'absent' } } as const;
const lost = { ...absent, annotations: { 'managed-db.io/allow-recreate': 'svc-1' } } as const;
const creating = {
  type: 'call',
  reason: 'Creating',
  message: 'creating the service',
  action: creates(),
} as const;
const remaking = { ...creating, action: creates({ record: recordOf('svc-1') }) } as const;
const unreadable = { name: 5 };
const found = { adoption: { state: 'found', id: 'svc-2', projectId: 'prj-1' } } as const;

describe('a recorded resource', () => {
  const isLost = {
    type: 'stall',
    reason: 'Lost',
    message:
      'service svc-1 is gone from the cloud (404): restore it there, or delete this object, or annotate managed-db.io/allow-recreate=svc-1 for an empty service',
  } as const;
  const onlyThat = { ...isLost, message: 'restore it there, or delete this object' } as const;
  allDecide([
    ['is Lost when it is absent, and is not recreated without permission', absent, isLost],
    [
      'is Lost, also when allow-recreate names a different id',
      { ...absent, annotations: { 'managed-db.io/allow-recreate': 'svc-0' } },
      {
        ...isLost,
        message:
          'or correct the annotation to managed-db.io/allow-recreate=svc-1 for an empty service',
      },
    ],
    ['is Lost, also when the spec cannot be read', { ...absent, spec: unreadable }, isLost],
    ['is Lost, also when a second resource is to be adopted', { ...absent, ...found }, isLost],
    ['is Lost, also when it was only observed', { ...absent, spec: observe }, onlyThat],
    ['is Lost, also when the operator only observes', { ...absent, ...onlyLooks }, onlyThat],
    ['is recreated when allow-recreate names its id', lost, remaking],
    ...['svc-0', 'svc-1'].map(
      (id) =>
        [
          `ends the permission for the recreation of ${id} once it exists`,
          { annotations: { 'managed-db.io/allow-recreate': id } },
          {
            type: 'write',
            action: { type: 'dropAnnotations', names: ['managed-db.io/allow-recreate'] },
            message: 'exists: managed-db.io/allow-recreate is not needed any more',
          },
        ] as const,
    ),
    [
      'is waited for while its absence is not proven',
      { cloud: { state: 'missing', again: noon + 5_000 } },
      {
        type: 'wait',
        reason: 'WaitingForCloud',
        afterMs: 5_000,
        message: 'the cloud does not show service svc-1 yet',
      },
    ],
    [
      'stays Lost after a restart, while its absence is proven again',
      {
        cloud: { state: 'missing', again: noon + 5_000 },
        status: { ...notReady('Stalled', 'Lost'), id: 'svc-1' },
      },
      { type: 'stall', reason: 'Lost', retryAfterMs: 5_000, message: 'there' },
    ],
    [
      'is waited for while its absence is not proven, although an earlier resource was Lost',
      {
        cloud: { state: 'missing', again: noon + 5_000 },
        status: { ...notReady('Stalled', 'Lost'), id: 'svc-0' },
      },
      {
        type: 'wait',
        reason: 'WaitingForCloud',
        afterMs: 5_000,
        message: 'the cloud does not show service svc-1 yet',
      },
    ],
    [
      'is looked for at once when the look is due',
      { cloud: { state: 'missing', again: noon - 1 } },
      {
        type: 'wait',
        reason: 'WaitingForCloud',
        afterMs: 0,
        message: 'the cloud does not show service svc-1 yet',
      },
    ],
    [
      'is not recreated while its absence is not proven, also with allow-recreate',
      { ...lost, cloud: { state: 'missing', again: noon + 5_000 } },
      {
        type: 'wait',
        reason: 'WaitingForCloud',
        afterMs: 5_000,
        message: 'the cloud does not show service svc-1 yet',
      },
    ],
    [
      'is not recreated while it was not looked for',
      { ...lost, cloud: { state: 'none' } },
      {
        type: 'keep',
        delayedReport: { type: 'wait', reason: 'WaitingForCloud', afterMs: 5_000 },
        message: 'the service could not be read',
      },
    ],
    [
      'is not recreated while it cannot be read',
      { ...lost, cloud: { state: 'unknown', error: undefined } },
      {
        type: 'keep',
        delayedReport: { type: 'wait', reason: 'WaitingForCloud', afterMs: 5_000 },
        message: 'the service could not be read',
      },
    ],
  ]);
  decides([
    [
      'is Lost, and the message of an object that only observes offers no recreation',
      { ...absent, spec: observe },
      {
        type: 'stall',
        reason: 'Lost',
        message:
          'service svc-1 is gone from the cloud (404): restore it there, or delete this object',
      },
    ],
  ]);
});

test('a permission for a recreation that a GitOps tool writes again after its removal stays, and holds nothing up', () => {
  const permission = { annotations: { 'managed-db.io/allow-recreate': 'svc-0' } };
  const situation = serviceSituation(permission);
  const drop = serviceKind.decide(situation);
  expect(drop).toMatchObject({ type: 'write' });
  const outcome = { type: 'done', object: situation.object } as const;
  const { removedAnnotations } = conclude(
    visitOf(serviceKind, situation, drop, { outcome }),
  ).memory;
  const next = serviceSituation({ ...permission, removedAnnotations });
  expect(serviceKind.decide(next)).toMatchObject({ type: 'done', reason: 'Available' });
  const corrected = { annotations: { 'managed-db.io/allow-recreate': 'svc-1' } };
  expect(serviceKind.decide(serviceSituation({ ...corrected, removedAnnotations }))).toMatchObject({
    type: 'write',
    action: drop.type === 'write' ? drop.action : undefined,
  });
});
