import { expect, test } from 'vitest';
import { replicaSetKind } from '../../../../src/reconcile/kinds/replica-set/kind.ts';
import { serviceKind } from '../../../../src/reconcile/kinds/service/kind.ts';
import { conclude } from '../../../../src/reconcile/report/conclude.ts';
import { stall, wait, type Step } from '../../../../src/reconcile/step/step.ts';
import { readyOf, syncedOf, type Condition } from '../../../../src/resources/condition.ts';
import { readyStatus } from '../../../support/asking-statuses.ts';
import {
  absent,
  connection,
  current,
  outdated,
  unread,
  unusable,
} from '../../../support/our-secret.ts';
import { serviceSituation, type GivenService } from '../../../support/situation.ts';
import { replicaSetSituation } from '../../../support/situation-of-others.ts';
import { visitOf } from '../../../support/visit.ts';

/** Ready says whether an app can connect, Synced whether the spec is applied. (docs/reasons.md) */

const wasReady = {
  ...readyStatus,
  wasReady: true,
  connectionSecret: { uid: 'uid', resourceVersion: '1' },
};
const stopped = { powerState: 'Stopped' };
const observe = { managementPolicy: 'Observe' };

test.each<[sentence: string, given: GivenService, reason: string | undefined]>([
  ['is READY', {}, 'Available'],
  [
    'was never READY and is being created',
    { status: { wasReady: undefined }, seen: { status: 'CONFIGURING' } },
    undefined,
  ],
  ['was READY and is at work', { status: wasReady, seen: { status: 'CONFIGURING' } }, 'Available'],
  ['was READY and waits for work', { status: wasReady, seen: { status: 'QUEUED' } }, 'Available'],
  [
    'was READY and is in an unknown state',
    { status: wasReady, seen: { status: 'DANCING' } },
    'Available',
  ],
  ['is being upgraded', { seen: { status: 'UPGRADING' } }, 'Available'],
  ['is UNSTABLE', { status: wasReady, seen: { status: 'UNSTABLE' } }, undefined],
  ['is being stopped', { status: wasReady, spec: stopped, seen: { status: 'PAUSING' } }, undefined],
  [
    'is stopped as its spec asks',
    { status: wasReady, spec: stopped, seen: { status: 'PAUSED' } },
    'Stopped',
  ],
  [
    'is stopped, though its spec does not ask for that,',
    { status: wasReady, seen: { status: 'PAUSED' } },
    undefined,
  ],
  ['is being started', { status: wasReady, seen: { status: 'RESUMING' } }, undefined],
  ['has no connection Secret', { secret: absent() }, undefined],
  ['has an outdated connection Secret', { status: wasReady, secret: outdated() }, 'Available'],
  [
    'has a connection Secret with an older password than the cloud',
    { status: wasReady, secret: { ...outdated(), hasOldPassword: true } },
    undefined,
  ],
  ['has a foreign Secret with the name of the connection Secret', { secret: unusable }, undefined],
  [
    'was READY, and whose endpoint the cloud has never named,',
    { secret: current({ connection: { ...connection, direct: undefined } }) },
    undefined,
  ],
  ['is observed without a connection Secret', { spec: observe, secret: unread }, 'Available'],
  [
    'is observed and stopped',
    { spec: observe, secret: unread, seen: { status: 'PAUSED' } },
    undefined,
  ],
  [
    'is observed and being created',
    { spec: observe, secret: unread, seen: { status: 'CONFIGURING' } },
    undefined,
  ],
])('an app can connect to a service that %s only if that is Ready', (_, given, reason) => {
  expect(serviceKind.serving(serviceSituation(given))?.reason).toBe(reason);
});

test.each([
  ['active', 'Available'],
  ['resizing', 'Available'],
  ['creating', undefined],
  ['error', undefined],
  ['deleting', undefined],
  ['dancing', 'Available'],
])('a replica set that is %s serves or does not', (status, reason) => {
  expect(
    replicaSetKind.serving(replicaSetSituation({ status: readyStatus, seen: { status } }))?.reason,
  ).toBe(reason);
});

test.each([
  ['serves only if its connection Secret has the password of its service', true, undefined],
  ['serves while its connection Secret lacks only other changes', false, 'Available'],
])('a replica set %s', (_, hasOldPassword, reason) => {
  const situation = replicaSetSituation({
    status: wasReady,
    secret: { ...outdated(), hasOldPassword },
  });
  expect(replicaSetKind.serving(situation)?.reason).toBe(reason);
});

test('a replica set that is only observed serves without a connection Secret, and says so', () => {
  const given = { spec: observe, secret: unread };
  expect(replicaSetKind.serving(replicaSetSituation(given))?.message).toBe(
    'the replica set is available at reads.example.com:5432; it is only observed: the operator writes no connection Secret',
  );
});

const conditions = (given: GivenService, step: Step) => {
  const { status } = conclude(visitOf(serviceKind, serviceSituation(given), step));
  const told =
    status && 'conditions' in status && Array.isArray(status.conditions)
      ? (status.conditions as readonly Condition[])
      : [];
  return [
    readyOf({ status: { conditions: told } }),
    syncedOf({ status: { conditions: told } }),
  ].map((each) => `${each?.status} ${each?.reason}`);
};
const outage: GivenService = { status: wasReady, cloud: { state: 'unknown', error: undefined } };

test.each<
  [
    sentence: string,
    given: GivenService,
    step: Step,
    told: readonly [ready: string, synced: string],
  ]
>([
  [
    'a refused change',
    { status: wasReady },
    stall('Rejected', 'x'),
    ['True Available', 'False Rejected'],
  ],
  [
    'a resize',
    { status: wasReady, seen: { status: 'CONFIGURING' } },
    wait('Resizing', 'x'),
    ['True Available', 'False Resizing'],
  ],
  [
    'an outage of the cloud',
    outage,
    wait('CloudUnavailable', 'x'),
    ['True Available', 'False CloudUnavailable'],
  ],
  [
    'a key that is refused',
    outage,
    stall('Unauthorized', 'x'),
    ['True Available', 'False Unauthorized'],
  ],
  [
    'a refused Secret without the new password',
    { status: wasReady, secret: { ...outdated(), hasOldPassword: true } },
    stall('SecretConflict', 'x'),
    ['False SecretConflict', 'False SecretConflict'],
  ],
  [
    'the loss of the service',
    { status: wasReady, cloud: { state: 'absent' } },
    stall('Lost', 'x'),
    ['False Lost', 'False Lost'],
  ],
  [
    'a foreign owner',
    { ...outage, claim: { state: 'elsewhere', clusterUid: 'c' } },
    stall('OwnedElsewhere', 'x'),
    ['False OwnedElsewhere', 'False OwnedElsewhere'],
  ],
  [
    'a deletion that has begun',
    { status: wasReady, deletion: { started: true } },
    wait('Deleting', 'x'),
    ['False Deleting', 'False Deleting'],
  ],
  [
    'a change that waits for a stopped service',
    { status: wasReady, spec: stopped, seen: { status: 'PAUSED' } },
    { type: 'done', reason: 'Stopped', message: 'x', differs: true },
    ['True Stopped', 'False Stopped'],
  ],
])('Ready and Synced report %s', (_, given, step, told) => {
  expect(conditions(given, step)).toEqual(told);
});

test.each([
  ['Ready, as the service says', true, 'True'],
  ['not Ready, since the service is not', false, 'False'],
] as const)('a replica set whose service is stopped is %s', (_, isReady, status) => {
  const stoppedService = { message: 'service svc-1 is PAUSED', isReady };
  const situation = replicaSetSituation({ stoppedService });
  const visit = visitOf(replicaSetKind, situation, replicaSetKind.decide(situation));
  expect(conclude(visit).status).toMatchObject({
    conditions: [
      { type: 'Ready', status, reason: 'Stopped', message: 'service svc-1 is PAUSED' },
      { type: 'Synced', status: 'True', reason: 'Stopped' },
    ],
  });
});
