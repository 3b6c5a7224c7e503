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
  [
    'an active peering is named in the message',
    { ...onlyA, shown: [peering('p1', a)] },
    available(', its peering is active'),
  ],
  [
    'two active peerings are counted in the message',
    { ...both, shown: [peering('p1', a), peering('p2', b)] },
    available(', its 2 peerings are active'),
  ],
  [
    'foreign peerings are not counted',
    { ...onlyA, shown: [peering('p1', a), peering('p2', b, { status: 'failed' })] },
    available(', its peering is active'),
  ],
  [
    'a pending peering is waited for',
    { ...onlyA, shown: [peering('p1', a, { status: 'pending' })] },
    waitsFor('1/eu/a (pending)'),
  ],
  [
    'a pending peering of two is named in the message',
    { ...both, shown: [peering('p1', a), peering('p2', b, { status: 'pending' })] },
    waitsFor('2/eu/b (pending)'),
  ],
  [
    'two pending peerings are both named in the message',
    {
      ...both,
      shown: [peering('p1', a, { status: 'pending' }), peering('p2', b, { status: 'pending' })],
    },
    waitsFor('1/eu/a (pending), 2/eu/b (pending)'),
  ],
  [
    'a peering with an unknown state is waited for',
    { ...onlyA, shown: [peering('p1', a, { status: 'provisioning' })] },
    waitsFor('1/eu/a (provisioning)'),
  ],
  [
    'a peering without a state is waited for',
    { ...onlyA, shown: [peering('p1', a, { status: undefined })] },
    waitsFor('1/eu/a (no status)'),
  ],
  [
    'a peering that is pending for nearly ten minutes is polled',
    {
      ...onlyA,
      shown: [peering('p1', a, { status: 'pending' })],
      read: { since: noon - tenMinutesMs + 1 },
    },
    { ...waitsFor('1/eu/a (pending)'), inProgressSince: noon - tenMinutesMs + 1 },
  ],
  [
    'a peering that is pending for ten minutes is no longer polled',
    {
      ...onlyA,
      shown: [peering('p1', a, { status: 'pending' })],
      read: { since: noon - tenMinutesMs },
    },
    {
      type: 'wait',
      reason: 'PeeringPending',
      message: 'waiting for the other side to accept the peering with 1/eu/a (pending)',
    },
  ],
  [
    'a failed peering is reported with its reason and the remedy',
    {
      ...onlyA,
      shown: [peering('p1', a, { status: 'failed', error_message: 'the peer said no' })],
    },
    {
      ...failed,
      message:
        'the peering with 1/eu/a failed: "the peer said no"; correct the other side, then remove the peering from spec.peerings and add it again',
    },
  ],
  [
    'a failed peering without a reason is reported as such',
    { ...onlyA, shown: [peering('p1', a, { status: 'failed' })] },
    { ...failed, message: 'the peering with 1/eu/a failed: "the cloud gives no reason"' },
  ],
  [
    'a failed foreign peering of the spec is reported',
    { wanted: [a], shown: [peering('p1', a, { status: 'failed' })] },
    { ...failed, message: '1/eu/a failed' },
  ],
  [
    'a failed peering does not delay a rename',
    { ...onlyA, spec: { name: 'new' }, shown: [peering('p1', a, { status: 'failed' })] },
    {
      type: 'call',
      reason: 'Renaming',
      action: changing('renameVpc', ['vpc-1', { name: 'new' }], 'prod', 'new'),
      message: 'renaming',
    },
  ],
  [
    'a recorded peering is recognised by its id among peerings with its address',
    { ...onlyA, shown: [peering('p0', a, { status: 'failed' }), peering('p1', a)] },
    available(', its peering is active'),
  ],
  ...[
    [
      peering('p8', a, { status: 'failed' }),
      peering('p9', a, { status: 'pending' }),
      peering('p10', a),
    ],
    [
      peering('p10', a),
      peering('p9', a, { status: 'pending' }),
      peering('p8', a, { status: 'failed' }),
    ],
  ].map((shown): readonly [string, GivenPeerings, ExpectedStep] => [
    'the best of several foreign peerings with an address counts, in any order',
    { wanted: [a], shown },
    available(', its peering is active'),
  ]),
  ...[
    [peering('p8', a, { status: 'failed' }), peering('p9', a, { status: 'pending' })],
    [peering('p9', a, { status: 'pending' }), peering('p8', a, { status: 'failed' })],
  ].map((shown): readonly [string, GivenPeerings, ExpectedStep] => [
    'a pending foreign peering counts before a failed foreign peering with its address',
    { wanted: [a], shown },
    waitsFor('1/eu/a (pending)'),
  ]),
  [
    'a peering that is shown a minute after its removal counts as existing',
    { ...onlyA, shown: [peering('p1', a)], lastOperation: removalOf('p1', 60_000) },
    available(', its peering is active'),
  ],
])('of the wanted and existing peerings of a VPC, %s', (_, given, expected) => {
  expect(decideVpc(withPeerings(given))).toEqual(stepLike(expected));
});

function available(peerings: string): ExpectedStep {
  return { type: 'done', reason: 'Available', message: `the VPC exists${peerings}` };
}
