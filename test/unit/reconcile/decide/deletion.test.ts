import { describe, expect, test } from 'vitest';
import { decideReplicaSet } from '../../../../src/reconcile/kinds/replica-set/kind.ts';
import { decideVpc } from '../../../../src/reconcile/kinds/vpc/kind.ts';
import { defaultOptions } from '../../../support/default-options.ts';
import { allDecide, decides, type Row } from '../../../support/policy-rows.ts';
import { replicaSetSituation, vpcSituation } from '../../../support/situation-of-others.ts';
import { cloudError, noon, notCreated } from '../../../support/situation.ts';
import { refusalKey } from '../../../../src/reconcile/step/outcome.ts';
import { stall } from '../../../../src/reconcile/step/step.ts';
import { stepLike } from '../../../support/step-like.ts';
import { cloudResourceFinalizer } from '../../../../src/resources/annotations.ts';
import { isProtected } from './protected-step.ts';

const requested = true;
const deletion = { requested };
const begun = { requested, started: true };
const deletes = {
  type: 'call',
  reason: 'Deleting',
  action: { type: 'delete', id: 'svc-1' },
  message: 'the cloud is deleting the service svc-1',
} as const;
const makesSure = {
  ...deletes,
  message: 'making sure that the service is gone from the cloud',
} as const;
const stays = { type: 'release', message: 'the service stays in the cloud' } as const;
const isGone = { type: 'release', message: 'the service is gone from the cloud' } as const;
const blocked = {
  type: 'stall',
  reason: 'DeletionBlocked',
  retryAfterMs: 60_000,
  message:
    'the CustomResourceDefinition of ManagedService is being deleted, so the service is not: set spec.deletionPolicy to Retain to drop only this object',
} as const;
const notRead = {
  type: 'keep',
  delayedReport: { type: 'wait', reason: 'CloudUnavailable', afterMs: 5_000 },
  message: 'the cloud fails (HTTP 500); the operator retries',
} as const;
const retain = { spec: { deletionPolicy: 'Retain' } };
/** The process that decided to delete the service died, and then a user set Retain. */
const late = { ...retain, deletion, record: { deletionStarted: { id: 'svc-1', generation: 0 } } };
const as = (fate: 'gone' | 'retained') => ({
  released: { id: 'svc-1', projectId: 'prj-1', fate },
});
const wasDeleting = { status: { state: 'DELETING' } };
const observe = { spec: { managementPolicy: 'Observe' } };
const byDefault = (deletionPolicy: 'Delete' | 'Retain') => ({
  options: { ...defaultOptions, deletionPolicy },
});
const onlyLooks = { options: { ...defaultOptions, managementPolicy: 'Observe' } } as const;

const tells = (message: string) =>
  ({ type: 'wait', reason: 'Deleting', afterMs: 1_000, message }) as const;
const told = (message: string) => ({
  status: {
    conditions: [
      {
        type: 'Synced',
        status: 'False',
        reason: 'Deleting',
        message,
        lastTransitionTime: '2026-11-21T12:00:00Z',
      },
    ],
  },
});

describe('an object that finalizers of other clients hold', () => {
  const hold = 'example.com/hold';
  const metadata = { finalizers: [cloudResourceFinalizer, hold] };
  const absent = {
    metadata,
    deletion: begun,
    cloud: { state: 'absent' },
    lastOperation: { operation: 'delete', wanted: 'svc-1', at: noon - 10_000 },
  } as const;
  const endOf = (end: string) => `${end}; the finalizer ${hold} holds the object`;
  decides([
    [
      'gets its last words in its status before its release',
      absent,
      tells(endOf('the service is gone from the cloud')),
    ],
    [
      'is released once its status has the last words',
      { ...absent, ...told(endOf('the service is gone from the cloud')) },
      { ...isGone, ...as('gone') },
    ],
    [
      'gets the words about a resource that stays',
      { ...retain, metadata, deletion },
      tells(endOf('the service stays in the cloud')),
    ],
    [
      'gets new words if its resource has another end after all',
      { ...absent, ...told(endOf('the service stays in the cloud')) },
      tells(endOf('the service is gone from the cloud')),
    ],
    [
      'is released at once if only Kubernetes itself holds it, too',
      { ...absent, metadata: { finalizers: [cloudResourceFinalizer, 'foregroundDeletion'] } },
      { ...isGone, ...as('gone') },
    ],
  ]);
});

const last = (agoMs: number, more: object = {}) => ({
  lastOperation: { operation: 'delete', wanted: 'svc-1', at: noon - agoMs, ...more },
});
const waits = (agoMs: number, more: object = {}) =>
  ({
    type: 'wait',
    reason: 'Deleting',
    message: 'the cloud is deleting the service svc-1',
    inProgressSince: noon - agoMs,
    ...more,
  }) as const;
const leftBehind = (generation: number, status: object, more: object = {}) => ({
  deletion,
  metadata: { deletionTimestamp: '2026-11-21T12:00:00Z', generation },
  status: { ...status, observedGeneration: 1 },
  ...more,
});

describe('an object that was deleted while no operator ran', () => {
  decides([
    [
      'is released if its status promised that the service stays, also by an operator with other settings',
      leftBehind(2, { onDelete: 'Retain' }),
      { ...stays, ...as('retained') },
    ],
    [
      'is deleted with its service if a user changed the spec after that promise',
      leftBehind(3, { onDelete: 'Retain' }, { spec: { deletionPolicy: 'Delete' } }),
      deletes,
    ],
    [
      'is deleted with its service if its status said so',
      leftBehind(2, { onDelete: 'Delete' }),
      deletes,
    ],
    [
      'is deleted with its service if the deletion has begun',
      leftBehind(2, { onDelete: 'Retain' }, { deletion: begun }),
      deletes,
    ],
  ]);
});

const tooLate = 'the cloud is deleting the service svc-1: Retain came too late';

describe('after a DELETE, and then Retain,', () => {
  decides([
    [
      'the operator waits if the spec says Retain, and the cloud carries out an earlier DELETE',
      { ...late, seen: { status: 'DELETING' } },
      { type: 'wait', reason: 'Deleting', message: tooLate },
    ],
    [
      'the operator waits if the spec says Retain after the cloud has accepted the DELETE',
      { ...retain, deletion: begun, seen: { status: 'DELETING' } },
      { type: 'wait', reason: 'Deleting', message: tooLate, inProgressSince: noon },
    ],
    [
      'the operator waits for the effect of an accepted DELETE, though the spec says Retain',
      { ...retain, deletion: begun, ...last(1_000) },
      { ...waits(1_000, { afterMs: 29_000 }), message: tooLate },
    ],
    [
      'the operator waits for the proof that an earlier DELETE was carried out if the spec says Retain',
      { ...late, ...wasDeleting, cloud: { state: 'missing', again: noon + 5_000 } },
      { type: 'wait', reason: 'Deleting', afterMs: 5_000, message: 'making sure' },
    ],
    [
      'the resource is gone if an earlier DELETE was carried out, also if the spec says Retain',
      { ...late, ...wasDeleting, cloud: { state: 'absent' } },
      { ...isGone, ...as('gone') },
    ],
    [
      'the resource counts as retained if it is absent, and the cloud did not show it as DELETING',
      { ...late, cloud: { state: 'absent' } },
      { ...stays, ...as('retained') },
    ],
    [
      'the operator keeps a resource that is READY again after a DELETE, if the spec says Retain',
      { ...late, ...wasDeleting },
      { ...stays, ...as('retained') },
    ],
    [
      'the operator keeps the resource if the spec says Retain, and the cloud cannot be read',
      { ...late, ...wasDeleting, cloud: { state: 'unknown', error: undefined } },
      { ...stays, ...as('retained') },
    ],
    [
      'the operator keeps a resource that another client deletes if the spec says Retain',
      { ...retain, deletion, seen: { status: 'DELETING' } },
      { ...stays, ...as('retained') },
    ],
    [
      'the operator keeps a resource of several objects, also if the cloud deletes it',
      {
        ...late,
        record: { ...late.record, isShared: true },
        seen: { status: 'DELETING' },
      },
      { ...stays, ...as('retained') },
    ],
  ]);
});

describe('for a deleted object,', () => {
  allDecide([
    ['the operator deletes the resource', { deletion }, deletes],
    ['the operator keeps the resource if the spec says Retain', { ...retain, deletion }, stays],
    [
      'the operator keeps the resource if its flag says Retain and the spec has no policy',
      { ...byDefault('Retain'), deletion },
      stays,
    ],
    [
      'the operator deletes the resource if the spec says Delete and its flag says Retain',
      { ...byDefault('Retain'), spec: { deletionPolicy: 'Delete' }, deletion },
      deletes,
    ],
    ['the operator keeps a resource that is only observed', { ...observe, deletion }, stays],
    [
      'the operator keeps a resource that is only observed, also if the spec says Delete',
      { spec: { managementPolicy: 'Observe', deletionPolicy: 'Delete' }, deletion },
      stays,
    ],
    [
      'the operator keeps the resource if the spec says Retain before the reply to a DELETE, and warns that the cloud may still delete the resource',
      { ...retain, deletion, record: { deletionStarted: { id: 'svc-1', generation: 0 } } },
      { ...stays, message: 'stays in the cloud, unless an earlier DELETE is still carried out' },
    ],
    ['an operator that only observes keeps the resource', { ...onlyLooks, deletion }, stays],
    [
      'the operator deletes nothing if no resource was created',
      { ...notCreated, deletion },
      { type: 'release', message: 'no service was created' },
    ],
    [
      'the operator deletes nothing if no resource was created, also if the spec has deletionProtection',
      { ...notCreated, spec: { deletionProtection: true }, deletion },
      { type: 'release', message: 'no service was created' },
    ],
    [
      'the deletion of the CRD alone does not delete the resource of an object',
      { deletion: { crdTerminating: true }, cloud: { state: 'absent' } },
      {
        type: 'stall',
        reason: 'Lost',
        message: 'or annotate managed-db.io/allow-recreate=svc-1 for an empty service',
      },
    ],
    ['Retain does not stop a deletion that has begun', { ...retain, deletion: begun }, deletes],
    ['Observe does not stop a deletion that has begun', { ...observe, deletion: begun }, deletes],
    [
      'an operator that only observes does not continue a deletion that has begun',
      { ...onlyLooks, deletion: begun },
      stays,
    ],
    [
      'an unreadable field that does not affect the deletion does not stop the deletion',
      { spec: { name: 5 }, deletion },
      deletes,
    ],
    [
      'a name that is taken does not stop the deletion',
      {
        spec: { name: 'orders' },
        sameNames: { state: 'read', ids: ['a'], unclaimed: ['a'] },
        deletion,
      },
      deletes,
    ],
    [
      'the annotation allow-recreate does not stop the deletion',
      {
        annotations: { 'managed-db.io/allow-recreate': 'svc-1' },
        cloud: { state: 'absent' },
        deletion,
      },
      makesSure,
    ],
    [
      'an adoption of a second service does not stop the deletion',
      { adoption: { state: 'found', id: 'svc-2' }, deletion },
      deletes,
    ],
  ]);
});

describe('the protection of a resource from deletion:', () => {
  const held = [
    ['the CRD is being deleted', { deletion: { requested, crdTerminating: true } }, blocked],
    [
      'the spec has deletionProtection',
      { spec: { deletionProtection: true }, deletion },
      isProtected,
    ],
    [
      'the spec has deletionProtection, and the CRD is being deleted',
      { spec: { deletionProtection: true }, deletion: { requested, crdTerminating: true } },
      blocked,
    ],
  ] as const satisfies readonly Row[];
  const states = [
    ['exists', {}],
    ['is gone', { cloud: { state: 'absent' } }],
    ['is missing without a proof', { cloud: { state: 'missing', again: noon + 5_000 } }],
    ['cannot be read', { cloud: { state: 'unknown', error: cloudError() } }],
  ] as const;
  allDecide([
    ...held.flatMap(([sentence, given, expected]) =>
      states.map(([state, cloud]): Row => [
        `${sentence}, and the resource ${state}: nothing is deleted`,
        { ...given, ...cloud },
        expected,
      ]),
    ),
    ...held.flatMap(([sentence, given]): Row[] => [
      [
        `${sentence}: a deletion that has begun goes on`,
        { ...given, deletion: { ...given.deletion, started: true } },
        deletes,
      ],
      [
        `${sentence}: Retain keeps the resource`,
        { ...given, spec: { ...retain.spec, deletionProtection: true } },
        stays,
      ],
    ]),
    [
      'spec.deletionProtection is false: the resource is deleted',
      { spec: { deletionProtection: false }, deletion },
      deletes,
    ],
  ]);
  const byEnvironment = {
    ...isProtected,
    message:
      'the service is protected because its environment is PROD: set spec.deletionProtection to false',
  } as const;
  const production = { metadata: { environment: 'PROD' } } as const;
  decides([
    [
      'the cloud shows PROD: the service is not deleted',
      { seen: production, deletion },
      byEnvironment,
    ],
    [
      'the Namespace requires approvals: the service is not deleted',
      { rules: { levels: [], approval: 'Required' }, deletion },
      {
        ...isProtected,
        message:
          'the service is protected because its Namespace requires approvals: set spec.deletionProtection to false',
      },
    ],
    [
      'the Namespace requires approvals, and spec.deletionProtection is false: the service is deleted',
      {
        rules: { levels: [], approval: 'Required' },
        spec: { deletionProtection: false },
        deletion,
      },
      deletes,
    ],
    [
      'the Namespace has windows alone: the service is deleted',
      { rules: { levels: [], approval: undefined }, deletion },
      deletes,
    ],
    [
      'the cloud shows PROD, and spec.deletionProtection is false: the service is deleted',
      { seen: production, spec: { deletionProtection: false }, deletion },
      deletes,
    ],
    [
      'the cloud shows DEV, and the spec says PROD: the service is not deleted',
      { seen: { metadata: { environment: 'DEV' } }, spec: { environment: 'PROD' }, deletion },
      byEnvironment,
    ],
    [
      'the cloud shows PROD, and the spec says DEV: the service is deleted',
      { seen: production, spec: { environment: 'DEV' }, deletion },
      deletes,
    ],
    [
      'the status says PROD, and the cloud cannot be read: the service is not deleted',
      { status: { service: production }, cloud: { state: 'unknown', error: undefined }, deletion },
      byEnvironment,
    ],
  ]);
});
/** A repeated DELETE, since the earlier DELETE had no effect. */
const again = (retryAfterMs: number) =>
  ({
    ...deletes,
    action: {
      ...deletes.action,
      inVain: {
        type: 'stall',
        reason: 'NotApplied',
        message:
          "the cloud still shows the service svc-1 (READY), which it was asked to delete at 2026-11-21T11:59:30.000Z: delete it there, or ask the cloud's support; the operator retries",
        retryAfterMs,
      },
    },
  }) as const;
const tried = (times: number, until: number) => {
  const refusal = {
    generation: 1,
    again: until,
    times,
    isUnclear: false,
    step: stall('NotApplied', 'in vain'),
  };
  return { refusals: new Map([[refusalKey('delete', 'svc-1'), refusal]]) };
};
const looks = (afterMs: number) =>
  ({
    type: 'wait',
    reason: 'Deleting',
    afterMs,
    message: 'making sure that the service is gone',
  }) as const;

describe('a resource that is being deleted', () => {
  const missing = (inMs: number) =>
    ({ cloud: { state: 'missing', again: noon + inMs }, deletion }) as const;
  allDecide([
    [
      'is waited for once the cloud has accepted the DELETE',
      { deletion: begun, ...last(10_000) },
      waits(10_000, { afterMs: 20_000 }),
    ],
    [
      'is waited for after 28 s, until the next list at least',
      { deletion: begun, ...last(28_000) },
      waits(28_000, { afterMs: 2_000 }),
    ],
    [
      'gets a second DELETE if the first had no effect after 30 s',
      { deletion: begun, ...last(30_000) },
      again(30_000),
    ],
    [
      'stalls after DELETEs without effect until the next DELETE',
      { deletion: begun, ...last(30_000), ...tried(1, noon + 20_000) },
      { type: 'stall', reason: 'NotApplied', retryAfterMs: 20_000, message: 'in vain' },
    ],
    [
      'gets a further DELETE when the wait after a DELETE without effect is over',
      { deletion: begun, ...last(30_000), ...tried(1, noon) },
      again(60_000),
    ],
    [
      'gets further DELETEs at most five minutes apart',
      { deletion: begun, ...last(30_000), ...tried(9, noon) },
      again(300_000),
    ],
    [
      'gets a DELETE if the accepted DELETE was for an earlier service',
      { deletion: begun, ...last(10_000, { wanted: 'svc-0' }) },
      deletes,
    ],
    [
      'gets a DELETE if the accepted change was not a DELETE',
      { deletion: begun, ...last(10_000, { operation: 'stopService' }) },
      deletes,
    ],
    [
      'is not released while the cloud cannot be read',
      { deletion: begun, cloud: { state: 'unknown', error: cloudError() } },
      notRead,
    ],
    [
      'and seems to be absent still gets a DELETE',
      { deletion, cloud: { state: 'absent' } },
      makesSure,
    ],
    [
      'and is absent after an accepted DELETE releases the object',
      { deletion: begun, cloud: { state: 'absent' }, ...last(10_000) },
      isGone,
    ],
    [
      'and seems to be absent after a failed DELETE gets a second DELETE',
      { deletion: begun, cloud: { state: 'absent' } },
      makesSure,
    ],
    [
      'and seems to be absent after a DELETE of an earlier service gets a DELETE',
      { deletion: begun, cloud: { state: 'absent' }, ...last(10_000, { wanted: 'svc-0' }) },
      makesSure,
    ],
    [
      'and seems to be absent after a failed DELETE is retained if the spec now says Retain',
      { ...retain, deletion: begun, cloud: { state: 'absent' } },
      {
        type: 'release',
        message: 'the service stays by spec.deletionPolicy, unless an earlier DELETE',
      },
    ],
    [
      'and seems to be absent after an accepted DELETE counts as deleted, also if the spec now says Retain',
      { ...retain, deletion: begun, cloud: { state: 'absent' }, ...last(10_000) },
      isGone,
    ],
  ]);
  decides([
    [
      'and is shown as DELETING is waited for, also if its dependents cannot be read',
      { deletion: { ...begun, dependents: cloudError() }, seen: { status: 'DELETING' } },
      waits(0),
    ],
    [
      'and is shown as DELETING without a DELETE of the operator is waited for',
      { deletion, seen: { status: 'DELETING' } },
      waits(0),
    ],
    [
      'and is shown as DELETING after DELETEs without effect is waited for',
      {
        deletion: begun,
        seen: { status: 'DELETING' },
        ...last(600_000),
        ...tried(2, noon + 20_000),
      },
      waits(600_000),
    ],
    [
      'is waited for as long as the cloud shows DELETING',
      { deletion: begun, seen: { status: 'DELETING' }, ...last(600_000) },
      waits(600_000),
    ],
    [
      'is waited for from the first look if the accepted change was not a DELETE',
      { deletion, seen: { status: 'DELETING' }, ...last(9_000, { operation: 'stopService' }) },
      waits(0),
    ],
    ['and is missing without a proof is looked for again', missing(5_000), looks(5_000)],
    [
      'and is missing without a proof is looked for at once if the look is due',
      missing(-5_000),
      looks(0),
    ],
  ]);

  test('is waited for until its absence is proven (VPC)', () => {
    const cloud = { state: 'missing', again: noon + 5_000 } as const;
    expect(decideVpc(vpcSituation({ now: noon, deletion, cloud }))).toEqual(
      stepLike({ ...looks(5_000), message: 'making sure that the VPC is gone from the cloud' }),
    );
  });

  test.each([
    [
      'deleting',
      {
        type: 'wait',
        reason: 'Deleting',
        inProgressSince: noon,
        message: 'the cloud is deleting the replica set rs-1',
      },
    ],
    [
      'active',
      {
        ...deletes,
        action: { type: 'delete', id: 'rs-1' },
        message: 'the cloud is deleting the replica set rs-1',
      },
    ],
  ] as const)(
    'is waited for if it is deleting, and gets a DELETE if it is active (replica set: %s)',
    (status, expected) => {
      expect(
        decideReplicaSet(replicaSetSituation({ now: noon, deletion, seen: { status } })),
      ).toEqual(stepLike(expected));
    },
  );

  test('is released without a key if it has no id, even with recorded peerings (VPC)', () => {
    const pending = { '1/eu/a': { pendingSince: '2026-11-21T09:00:00.000Z' } };
    for (const peerings of [pending, { '1/eu/a': { id: 'p1' } }]) {
      const record = { ...notCreated.record, peerings };
      const given = {
        ...notCreated,
        deletion,
        record,
        account: { state: 'missing', problem: 'no key', remedy: 'create it' },
      } as const;
      expect(decideVpc(vpcSituation(given))).toEqual(
        stepLike({ type: 'release', message: 'no VPC was created' }),
      );
    }
  });
});
