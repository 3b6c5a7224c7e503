import { describe, expect, test } from 'vitest';
import { wait } from '../../../../../src/reconcile/step/step.ts';
import { vpcId } from '../../../../../src/cloud/wire/vpc.ts';
import { deletionRecord } from '../../../../../src/reconcile/decide/rules/deleting.ts';
import type { VpcSituation } from '../../../../../src/reconcile/kinds/vpc/situation.ts';
import { decideVpc } from '../../../../../src/reconcile/kinds/vpc/kind.ts';
import { layered } from '../../../../support/layers.ts';
import { notMade, vpcSituation, type GivenVpc } from '../../../../support/situation-of-others.ts';
import { chosenAttempt, cloudError, firstOf, noon } from '../../../../support/situation.ts';
import { usableKey } from '../../../../support/usable-account.ts';
import { stepLike, type ExpectedStep } from '../../../../support/step-like.ts';
import {
  a,
  b,
  peering,
  removalOf,
  unanswered,
  unread,
  unreadable,
  withPeerings,
  type GivenPeerings,
  inVain,
} from './vpc-with-peerings.ts';
import { refusalKey } from '../../../../../src/reconcile/step/outcome.ts';

const requested = { deletion: { requested: true } } as const;
const started = { deletion: { requested: true, started: true } } as const;
const deleteIt = {
  type: 'call',
  reason: 'Deleting',
  action: { type: 'delete', id: 'vpc-1' },
  message: 'the cloud is deleting the VPC vpc-1',
} as const;
const service = {
  noun: 'attached service',
  id: 'svc-1',
  owner: undefined,
};

describe('the decision about a VPC that is being deleted:', () => {
  const rows = layered<GivenVpc>(
    [
      [
        'an unreadable field that decides about permitted changes stalls',
        { spec: { deletionPolicy: 'Perhaps' } },
        { type: 'stall', reason: 'Rejected', message: 'the operator changes and deletes nothing' },
      ],
      [
        'a foreign owner keeps the VPC',
        { claim: { state: 'contested', rival: firstOf('shop') } },
        { type: 'release', message: 'has another owner' },
      ],
      [
        'spec.suspend blocks the deletion',
        { spec: { suspend: true } },
        { type: 'stall', reason: 'DeletionBlocked', message: 'spec.suspend is true' },
      ],
      [
        'Retain keeps the VPC',
        { spec: { deletionPolicy: 'Retain' } },
        { type: 'release', message: 'the VPC stays in the cloud' },
      ],
      [
        'missing credentials are waited for',
        { account: { state: 'missing', problem: 'there is no key', remedy: 'create it' } },
        { type: 'wait', reason: 'WaitingForCredentials', message: 'there is no key' },
      ],
      [
        'credentials of a second project stall',
        { account: usableKey({ project: 'prj-2' }) },
        {
          type: 'stall',
          reason: 'ForeignProject',
          message: 'or set spec.deletionPolicy to Retain to keep the VPC',
        },
      ],
      [
        'deletionProtection blocks the deletion',
        { spec: { deletionProtection: true } },
        {
          type: 'stall',
          reason: 'DeletionProtected',
          message: 'the VPC is protected by spec.deletionProtection',
        },
      ],
      [
        'an attached service blocks the deletion',
        { deletion: { dependents: [service] } },
        {
          type: 'stall',
          reason: 'DeletionBlocked',
          message: 'deletion waits for 1 attached service: svc-1',
        },
      ],
      [
        'a recorded peering begins the deletion',
        {
          record: { peerings: { '1/eu/a': { id: 'p1' } } },
          peerings: {
            state: 'read',
            peerings: [peering('p1', a)],
            open: [],
            listed: new Set<string>(),
            acceptedAt: new Map(),
            asOf: noon,
            since: noon,
          },
        },
        {
          type: 'write',
          action: { type: 'writeRecord', record: { deletionStarted: { id: 'vpc-1' } } },
          message: 'the deletion of the VPC vpc-1 begins',
        },
      ],
      [
        'an unreadable cidr and a changed name do not stop the deletion',
        { spec: { cidr: 7, name: 'new' } },
        deleteIt,
      ],
    ],
    requested,
  );
  test.each(rows)('%s', (_, given, expected) => {
    expect(decideVpc(vpcSituation(given))).toMatchObject(stepLike(expected));
  });

  test.each<readonly [sentence: string, given: GivenVpc, expected: ExpectedStep]>([
    [
      'an open create goes before Retain',
      {
        ...requested,
        spec: { deletionPolicy: 'Retain' },
        attempt: { state: 'looking', attempt: chosenAttempt, again: noon + 5_000 },
      },
      {
        type: 'wait',
        reason: 'ResolvingCreate',
        afterMs: 5_000,
        message: 'looking for it there; nothing is created twice',
      },
    ],
    [
      'an object without a VPC is released',
      { ...notMade, ...requested },
      { type: 'release', message: 'no VPC was created' },
    ],
    ['protection is off by default', requested, deleteIt],
    [
      'protection does not hold a deletion that was begun',
      { ...started, spec: { deletionProtection: true } },
      deleteIt,
    ],
    [
      'Retain does not stop a deletion that was begun',
      { ...started, spec: { deletionPolicy: 'Retain' } },
      deleteIt,
    ],
    [
      'the deletion of the CRD blocks the deletion of the VPC',
      { deletion: { requested: true, crdTerminating: true } },
      {
        type: 'stall',
        reason: 'DeletionBlocked',
        retryAfterMs: 60_000,
        message: 'the CustomResourceDefinition of ManagedVpc is being deleted',
      },
    ],
    [
      'an accepted DELETE is waited for until a look that is late enough',
      { ...started, lastOperation: { operation: 'delete', wanted: 'vpc-1', at: noon - 5_000 } },
      {
        type: 'wait',
        reason: 'Deleting',
        inProgressSince: noon - 5_000,
        afterMs: 25_000,
        message: 'the cloud is deleting the VPC vpc-1',
      },
    ],
    [
      'a VPC that the cloud still shows half a minute after an accepted DELETE gets a second DELETE',
      { ...started, lastOperation: { operation: 'delete', wanted: 'vpc-1', at: noon - 30_000 } },
      { ...deleteIt, action: { ...deleteIt.action, inVain: inVain('the VPC vpc-1') } },
    ],
    [
      'a VPC that is missing without a proof is looked for again',
      { ...started, cloud: { state: 'missing', again: noon + 3_000 } },
      {
        type: 'wait',
        reason: 'Deleting',
        afterMs: 3_000,
        message: 'making sure that the VPC is gone',
      },
    ],
    [
      'a VPC that is absent without a DELETE of the operator still gets a DELETE',
      { ...requested, cloud: { state: 'absent' } },
      { ...deleteIt, message: 'making sure that the VPC is gone from the cloud' },
    ],
    [
      'a VPC that is absent after only its peerings were removed still gets a DELETE',
      { ...started, cloud: { state: 'absent' } },
      { ...deleteIt, message: 'making sure that the VPC is gone from the cloud' },
    ],
    [
      'a VPC whose absence is proven after a DELETE releases its object',
      {
        ...started,
        cloud: { state: 'absent' },
        lastOperation: { operation: 'delete', wanted: 'vpc-1', at: noon - 5_000 },
      },
      { type: 'release', message: 'the VPC is gone from the cloud' },
    ],
    [
      'a VPC that cannot be read keeps the status of its object',
      { ...started, cloud: { state: 'unknown', error: cloudError() } },
      {
        type: 'keep',
        delayedReport: { type: 'wait', reason: 'CloudUnavailable', afterMs: 5_000 },
        message: 'the cloud fails (HTTP 500)',
      },
    ],
    [
      'incomplete lists of attached services are waited for',
      { deletion: { requested: true, dependents: undefined } },
      {
        type: 'wait',
        reason: 'Deleting',
        afterMs: 5_000,
        message: 'the operator proves that nothing depends on the VPC',
      },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideVpc(vpcSituation(given))).toEqual(stepLike(expected));
  });
});

const seenVpc = { state: 'present', resource: { id: vpcId.parse('vpc-1') }, asOf: noon } as const;

test.each<
  readonly [
    sentence: string,
    cloud: VpcSituation['cloud'],
    listedPeerings: readonly string[],
    shown: unknown,
  ]
>([
  [
    'that a list has shown, with its peering,',
    { ...seenVpc, isShown: true },
    ['p1'],
    ['resource vpc-1', 'peering p1'],
  ],
  ['that only the answer to its create has shown', { ...seenVpc, isShown: false }, [], undefined],
  ['that is proven to be gone', { state: 'absent' }, [], ['resource vpc-1']],
])(
  'the decision to delete a VPC %s records the ids that the cloud certainly knew',
  (_, cloud, listedPeerings, shown) => {
    const { deletionStarted } = deletionRecord(vpcSituation({ cloud }), 'vpc-1', listedPeerings);
    expect(deletionStarted).toEqual({
      id: 'vpc-1',
      generation: 1,
      ...(shown === undefined ? {} : { shown }),
    });
  },
);

const refused = (until: number) =>
  new Map([
    [
      refusalKey('deletePeering', 'p1'),
      {
        generation: 1,
        again: until,
        times: 1,
        isUnclear: false,
        step: wait('WaitingForCloud', 'not p1'),
      },
    ],
  ]);

describe('before the DELETE of a VPC,', () => {
  const onlyA = { recorded: { '1/eu/a': { id: 'p1' } }, shown: [peering('p1', a)] } as const;
  const both = {
    recorded: { '1/eu/a': { id: 'p1' }, '2/eu/b': { id: 'p2' } },
    shown: [peering('p1', a), peering('p2', b)],
  } as const;
  const begun: unknown = expect.objectContaining({
    deletionStarted: { id: 'vpc-1', generation: 1 },
  });
  const begin = {
    type: 'write',
    action: { type: 'writeRecord', record: begun },
    message: 'the deletion of the VPC vpc-1 begins',
  } as const;
  const removeA = {
    type: 'call',
    reason: 'Deleting',
    action: { type: 'deletePeering', vpcId: 'vpc-1', id: 'p1' },
    message: 'removing the peering with 1/eu/a',
  } as const;

  test.each<readonly [sentence: string, given: GivenPeerings, expected: ExpectedStep]>([
    [
      'the decision is recorded before the first peering is removed',
      { ...onlyA, ...requested },
      begin,
    ],
    [
      'a peering of the object is removed, also if the spec names the peering',
      { ...onlyA, ...started, wanted: [a] },
      removeA,
    ],
    ['the first of two peerings is removed first', { ...both, ...started }, removeA],
    [
      'the second peering is removed when the first is gone',
      { ...both, ...started, shown: [peering('p2', b)] },
      {
        ...removeA,
        action: { ...removeA.action, id: 'p2' },
        message: 'removing the peering with 2/eu/b',
      },
    ],
    [
      'a foreign peering is not removed, since the cloud deletes the peering with the VPC',
      { ...requested, wanted: [a], shown: [peering('p1', a)] },
      deleteIt,
    ],
    [
      'a recorded peering that is gone is not removed',
      { ...onlyA, ...requested, shown: [] },
      deleteIt,
    ],
    [
      'no peering is removed if the record has none',
      { ...requested, wanted: [a], peerings: { state: 'unneeded' } },
      deleteIt,
    ],
    [
      'a peering whose removal the cloud accepted is waited for',
      { ...onlyA, ...started, lastOperation: removalOf('p1') },
      {
        type: 'wait',
        reason: 'Deleting',
        inProgressSince: noon - 5_000,
        afterMs: 5_000,
        message: 'removing the peering with 1/eu/a',
      },
    ],
    [
      'a peering that the cloud did not remove in half a minute is removed again',
      { ...onlyA, ...started, lastOperation: removalOf('p1', 30_000) },
      { ...removeA, action: { ...removeA.action, inVain: inVain('the peering with 1/eu/a') } },
    ],
    [
      'a peering whose removal was postponed is waited for',
      { ...onlyA, ...started, refusals: refused(noon + 60_000) },
      { type: 'wait', reason: 'WaitingForCloud', afterMs: 60_000, message: 'not p1' },
    ],
    [
      'a peering whose removal was postponed is removed when the delay is over',
      { ...onlyA, ...started, refusals: refused(noon) },
      removeA,
    ],
    [
      'a peering that may come from a request without a reply is not removed, since the cloud deletes the peering with the VPC',
      {
        ...requested,
        wanted: [a],
        recorded: { '1/eu/a': unanswered },
        shown: [peering('p1', a)],
        read: { open: ['1/eu/a'] },
      },
      deleteIt,
    ],
    [
      'unreadable peerings delay the DELETE',
      { ...onlyA, ...requested, peerings: unreadable },
      unread,
    ],
    [
      'an operator that only observes removes no peering, even of a deletion that has begun',
      { ...onlyA, ...started, options: { ...vpcSituation().options, managementPolicy: 'Observe' } },
      { type: 'release', message: 'the VPC stays in the cloud' },
    ],
    [
      'no peering is removed while the VPC is missing without a proof',
      {
        ...onlyA,
        ...started,
        cloud: { state: 'missing', again: noon },
        peerings: { state: 'unneeded' },
      },
      { type: 'wait', reason: 'Deleting', afterMs: 0, message: 'making sure' },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideVpc(withPeerings(given))).toEqual(stepLike(expected));
  });
});
