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
const makesSure = { ...deletes, message: 'making sure that the service is gone from the cloud' } as const;
const stays = { type: 'release', message: 'the service stays in the cloud' } as const;
const isGone = { type: 'release', message: 'the service is gone from the cloud' } as const;
const late = { ...deletes, message: 'svc-1; that had begun before spec.deletionPolicy became Retain' } as const;
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
const observe = { spec: { managementPolicy: 'Observe' } };
const byDefault = (deletionPolicy: 'Delete' | 'Retain') => ({ options: { ...defaultOptions, deletionPolicy } });
const onlyLooks = { options: { ...defaultOptions, managementPolicy: 'Observe' } } as const;

describe('what becomes of the resource of a deleted object', () => {
  allDecide([
    ['it is deleted', { deletion }, deletes],
    ['it is kept if the spec says so', { ...retain, deletion }, stays],
    ['it is kept if the operator says so and the spec nothing', { ...byDefault('Retain'), deletion }, stays],
    [
      'it is deleted if the spec says so, whatever the operator says',
      { ...byDefault('Retain'), spec: { deletionPolicy: 'Delete' }, deletion },
      deletes,
    ],
    ['it is kept if it is only observed', { ...observe, deletion }, stays],
    [
      'it is kept if it is only observed, also when the spec says Delete',
      { spec: { managementPolicy: 'Observe', deletionPolicy: 'Delete' }, deletion },
      stays,
    ],
    [
      'it is kept if the spec says so before a DELETE was answered, which may still be carried out',
      { ...retain, deletion, record: { deletionStarted: { id: 'svc-1', generation: 0 } } },
      { ...stays, message: 'stays in the cloud, unless an earlier DELETE is still carried out' },
    ],
    ['it is kept if the operator only looks', { ...onlyLooks, deletion }, stays],
    ['what was never created needs no deletion', { ...notCreated, deletion }, { type: 'release', message: 'no service was created' }],
    [
      'what was never created needs no deletion, also when it is protected',
      { ...notCreated, spec: { deletionProtection: true }, deletion },
      { type: 'release', message: 'no service was created' },
    ],
    [
      'an object that stays is not deleted',
      { deletion: { crdTerminating: true }, cloud: { state: 'absent' } },
      { type: 'stall', reason: 'Lost', message: 'or annotate managed-db.io/allow-recreate=svc-1 for an empty one' },
    ],
    ['a deletion that was begun is not stopped by Retain', { ...retain, deletion: begun }, late],
    ['a deletion that was begun is not stopped by Observe', { ...observe, deletion: begun }, deletes],
    ['a deletion that was begun is stopped by an operator that only looks', { ...onlyLooks, deletion: begun }, stays],
    ['a spec that cannot be read otherwise does not stop it', { spec: { name: 5 }, deletion }, deletes],
    [
      'a name that is taken does not stop it',
      { spec: { name: 'orders' }, sameNames: { state: 'read', ids: ['a'], unclaimed: ['a'] }, deletion },
      deletes,
    ],
    [
      'a recreation that is allowed does not stop it',
      { annotations: { 'managed-db.io/allow-recreate': 'svc-1' }, cloud: { state: 'absent' }, deletion },
      makesSure,
    ],
    [
      'another one that is to be taken over does not stop it',
      { adoption: { state: 'found', id: 'svc-2', projectId: 'prj-1' }, deletion },
      deletes,
    ],
  ]);
});

describe('a DELETE that must not be sent', () => {
  const held = [
    ['the CRD is being deleted', { deletion: { requested, crdTerminating: true } }, blocked],
    ['it is protected by its spec', { spec: { deletionProtection: true }, deletion }, isProtected],
    [
      'it is protected, and the CRD is being deleted',
      { spec: { deletionProtection: true }, deletion: { requested, crdTerminating: true } },
      blocked,
    ],
  ] as const satisfies readonly Row[];
  const states = [
    ['is there', {}],
    ['is gone', { cloud: { state: 'absent' } }],
    ['is perhaps gone', { cloud: { state: 'missing', again: noon + 5_000 } }],
    ['cannot be read', { cloud: { state: 'unknown', error: cloudError() } }],
  ] as const;
  allDecide([
    ...held.flatMap(([sentence, given, expected]) =>
      states.map(([state, cloud]): Row => [`${sentence}, and it ${state}: nothing is deleted`, { ...given, ...cloud }, expected]),
    ),
    ...held.flatMap(([sentence, given]): Row[] => [
      [`${sentence}: what was begun goes on`, { ...given, deletion: { ...given.deletion, started: true } }, deletes],
      [`${sentence}: it may be kept`, { ...given, spec: { ...retain.spec, deletionProtection: true } }, stays],
    ]),
    ['spec.deletionProtection is false: it is deleted', { spec: { deletionProtection: false }, deletion }, deletes],
  ]);
  const byEnvironment = {
    ...isProtected,
    message: 'the service is protected because its environment is PROD: set spec.deletionProtection to false',
  } as const;
  const production = { metadata: { environment: 'PROD' } } as const;
  decides([
    ['it is shown as PROD', { seen: production, deletion }, byEnvironment],
    [
      'it is shown as PROD, and spec.deletionProtection is false: it is deleted',
      { seen: production, spec: { deletionProtection: false }, deletion },
      deletes,
    ],
    [
      'it is shown as DEV, and is to be PROD',
      { seen: { metadata: { environment: 'DEV' } }, spec: { environment: 'PROD' }, deletion },
      byEnvironment,
    ],
    ['it is shown as PROD, and is to be DEV: it is deleted', { seen: production, spec: { environment: 'DEV' }, deletion }, deletes],
    [
      'it was PROD when it was last seen',
      { status: { service: production }, cloud: { state: 'unknown', error: undefined }, deletion },
      byEnvironment,
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
/** Asked for again, since the earlier one had no effect. */
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
  const refusal = { generation: 1, again: until, times, step: stall('NotApplied', 'in vain') };
  return { refusals: new Map([[refusalKey('delete', 'svc-1'), refusal]]) };
};
const looks = (afterMs: number) =>
  ({ type: 'wait', reason: 'Deleting', afterMs, message: 'making sure that the service is gone' }) as const;

describe('what is being deleted', () => {
  const missing = (inMs: number) => ({ cloud: { state: 'missing', again: noon + inMs }, deletion }) as const;
  allDecide([
    ['is waited for once the cloud has accepted that', { deletion: begun, ...last(10_000) }, waits(10_000, { afterMs: 20_000 })],
    ['is waited for after 28 s, until the next list at least', { deletion: begun, ...last(28_000) }, waits(28_000, { afterMs: 2_000 })],
    ['is asked for again when nothing came of that', { deletion: begun, ...last(30_000) }, again(30_000)],
    [
      'is asked for in vain, and says so until the next time',
      { deletion: begun, ...last(30_000), ...tried(1, noon + 20_000) },
      { type: 'stall', reason: 'NotApplied', retryAfterMs: 20_000, message: 'in vain' },
    ],
    ['is asked for once more when that time is over', { deletion: begun, ...last(30_000), ...tried(1, noon) }, again(60_000)],
    ['is asked for in vain every five minutes in the end', { deletion: begun, ...last(30_000), ...tried(9, noon) }, again(300_000)],
    ['is asked for again when that was another one', { deletion: begun, ...last(10_000, { wanted: 'svc-0' }) }, deletes],
    ['is asked for when something else was accepted', { deletion: begun, ...last(10_000, { operation: 'stopService' }) }, deletes],
    ['is not let go while it cannot be read', { deletion: begun, cloud: { state: 'unknown', error: cloudError() } }, notRead],
    ['and seems to be gone is asked for all the same, once', { deletion, cloud: { state: 'absent' } }, makesSure],
    ['and is gone after that lets the object go', { deletion: begun, cloud: { state: 'absent' }, ...last(10_000) }, isGone],
    ['and seems to be gone after a DELETE that failed is asked for again', { deletion: begun, cloud: { state: 'absent' } }, makesSure],
    [
      'and seems to be gone after a DELETE of another one is asked for',
      { deletion: begun, cloud: { state: 'absent' }, ...last(10_000, { wanted: 'svc-0' }) },
      makesSure,
    ],
    [
      'and is called deleted by the cloud is asked for all the same, once',
      { deletion, cloud: { state: 'absent', word: 'DELETED' } },
      makesSure,
    ],
    [
      'and is called deleted after that lets the object go',
      { deletion: begun, cloud: { state: 'absent', word: 'DELETED' }, ...last(10_000) },
      isGone,
    ],
    [
      'and is called deleted after a DELETE that failed is asked for again',
      { deletion: begun, cloud: { state: 'absent', word: 'DELETED' } },
      makesSure,
    ],
    [
      'and seems to be gone after a DELETE that failed is left, with its Secret, if the spec says Retain by now',
      { ...retain, deletion: begun, cloud: { state: 'absent' } },
      { type: 'release', message: 'the service stays by spec.deletionPolicy, unless an earlier DELETE' },
    ],
    [
      'and seems to be gone after a DELETE that was answered is gone, whatever the spec says by now',
      { ...retain, deletion: begun, cloud: { state: 'absent' }, ...last(10_000) },
      isGone,
    ],
  ]);
  decides([
    [
      'by the cloud is waited for, whatever may depend on it',
      { deletion: { ...begun, dependents: cloudError() }, seen: { status: 'DELETING' } },
      waits(0),
    ],
    ['by somebody is waited for', { deletion, seen: { status: 'DELETING' } }, waits(0)],
    [
      'after some DELETEs in vain is waited for like any other',
      { deletion: begun, seen: { status: 'DELETING' }, ...last(600_000), ...tried(2, noon + 20_000) },
      waits(600_000),
    ],
    ['is waited for as long as the cloud says so', { deletion: begun, seen: { status: 'DELETING' }, ...last(600_000) }, waits(600_000)],
    [
      'is waited for since it was seen where something else was accepted',
      { deletion, seen: { status: 'DELETING' }, ...last(9_000, { operation: 'stopService' }) },
      waits(0),
    ],
    [
      'is waited for, and told that Retain came too late',
      { ...retain, deletion: begun, seen: { status: 'DELETING' } },
      waits(0, { message: 'the cloud is deleting the service svc-1; that had begun before' }),
    ],
    ['and perhaps gone is looked for again', missing(5_000), looks(5_000)],
    [
      'and is called deleted by one look is looked for again',
      { cloud: { state: 'missing', again: noon + 5_000, word: 'DELETED' }, deletion },
      { ...looks(5_000), message: 'making sure that the service is gone from the cloud, which calls it DELETED' },
    ],
    [
      'and perhaps too new to be found says so',
      { cloud: { state: 'missing', again: noon + 5_000, isNew: true }, deletion },
      {
        ...looks(5_000),
        message:
          'making sure that the service is gone from the cloud: it may be too new for the lists, so the operator looks for two minutes',
      },
    ],
    ['and perhaps gone is looked for at once when that is due', missing(-5_000), looks(0)],
  ]);

  test('of a VPC waits until its absence is proven', () => {
    const cloud = { state: 'missing', again: noon + 5_000 } as const;
    expect(decideVpc(vpcSituation({ now: noon, deletion, cloud }))).toEqual(
      stepLike({ ...looks(5_000), message: 'making sure that the VPC is gone from the cloud' }),
    );
  });

  test.each([
    ['deleting', { type: 'wait', reason: 'Deleting', inProgressSince: noon, message: 'the cloud is deleting the replica set rs-1' }],
    ['active', { ...deletes, action: { type: 'delete', id: 'rs-1' }, message: 'the cloud is deleting the replica set rs-1' }],
  ] as const)('of a replica set that is %s', (status, expected) => {
    expect(decideReplicaSet(replicaSetSituation({ now: noon, deletion, seen: { status } }))).toEqual(stepLike(expected));
  });

  test('of a VPC without an id needs no key, whatever its record says of peerings: nothing can be looked for', () => {
    const pending = { '1/eu/a': { pendingSince: '2026-11-21T09:00:00.000Z' } };
    for (const peerings of [pending, { '1/eu/a': { id: 'p1' } }]) {
      const record = { ...notCreated.record, peerings };
      const given = { ...notCreated, deletion, record, account: { state: 'missing', message: 'no key' } } as const;
      expect(decideVpc(vpcSituation(given))).toEqual(stepLike({ type: 'release', message: 'no VPC was created' }));
    }
  });
});
