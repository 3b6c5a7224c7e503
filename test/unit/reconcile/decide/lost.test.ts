import { describe } from 'vitest';
import { defaultOptions } from '../../../support/default-options.ts';
import { allDecide, creates, decides } from '../../../support/policy-rows.ts';
import { noon, recordOf } from '../../../support/situation.ts';

const observe = { managementPolicy: 'Observe' };
const onlyLooks = { options: { ...defaultOptions, managementPolicy: 'Observe' } } as const;
const absent = { cloud: { state: 'absent' } } as const;
const lost = { ...absent, annotations: { 'managed-db.io/allow-recreate': 'svc-1' } } as const;
const creating = { type: 'call', reason: 'Creating', message: 'creating the service', action: creates() } as const;
const remaking = { ...creating, action: creates({ record: recordOf('svc-1') }) } as const;
const unreadable = { name: 5 };
const found = { adoption: { state: 'found', id: 'svc-2', projectId: 'prj-1' } } as const;

describe('a resource that was there', () => {
  const isLost = {
    type: 'stall',
    reason: 'Lost',
    message:
      'service svc-1 is gone from the cloud (404): restore it there, or delete this object, or annotate managed-db.io/allow-recreate=svc-1 for an empty one',
  } as const;
  const onlyThat = { ...isLost, message: 'restore it there, or delete this object' } as const;
  allDecide([
    ['is lost when it is gone, and never made again by itself', absent, isLost],
    [
      'is lost when the cloud calls it deleted',
      { cloud: { state: 'absent', word: 'DELETED' } },
      { ...isLost, message: 'is gone from the cloud (DELETED)' },
    ],
    [
      'is lost, also when a person allowed to make another one again',
      { ...absent, annotations: { 'managed-db.io/allow-recreate': 'svc-0' } },
      { ...isLost, message: 'or correct the annotation to managed-db.io/allow-recreate=svc-1 for an empty one' },
    ],
    ['is lost, also when the spec cannot be read', { ...absent, spec: unreadable }, isLost],
    ['is lost, also when another one is to be taken over', { ...absent, ...found }, isLost],
    ['is lost, also when it was only observed', { ...absent, spec: observe }, onlyThat],
    ['is lost, also when the operator only looks', { ...absent, ...onlyLooks }, onlyThat],
    ['is made again when a person says so', lost, remaking],
    [
      'is waited for while its absence is not proven',
      { cloud: { state: 'missing', again: noon + 5_000 } },
      { type: 'wait', reason: 'WaitingForCloud', afterMs: 5_000, message: 'the cloud does not show service svc-1 yet' },
    ],
    [
      'is waited for while only one look calls it deleted',
      { cloud: { state: 'missing', again: noon + 5_000, word: 'DELETED' } },
      { type: 'wait', reason: 'WaitingForCloud', afterMs: 5_000, message: 'the cloud calls service svc-1 DELETED: making sure' },
    ],
    [
      'is looked for at once when that is due',
      { cloud: { state: 'missing', again: noon - 1 } },
      { type: 'wait', reason: 'WaitingForCloud', afterMs: 0, message: 'the cloud does not show service svc-1 yet' },
    ],
    [
      'is not made again while its absence is not proven, whatever a person says',
      { ...lost, cloud: { state: 'missing', again: noon + 5_000 } },
      { type: 'wait', reason: 'WaitingForCloud', afterMs: 5_000, message: 'the cloud does not show service svc-1 yet' },
    ],
    [
      'is not made again while it was not looked for',
      { ...lost, cloud: { state: 'none' } },
      {
        type: 'keep',
        delayedReport: { type: 'wait', reason: 'WaitingForCloud', afterMs: 5_000 },
        message: 'the service could not be read',
      },
    ],
    [
      'is not made again while it cannot be read',
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
      'is lost, and a person who only looks is offered no other',
      { ...absent, spec: observe },
      {
        type: 'stall',
        reason: 'Lost',
        message: 'service svc-1 is gone from the cloud (404): restore it there, or delete this object',
      },
    ],
  ]);
});
