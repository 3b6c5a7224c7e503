import { describe, expect, test } from 'vitest';
import { wait } from '../../../../../src/reconcile/step/step.ts';
import { decideVpc } from '../../../../../src/reconcile/kinds/vpc/kind.ts';
import { layered } from '../../../../support/layers.ts';
import { notMade, vpcSituation, type GivenVpc } from '../../../../support/situation-of-others.ts';
import { chosenAttempt, cloudError, firstOf, noon } from '../../../../support/situation.ts';
import { usableAccount } from '../../../../support/usable-account.ts';
import { stepLike, type ExpectedStep } from '../../../../support/step-like.ts';
import { a, b, peering, removalOf, unanswered, unread, unreadable, withPeerings, type GivenPeerings, inVain } from './vpc-with-peerings.ts';
import { refusalKey } from '../../../../../src/reconcile/step/outcome.ts';

const requested = { deletion: { requested: true } } as const;
const started = { deletion: { requested: true, started: true } } as const;
const deleteIt = {
  type: 'call',
  reason: 'Deleting',
  action: { type: 'delete', id: 'vpc-1' },
  message: 'the cloud is deleting the VPC vpc-1',
} as const;
const service = { noun: 'attached service', id: 'svc-1', list: usableAccount().account.observer.services, owner: undefined };

describe('a VPC that is being deleted:', () => {
  const rows = layered<GivenVpc>(
    [
      [
        'a field that decides what may be done and cannot be read',
        { spec: { deletionPolicy: 'Perhaps' } },
        { type: 'stall', reason: 'Rejected', message: 'the operator changes and deletes nothing' },
      ],
      [
        'another owner: it goes without a trace',
        { claim: { state: 'contested', rival: firstOf('shop') } },
        { type: 'release', message: 'has another owner' },
      ],
      ['suspend', { spec: { suspend: true } }, { type: 'stall', reason: 'DeletionBlocked', message: 'spec.suspend is true' }],
      ['Retain', { spec: { deletionPolicy: 'Retain' } }, { type: 'release', message: 'the VPC stays in the cloud' }],
      [
        'credentials that are missing',
        { account: { state: 'missing', message: 'there is no key' } },
        { type: 'wait', reason: 'WaitingForCredentials', message: 'there is no key' },
      ],
      [
        'credentials of another project',
        { account: usableAccount({ project: 'prj-2' }) },
        { type: 'stall', reason: 'ForeignProject', message: 'or set spec.deletionPolicy to Retain to keep the VPC' },
      ],
      [
        'protection',
        { spec: { deletionProtection: true } },
        { type: 'stall', reason: 'DeletionProtected', message: 'the VPC is protected by spec.deletionProtection' },
      ],
      [
        'a service that is attached',
        { deletion: { dependents: [service] } },
        { type: 'stall', reason: 'DeletionBlocked', message: 'deletion waits for 1 attached service: svc-1' },
      ],
      [
        'a peering of ours',
        {
          record: { peerings: { '1/eu/a': { id: 'p1' } } },
          peerings: {
            state: 'read',
            peerings: [peering('p1', a)],
            open: [],
            unexplained: [],
            acceptedAt: new Map(),
            asOf: noon,
            since: noon,
          },
        },
        { type: 'write', action: { type: 'startDeletion', id: 'vpc-1' }, message: 'the deletion of the VPC vpc-1 begins' },
      ],
      ['a spec that cannot be read, and another name: neither matters any more', { spec: { cidr: 7, name: 'new' } }, deleteIt],
    ],
    requested,
  );
  test.each(rows)('%s', (_, given, expected) => {
    expect(decideVpc(vpcSituation(given))).toMatchObject(stepLike(expected));
  });

  test.each<readonly [sentence: string, given: GivenVpc, expected: ExpectedStep]>([
    [
      'an open create goes before Retain',
      { ...requested, spec: { deletionPolicy: 'Retain' }, attempt: { state: 'looking', attempt: chosenAttempt, again: noon + 5_000 } },
      { type: 'wait', reason: 'ResolvingCreate', afterMs: 5_000, message: 'looking for it there; nothing is created twice' },
    ],
    ['one that was never made may go', { ...notMade, ...requested }, { type: 'release', message: 'no VPC was created' }],
    ['protection is off by default', requested, deleteIt],
    ['protection does not hold a deletion that was begun', { ...started, spec: { deletionProtection: true } }, deleteIt],
    [
      'Retain does not stop a deletion that was begun, which says so',
      { ...started, spec: { deletionPolicy: 'Retain' } },
      { ...deleteIt, message: 'that had begun before spec.deletionPolicy became Retain' },
    ],
    [
      'the definition of its kind goes: nothing is deleted',
      { deletion: { requested: true, crdTerminating: true } },
      {
        type: 'stall',
        reason: 'DeletionBlocked',
        retryAfterMs: 60_000,
        message: 'the CustomResourceDefinition of ManagedVpc is being deleted',
      },
    ],
    [
      'the cloud has accepted it: it is followed until a look that is late enough',
      { ...started, lastOperation: { operation: 'delete', wanted: 'vpc-1', at: noon - 5_000 } },
      { type: 'wait', reason: 'Deleting', inProgressSince: noon - 5_000, afterMs: 25_000, message: 'the cloud is deleting the VPC vpc-1' },
    ],
    [
      'the cloud has accepted it and shows it still, half a minute later',
      { ...started, lastOperation: { operation: 'delete', wanted: 'vpc-1', at: noon - 30_000 } },
      { ...deleteIt, action: { ...deleteIt.action, inVain: inVain('the VPC vpc-1') } },
    ],
    [
      'the cloud lacks it, which is not proven yet',
      { ...started, cloud: { state: 'missing', again: noon + 3_000 } },
      { type: 'wait', reason: 'Deleting', afterMs: 3_000, message: 'making sure that the VPC is gone' },
    ],
    [
      'the cloud lacks it though nobody here deleted it: it is deleted all the same',
      { ...requested, cloud: { state: 'absent' } },
      { ...deleteIt, message: 'making sure that the VPC is gone from the cloud' },
    ],
    [
      'the cloud lacks it after the deletion of a peering began it: it is deleted all the same',
      { ...started, cloud: { state: 'absent' } },
      { ...deleteIt, message: 'making sure that the VPC is gone from the cloud' },
    ],
    [
      'it is proven to be gone',
      { ...started, cloud: { state: 'absent' }, lastOperation: { operation: 'delete', wanted: 'vpc-1', at: noon - 5_000 } },
      { type: 'release', message: 'the VPC is gone from the cloud' },
    ],
    [
      'it cannot be read',
      { ...started, cloud: { state: 'unknown', error: cloudError() } },
      { type: 'keep', delayedReport: { type: 'wait', reason: 'CloudUnavailable', afterMs: 5_000 }, message: 'the cloud fails (HTTP 500)' },
    ],
    [
      'the lists do not show yet what is attached',
      { deletion: { requested: true, dependents: undefined } },
      { type: 'wait', reason: 'Deleting', afterMs: 5_000, message: 'the operator proves that nothing depends on the VPC' },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideVpc(vpcSituation(given))).toEqual(stepLike(expected));
  });
});

const refused = (until: number) =>
  new Map([[refusalKey('deletePeering', 'p1'), { generation: 1, again: until, times: 1, step: wait('WaitingForCloud', 'not p1') }]]);

describe('before a VPC is deleted, its peerings go:', () => {
  const onlyA = { recorded: { '1/eu/a': { id: 'p1' } }, shown: [peering('p1', a)] } as const;
  const both = {
    recorded: { '1/eu/a': { id: 'p1' }, '2/eu/b': { id: 'p2' } },
    shown: [peering('p1', a), peering('p2', b)],
  } as const;
  const begin = { type: 'write', action: { type: 'startDeletion', id: 'vpc-1' }, message: 'the deletion of the VPC vpc-1 begins' } as const;
  const removeA = {
    type: 'call',
    reason: 'Deleting',
    action: { type: 'deletePeering', vpcId: 'vpc-1', id: 'p1' },
    message: 'removing the peering with 1/eu/a',
  } as const;

  test.each<readonly [sentence: string, given: GivenPeerings, expected: ExpectedStep]>([
    ['what was decided is written down before the first one goes', { ...onlyA, ...requested }, begin],
    ['one that this object made, also when the spec names it', { ...onlyA, ...started, wanted: [a] }, removeA],
    ['the first of two', { ...both, ...started }, removeA],
    [
      'the second when the first is gone',
      { ...both, ...started, shown: [peering('p2', b)] },
      { ...removeA, action: { ...removeA.action, id: 'p2' }, message: 'removing the peering with 2/eu/b' },
    ],
    ['one that was there before goes with the VPC, by itself', { ...requested, wanted: [a], shown: [peering('p1', a)] }, deleteIt],
    ['one that is gone already is passed over', { ...onlyA, ...requested, shown: [] }, deleteIt],
    ['none, where the record has none', { ...requested, wanted: [a], peerings: { state: 'unneeded' } }, deleteIt],
    [
      'one that the cloud is removing is waited for',
      { ...onlyA, ...started, lastOperation: removalOf('p1') },
      { type: 'wait', reason: 'Deleting', inProgressSince: noon - 5_000, afterMs: 5_000, message: 'removing the peering with 1/eu/a' },
    ],
    [
      'one that the cloud did not remove in half a minute is removed again',
      { ...onlyA, ...started, lastOperation: removalOf('p1', 30_000) },
      { ...removeA, action: { ...removeA.action, inVain: inVain('the peering with 1/eu/a') } },
    ],
    [
      'one that cannot be removed now is waited for, and the VPC with it',
      { ...onlyA, ...started, refusals: refused(noon + 60_000) },
      { type: 'wait', reason: 'WaitingForCloud', afterMs: 60_000, message: 'not p1' },
    ],
    ['one that could not be removed is tried again when the time is over', { ...onlyA, ...started, refusals: refused(noon) }, removeA],
    [
      'none that appeared after a request without an answer: it goes with the VPC, by itself',
      { ...requested, wanted: [a], recorded: { '1/eu/a': unanswered }, shown: [peering('p1', a)], list: { open: ['1/eu/a'] } },
      deleteIt,
    ],
    ['what cannot be read may hold one', { ...onlyA, ...requested, peerings: unreadable }, unread],
    [
      'none for an operator that only observes, though it had begun',
      { ...onlyA, ...started, options: { ...vpcSituation().options, managementPolicy: 'Observe' } },
      { type: 'release', message: 'the VPC stays in the cloud' },
    ],
    [
      'none of a VPC of which it is not known whether it is there',
      { ...onlyA, ...started, cloud: { state: 'missing', again: noon }, peerings: { state: 'unneeded' } },
      { type: 'wait', reason: 'Deleting', afterMs: 0, message: 'making sure' },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideVpc(withPeerings(given))).toEqual(stepLike(expected));
  });
});
