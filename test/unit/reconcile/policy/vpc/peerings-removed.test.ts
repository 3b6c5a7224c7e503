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
import { refusalKey } from '../../../../../src/reconcile/step/failed-create.ts';

type Row = readonly [sentence: string, given: GivenPeerings, expected: ExpectedStep];

const onlyA = { recorded: { '1/eu/a': { id: 'p1' } }, shown: [peering('p1', a)] } as const;
const both = {
  recorded: { '1/eu/a': { id: 'p1' }, '2/eu/b': { id: 'p2' } },
  shown: [peering('p1', a), peering('p2', b)],
} as const;
const refused = (id: string, { again = noon + 60_000 } = {}) =>
  [refusalKey('deletePeering', id), { generation: 1, again, times: 1, step: wait('WaitingForCloud', `not ${id}`) }] as const;
const removeA = {
  type: 'call',
  reason: 'PeeringPending',
  action: { type: 'deletePeering', vpcId: 'vpc-1', key: '1/eu/a', id: 'p1' },
  message: 'removing the peering with 1/eu/a',
} as const;
const removeB = {
  type: 'call',
  reason: 'PeeringPending',
  action: { type: 'deletePeering', vpcId: 'vpc-1', key: '2/eu/b', id: 'p2' },
  message: 'removing the peering with 2/eu/b',
} as const;
const makeSureOfA = { ...removeA, message: 'making sure that the peering with 1/eu/a is gone from the cloud' } as const;
const asked = { '1/eu/a': { id: 'p1', removalAskedAt: '2026-11-21T12:00:00.000Z' } } as const;
const removing = {
  type: 'wait',
  reason: 'PeeringPending',
  inProgressSince: noon - 5_000,
  afterMs: 5_000,
  message: 'removing the peering with 1/eu/a',
} as const;
const available = { type: 'done', reason: 'Available', message: 'the VPC is there' } as const;

describe('a peering that the spec does not name', () => {
  test.each<Row>([
    ['is removed if this object made it', onlyA, removeA],
    ['is left if it was there before', { shown: [peering('p1', a)] }, available],
    [
      'is left if it was there before, also when this object made another',
      { ...onlyA, shown: [peering('p1', a), peering('p9', b)] },
      removeA,
    ],
    ['is known by its id: another one of its address is left', { ...onlyA, shown: [peering('p0', a)] }, makeSureOfA],
    [
      'is left while the cloud shows it without its whole address, and the record lacks the rest: it may be the wanted one',
      { wanted: [a], recorded: { '1//a': { id: 'p1' } }, shown: [peering('p1', a, { peer_region_code: undefined })] },
      { type: 'wait', reason: 'PeeringPending', afterMs: 5_000, message: 'the peering with 1/eu/a is not asked for yet' },
    ],
    [
      'is left when the record lacks a part of its address, and the cloud shows that it is the wanted one',
      { wanted: [a], recorded: { '1//a': { id: 'p1' } }, shown: [peering('p1', a)] },
      { ...available, message: 'its peering is active' },
    ],
    [
      'is removed when the record lacks a part of its address, and the cloud shows that it is not the wanted one',
      { wanted: [a], recorded: { '1//b': { id: 'p1' } }, shown: [peering('p1', { ...b, peerAccountId: '1' })] },
      {
        ...removeA,
        action: { ...removeA.action, key: '1//b' },
        message: 'removing the peering with 1//b; then: peerings',
      },
    ],
    ['is removed while another stays', { ...both, wanted: [b] }, removeA],
    ['is removed one at a time', both, removeA],
    ['is removed before another is asked for', { ...onlyA, wanted: [b] }, { ...removeA, message: '; then: peerings' }],
    ['is removed before the VPC gets another name', { ...onlyA, spec: { name: 'new' } }, { ...removeA, message: '; then: name' }],
    [
      'is removed though another one failed',
      { ...both, wanted: [b], shown: [peering('p1', a), peering('p2', b, { status: 'failed' })] },
      removeA,
    ],
    ['is removed though the cloud does not show it, for lists and a GET may be wrong', { ...onlyA, shown: [] }, makeSureOfA],
    [
      'is removed though the cloud does not show it, until a DELETE is answered: an earlier one was noted, and may have failed',
      { ...onlyA, shown: [], recorded: asked },
      makeSureOfA,
    ],
    [
      'is removed though the cloud does not show it, whatever other one was removed',
      { ...onlyA, shown: [], lastOperation: removalOf('p0') },
      makeSureOfA,
    ],
    [
      'that the cloud does not show, and refuses to remove, is told when nothing else is left',
      { ...onlyA, shown: [], refusals: new Map([refused('p1')]) },
      waits('p1', 60_000),
    ],
    [
      'is forgotten once its DELETE was answered and the cloud does not show it',
      { ...onlyA, shown: [], lastOperation: removalOf('p1') },
      forgotten({}),
    ],
    [
      'is forgotten however long ago its DELETE was answered',
      { ...onlyA, shown: [], lastOperation: removalOf('p1', 3_600_000) },
      forgotten({}),
    ],
    [
      'is forgotten once its DELETE was answered and the cloud does not show it, and the others are not',
      { ...both, wanted: [b], shown: [peering('p2', b)], lastOperation: removalOf('p1') },
      forgotten({ '2/eu/b': { id: 'p2' } }),
    ],
    ['is waited for while lists may lag', { ...onlyA, lastOperation: removalOf('p1') }, removing],
    [
      'is waited for while lists may lag, and the name with it',
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
        message: 'the peering p1, of which the cloud does not prove that it is gone, could not be read; tried again by itself',
      },
    ],
    [
      'is waited for by the time of the look, not of the visit',
      { ...onlyA, lastOperation: removalOf('p1', 60_000), list: { asOf: noon - 31_000 } },
      { ...removing, inProgressSince: noon - 60_000 },
    ],
    [
      'is waited for by its own removal, whatever was accepted since',
      { ...onlyA, lastOperation: removalOf('p0', 1_000), removals: new Map([['p1', noon - 5_000]]) },
      removing,
    ],
    [
      'is removed again in vain by its own removal, whatever was accepted since',
      { ...onlyA, lastOperation: removalOf('p0', 1_000), removals: new Map([['p1', noon - 30_000]]) },
      { ...removeA, action: { ...removeA.action, inVain: inVain('the peering with 1/eu/a') } },
    ],
    ['is removed though another one was removed just now', { ...onlyA, lastOperation: removalOf('p0') }, removeA],
    ['that cannot be removed now is told when nothing else is left', { ...onlyA, refusals: new Map([refused('p1')]) }, waits('p1', 60_000)],
    [
      'that cannot be removed now is told within ten minutes',
      { ...onlyA, refusals: new Map([refused('p1', { again: noon + 3_600_000 })]) },
      waits('p1', 600_000),
    ],
    [
      'that could not be removed is tried again when the time is over',
      { ...onlyA, refusals: new Map([refused('p1', { again: noon })]) },
      removeA,
    ],
    [
      'that cannot be removed now lets the name pass',
      { ...onlyA, spec: { name: 'new' }, refusals: new Map([refused('p1')]) },
      { ...renaming, message: '; then: peerings' },
    ],
    [
      'that cannot be removed now lets another be asked for',
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
    ['that cannot be removed now lets another be removed', { ...both, refusals: new Map([refused('p1')]) }, removeB],
    [
      'that cannot be removed now is told before another that cannot',
      { ...both, refusals: new Map([refused('p2'), refused('p1')]) },
      waits('p1', 60_000),
    ],
    ['is left while the peerings cannot be read', { ...onlyA, peerings: unreadable }, unread],
    [
      'is left by an object that only observes, which says so',
      { ...onlyA, spec: { managementPolicy: 'Observe' } },
      { type: 'done', reason: 'Observed', message: 'it differs from the spec: peerings' },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideVpc(withPeerings(given))).toEqual(stepLike(expected));
  });
});

test.each<readonly [sentence: string, recorded: NonNullable<GivenPeerings['recorded']>, written: object | undefined]>([
  ['the first DELETE is recorded before it is sent', { '1/eu/a': { id: 'p1' } }, recordWith(asked).record],
  ['the others keep the time of the first', asked, undefined],
])('of the DELETEs of a peering, %s', (_, recorded, record) => {
  expect(decideVpc(withPeerings({ ...onlyA, recorded }))).toMatchObject({ action: { type: 'deletePeering', record } });
});

describe('a peering whose removal was asked for before the spec named it again', () => {
  const again = { ...onlyA, recorded: asked, wanted: [a], lastOperation: removalOf('p1') };
  test.each<Row>([
    ['is forgotten once it is gone, so that it is asked for again', { ...again, shown: [] }, forgotten({})],
    ['is forgotten however long it took to go', { ...again, shown: [], lastOperation: removalOf('p1', 3_600_000) }, forgotten({})],
    ['is waited for while lists may lag: it is not there any more', again, removing],
    [
      'is asked for again once it is forgotten',
      { ...again, recorded: {}, shown: [] },
      {
        type: 'call',
        reason: 'PeeringPending',
        action: {
          type: 'createPeering',
          vpcId: 'vpc-1',
          key: '1/eu/a',
          request: { peer_account_id: '1', peer_region_code: 'eu', peer_vpc_id: 'a' },
        },
        message: 'asking for the peering with 1/eu/a',
      },
    ],
    [
      'is there when a look that is late enough shows it: its removal came to nothing',
      { ...again, lastOperation: removalOf('p1', 30_000) },
      { ...available, message: 'its peering is active' },
    ],
    [
      'is removed though the cloud does not show it, until a DELETE is answered: an earlier one was noted, and may have failed',
      { ...again, shown: [], lastOperation: undefined },
      makeSureOfA,
    ],
    [
      'is removed though the cloud does not show it, whatever other one was removed',
      { ...again, shown: [], lastOperation: removalOf('p0') },
      makeSureOfA,
    ],
    [
      'is removed though the cloud does not show it, where the VPC was renamed since the DELETE',
      { ...again, shown: [], lastOperation: { operation: 'renameVpc', wanted: 'p1', at: noon } },
      makeSureOfA,
    ],
    [
      'is not asked for again while the cloud refuses to remove the first one, which it does not show',
      { ...again, shown: [], lastOperation: undefined, refusals: new Map([refused('p1')]) },
      waits('p1', 60_000),
    ],
    [
      'is gone by somebody else when its removal was never asked for',
      { ...again, recorded: { '1/eu/a': { id: 'p1' } }, shown: [] },
      { type: 'stall', reason: 'PeeringFailed', retryAfterMs: 60_000, message: 'was not removed by this operator' },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideVpc(withPeerings(given))).toEqual(stepLike(expected));
  });
});

test('of the peerings that were removed, as many as a spec may name are remembered', () => {
  const removedPeerings = Array.from({ length: 64 }, (_, index) => `gone-${index}`);
  const step = decideVpc(withPeerings({ ...onlyA, shown: [], lastOperation: removalOf('p1'), record: { removedPeerings } }));
  expect(step).toMatchObject({ action: { record: { removedPeerings: [...removedPeerings.slice(1), 'p1'] } } });
});

function forgotten(others: NonNullable<GivenPeerings['recorded']>): ExpectedStep {
  return { type: 'write', action: recordWith(others, ['p1']), message: 'the peering with 1/eu/a is removed' };
}

function waits(id: string, afterMs: number): ExpectedStep {
  return { type: 'wait', reason: 'WaitingForCloud', afterMs, message: `not ${id}` };
}
