import { describe, expect, test } from 'vitest';
import { wait } from '../../../../../src/reconcile/step/step.ts';
import { decideVpc } from '../../../../../src/reconcile/kinds/vpc/kind.ts';
import { stepLike, type ExpectedStep } from '../../../../support/step-like.ts';
import { noon } from '../../../../support/situation.ts';
import {
  a,
  b,
  inVain,
  peering,
  recordWith,
  removalOf,
  renaming,
  unread,
  unreadable,
  withPeerings,
  type GivenPeerings,
} from './vpc-with-peerings.ts';
import { refusalKey } from '../../../../../src/reconcile/step/outcome.ts';

type Row = readonly [sentence: string, given: GivenPeerings, expected: ExpectedStep];

const onlyA = { recorded: { '1/eu/a': { id: 'p1' } }, shown: [peering('p1', a)] } as const;
const both = {
  recorded: { '1/eu/a': { id: 'p1' }, '2/eu/b': { id: 'p2' } },
  shown: [peering('p1', a), peering('p2', b)],
} as const;
const refused = (id: string, { again = noon + 60_000 } = {}) =>
  [
    refusalKey('deletePeering', id),
    {
      generation: 1,
      again,
      times: 1,
      isUnclear: false,
      step: wait('WaitingForCloud', `not ${id}`),
    },
  ] as const;
const removeA = {
  type: 'call',
  reason: 'PeeringPending',
  action: { type: 'deletePeering', vpcId: 'vpc-1', id: 'p1' },
  message: 'removing the peering with 1/eu/a',
} as const;
const removeB = {
  type: 'call',
  reason: 'PeeringPending',
  action: { type: 'deletePeering', vpcId: 'vpc-1', id: 'p2' },
  message: 'removing the peering with 2/eu/b',
} as const;
const removing = {
  type: 'wait',
  reason: 'PeeringPending',
  inProgressSince: noon - 5_000,
  afterMs: 5_000,
  message: 'removing the peering with 1/eu/a',
} as const;
const available = { type: 'done', reason: 'Available', message: 'the VPC exists' } as const;

describe('a peering that the spec does not name', () => {
  test.each<Row>([
    ['is removed if the object created the peering', onlyA, removeA],
    ['is left if the object did not create the peering', { shown: [peering('p1', a)] }, available],
    [
      'is left if the object created only a second peering',
      { ...onlyA, shown: [peering('p1', a), peering('p9', b)] },
      removeA,
    ],
    [
      'is recognised by its id, so a foreign peering with its address is left',
      { ...onlyA, shown: [peering('p0', a)] },
      forgotten({}),
    ],
    ['is removed while a second peering stays', { ...both, wanted: [b] }, removeA],
    ['is removed before the next such peering', both, removeA],
    [
      'is removed before a new peering is requested',
      { ...onlyA, wanted: [b] },
      { ...removeA, message: '; then: peerings' },
    ],
    [
      'is removed before the VPC is renamed',
      { ...onlyA, spec: { name: 'new' } },
      { ...removeA, message: '; then: name' },
    ],
    [
      'is removed even if a second peering failed',
      { ...both, wanted: [b], shown: [peering('p1', a), peering('p2', b, { status: 'failed' })] },
      removeA,
    ],
    ['leaves the record once it is gone from the cloud', { ...onlyA, shown: [] }, forgotten({})],
    [
      'leaves the record once it is gone from the cloud, and the record keeps the other peerings',
      { ...both, wanted: [b], shown: [peering('p2', b)], lastOperation: removalOf('p1') },
      forgotten({ '2/eu/b': { id: 'p2' } }),
    ],
    ['is waited for while lists may lag', { ...onlyA, lastOperation: removalOf('p1') }, removing],
    [
      'is waited for while lists may lag, and delays a rename',
      { ...onlyA, spec: { name: 'new' }, lastOperation: removalOf('p1') },
      { ...removing, message: '; then: name' },
    ],
    [
      'is waited for as long as a look is too early',
      { ...onlyA, lastOperation: removalOf('p1', 29_999) },
      { ...removing, inProgressSince: noon - 29_999 },
    ],
    [
      'is removed again when a look that is late enough shows it',
      { ...onlyA, lastOperation: removalOf('p1', 30_000) },
      { ...removeA, action: { ...removeA.action, inVain: inVain('the peering with 1/eu/a') } },
    ],
    [
      'is left while the cloud does not prove that it is gone, which names it',
      { ...onlyA, peerings: { state: 'unknown', error: undefined, missing: ['p1'] } },
      {
        type: 'keep',
        delayedReport: { type: 'wait', reason: 'WaitingForCloud', afterMs: 5_000 },
        message:
          'the peerings of the VPC, whose list lacks p1, could not be read; the operator retries',
      },
    ],
    [
      'is waited for by the time of the look, not of the visit',
      { ...onlyA, lastOperation: removalOf('p1', 60_000), read: { asOf: noon - 31_000 } },
      { ...removing, inProgressSince: noon - 60_000 },
    ],
    [
      'is removed even if a second peering was removed just now',
      { ...onlyA, lastOperation: removalOf('p0') },
      removeA,
    ],
    [
      'that cannot be removed now is reported if no other change is left',
      { ...onlyA, refusals: new Map([refused('p1')]) },
      waits('p1', 60_000),
    ],
    [
      'that cannot be removed now is looked at again within ten minutes',
      { ...onlyA, refusals: new Map([refused('p1', { again: noon + 3_600_000 })]) },
      waits('p1', 600_000),
    ],
    [
      'that could not be removed is removed again at its retry time',
      { ...onlyA, refusals: new Map([refused('p1', { again: noon })]) },
      removeA,
    ],
    [
      'that cannot be removed now does not delay a rename',
      { ...onlyA, spec: { name: 'new' }, refusals: new Map([refused('p1')]) },
      { ...renaming, message: '; then: peerings' },
    ],
    [
      'that cannot be removed now does not delay the request of a new peering',
      { ...onlyA, wanted: [b], refusals: new Map([refused('p1')]) },
      {
        type: 'call',
        reason: 'PeeringPending',
        action: {
          type: 'createPeering',
          vpcId: 'vpc-1',
          key: '2/eu/b',
          request: { peer_account_id: '2', peer_region_code: 'eu', peer_vpc_id: 'b' },
        },
        message: 'asking for the peering with 2/eu/b; then: peerings',
      },
    ],
    [
      'that cannot be removed now does not delay the removal of a second peering',
      { ...both, refusals: new Map([refused('p1')]) },
      removeB,
    ],
    [
      'that cannot be removed now is reported before a second such peering',
      { ...both, refusals: new Map([refused('p2'), refused('p1')]) },
      waits('p1', 60_000),
    ],
    ['is left while the peerings cannot be read', { ...onlyA, peerings: unreadable }, unread],
    [
      'is left by an object that only observes, which says so',
      { ...onlyA, spec: { managementPolicy: 'Observe' } },
      { type: 'done', reason: 'Observed', differs: true, message: 'it differs: peerings' },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideVpc(withPeerings(given))).toEqual(stepLike(expected));
  });
});

test('a peering whose removal goes on is used as it is when the spec names it again', () => {
  const given = { ...onlyA, wanted: [a], lastOperation: removalOf('p1') };
  expect(decideVpc(withPeerings(given))).toEqual(
    stepLike({ ...available, message: 'its peering is active' }),
  );
});

function forgotten(others: NonNullable<GivenPeerings['recorded']>): ExpectedStep {
  return {
    type: 'write',
    action: recordWith(others),
    message: 'the peering with 1/eu/a is gone from the cloud',
  };
}

function waits(id: string, afterMs: number): ExpectedStep {
  return { type: 'wait', reason: 'WaitingForCloud', afterMs, message: `not ${id}` };
}
