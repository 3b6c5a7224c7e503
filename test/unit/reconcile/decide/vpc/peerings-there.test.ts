import { expect, test } from 'vitest';
import { decideVpc } from '../../../../../src/reconcile/kinds/vpc/kind.ts';
import { changing } from '../../../../support/steps.ts';
import { stepLike, type ExpectedStep } from '../../../../support/step-like.ts';
import { noon } from '../../../../support/situation.ts';
import { a, b, peering, removalOf, withPeerings, type GivenPeerings } from './vpc-with-peerings.ts';

const recorded = { '1/eu/a': { id: 'p1' }, '2/eu/b': { id: 'p2' } } as const;
const onlyA = { wanted: [a], recorded: { '1/eu/a': { id: 'p1' } } } as const;
const both = { wanted: [a, b], recorded } as const;
const tenMinutesMs = 600_000;
const failed = { type: 'stall', reason: 'PeeringFailed', retryAfterMs: 60_000 } as const;
const waitsFor = (words: string) =>
  ({
    type: 'wait',
    reason: 'PeeringPending',
    inProgressSince: noon,
    message: `waiting for the other side to accept the peering with ${words}`,
  }) as const;

test.each<readonly [sentence: string, given: GivenPeerings, expected: ExpectedStep]>([
  ['one that is active is named in the message', { ...onlyA, shown: [peering('p1', a)] }, available(', its peering is active')],
  ['two are counted', { ...both, shown: [peering('p1', a), peering('p2', b)] }, available(', its 2 peerings are active')],
  [
    'those of somebody else are not counted',
    { ...onlyA, shown: [peering('p1', a), peering('p2', b, { status: 'failed' })] },
    available(', its peering is active'),
  ],
  ['one that is pending is waited for', { ...onlyA, shown: [peering('p1', a, { status: 'pending' })] }, waitsFor('1/eu/a (pending)')],
  [
    'one of two that is pending is waited for by its name',
    { ...both, shown: [peering('p1', a), peering('p2', b, { status: 'pending' })] },
    waitsFor('2/eu/b (pending)'),
  ],
  [
    'two that are pending are both named',
    { ...both, shown: [peering('p1', a, { status: 'pending' }), peering('p2', b, { status: 'pending' })] },
    waitsFor('1/eu/a (pending), 2/eu/b (pending)'),
  ],
  [
    'a word that nobody has heard of is waited for, too',
    { ...onlyA, shown: [peering('p1', a, { status: 'provisioning' })] },
    waitsFor('1/eu/a (provisioning)'),
  ],
  ['one without a word is waited for, too', { ...onlyA, shown: [peering('p1', a, { status: undefined })] }, waitsFor('1/eu/a (no status)')],
  [
    'one that is pending for nearly ten minutes is followed closely',
    { ...onlyA, shown: [peering('p1', a, { status: 'pending' })], list: { since: noon - tenMinutesMs + 1 } },
    { ...waitsFor('1/eu/a (pending)'), inProgressSince: noon - tenMinutesMs + 1 },
  ],
  [
    'one that is pending for ten minutes waits for a person, and is looked at now and then',
    { ...onlyA, shown: [peering('p1', a, { status: 'pending' })], list: { since: noon - tenMinutesMs } },
    { type: 'wait', reason: 'PeeringPending', message: 'waiting for the other side to accept the peering with 1/eu/a (pending)' },
  ],
  [
    'one that failed says why, and what to do',
    { ...onlyA, shown: [peering('p1', a, { status: 'failed', error_message: 'the peer said no' })] },
    { ...failed, message: 'the peering with 1/eu/a failed: "the peer said no"; correct it in spec.peerings, or correct the other side' },
  ],
  [
    'one that failed without a reason says so',
    { ...onlyA, shown: [peering('p1', a, { status: 'failed' })] },
    { ...failed, message: 'the peering with 1/eu/a failed: "the cloud gives no reason"' },
  ],
  [
    'one that was there before and failed is told, too',
    { wanted: [a], shown: [peering('p1', a, { status: 'failed' })] },
    { ...failed, message: '1/eu/a failed' },
  ],
  [
    'one that failed does not hold back the name',
    { ...onlyA, spec: { name: 'new' }, shown: [peering('p1', a, { status: 'failed' })] },
    {
      type: 'call',
      reason: 'Renaming',
      action: changing('renameVpc', ['vpc-1', { name: 'new' }], 'prod', 'new'),
      message: 'renaming',
    },
  ],
  [
    'one of ours is known by its id, whatever else has its address',
    { ...onlyA, shown: [peering('p0', a, { status: 'failed' }), peering('p1', a)] },
    available(', its peering is active'),
  ],
  ...[
    [peering('p8', a, { status: 'failed' }), peering('p9', a, { status: 'pending' }), peering('p10', a)],
    [peering('p10', a), peering('p9', a, { status: 'pending' }), peering('p8', a, { status: 'failed' })],
  ].map((shown): readonly [string, GivenPeerings, ExpectedStep] => [
    'the best counts where somebody else made several at one address, whatever their order',
    { wanted: [a], shown },
    available(', its peering is active'),
  ]),
  ...[
    [peering('p8', a, { status: 'failed' }), peering('p9', a, { status: 'pending' })],
    [peering('p9', a, { status: 'pending' }), peering('p8', a, { status: 'failed' })],
  ].map((shown): readonly [string, GivenPeerings, ExpectedStep] => [
    'one that may still be accepted counts before one of its address that failed',
    { wanted: [a], shown },
    waitsFor('1/eu/a (pending)'),
  ]),
  [
    'one that is there though it was removed a while ago is there',
    { ...onlyA, shown: [peering('p1', a)], lastOperation: removalOf('p1', 60_000) },
    available(', its peering is active'),
  ],
])('of the peerings that are wanted and there, %s', (_, given, expected) => {
  expect(decideVpc(withPeerings(given))).toEqual(stepLike(expected));
});

function available(peerings: string): ExpectedStep {
  return { type: 'done', reason: 'Available', message: `the VPC exists${peerings}` };
}
