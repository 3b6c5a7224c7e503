import { describe, expect, test } from 'vitest';
import { stall } from '../../../../../src/reconcile/step/step.ts';
import { decideVpc } from '../../../../../src/reconcile/kinds/vpc/kind.ts';
import { stepLike, type ExpectedStep } from '../../../../support/step-like.ts';
import { noon } from '../../../../support/situation.ts';
import {
  a,
  b,
  peering,
  recordWith,
  renaming,
  unanswered,
  unread,
  unreadable,
  withPeerings,
  type GivenPeerings,
} from './vpc-with-peerings.ts';
import { refusalKey } from '../../../../../src/reconcile/step/outcome.ts';

type Row = readonly [sentence: string, given: GivenPeerings, expected: ExpectedStep];

const refused = (key: string, { again = noon + 60_000, generation = 1 } = {}) =>
  [
    refusalKey('createPeering', key),
    { generation, again, times: 1, isUnclear: false, step: stall('Rejected', `no ${key}`) },
  ] as const;
const asking = (key: string, peer_account_id: string, peer_vpc_id: string) => ({
  type: 'call' as const,
  reason: 'PeeringPending',
  action: {
    type: 'createPeering',
    vpcId: 'vpc-1',
    key,
    request: { peer_account_id, peer_region_code: 'eu', peer_vpc_id },
  },
  message: `asking for the peering with ${key}`,
});
const askForA = asking('1/eu/a', '1', 'a');
const askForB = asking('2/eu/b', '2', 'b');
const notYet = (message: string) => ({
  type: 'wait' as const,
  reason: 'PeeringPending',
  afterMs: 15_000,
  message,
});
const rejectedA = {
  type: 'stall',
  reason: 'Rejected',
  retryAfterMs: 60_000,
  message: 'no 1/eu/a',
} as const;

const lacking = {
  peerings: { state: 'unknown', error: undefined, missing: ['p8', 'p9'] },
} as const;

describe('a peering of the spec', () => {
  test.each<Row>([
    ['that the cloud does not show is requested', { wanted: [a] }, askForA],
    [
      'is requested even if a second peering exists',
      { wanted: [a, b], recorded: { '1/eu/a': { id: 'p1' } }, shown: [peering('p1', a)] },
      askForB,
    ],
    ['is requested alone, in the order of the spec', { wanted: [a, b] }, askForA],
    [
      'is requested before the VPC is renamed',
      { wanted: [a], spec: { name: 'new' } },
      { ...askForA, message: '; then: name' },
    ],
    [
      'that existed before is used unchanged',
      { wanted: [a], shown: [peering('p1', a)] },
      { type: 'done', reason: 'Available', message: 'the VPC exists, its peering is active' },
    ],
    [
      'that the cloud refused does not delay the next peering',
      { wanted: [a, b], refusals: new Map([refused('1/eu/a')]) },
      askForB,
    ],
    [
      'that the cloud refused does not delay a rename, whose message names the peering',
      { wanted: [a], spec: { name: 'new' }, refusals: new Map([refused('1/eu/a')]) },
      { ...renaming, message: '; then: peerings' },
    ],
    [
      'that the cloud refused is reported until its retry if no other change is left',
      {
        wanted: [a, b],
        shown: [peering('p2', b, { status: 'pending' })],
        refusals: new Map([refused('1/eu/a')]),
      },
      rejectedA,
    ],
    [
      'that the cloud refused is reported before a second refused peering',
      {
        wanted: [a, b],
        refusals: new Map([refused('2/eu/b', { again: noon + 1_000 }), refused('1/eu/a')]),
      },
      rejectedA,
    ],
    [
      'is requested again at its retry time',
      { wanted: [a], refusals: new Map([refused('1/eu/a', { again: noon })]) },
      askForA,
    ],
    [
      'is requested again if the spec changed',
      { wanted: [a], refusals: new Map([refused('1/eu/a', { generation: 0 })]) },
      askForA,
    ],
    [
      'that disappeared from the cloud leaves the record, so that it is requested again',
      { wanted: [a], recorded: { '1/eu/a': { id: 'p1' } } },
      {
        type: 'write',
        action: recordWith({}),
        message: 'the peering with 1/eu/a is gone from the cloud',
      },
    ],
    [
      'is not requested while the list lacks known peerings, since the list may be incomplete',
      { wanted: [a], ...lacking },
      {
        type: 'keep',
        delayedReport: { type: 'wait', reason: 'WaitingForCloud', afterMs: 5_000 },
        message:
          'the peerings of the VPC, whose list lacks p8, p9, could not be read; the operator retries',
      },
    ],
    [
      'does not delay a rename while the list lacks known peerings',
      { wanted: [a], spec: { name: 'new' }, ...lacking },
      renaming,
    ],
    [
      'is not requested while the peerings cannot be read',
      { wanted: [a], peerings: unreadable },
      unread,
    ],
    [
      'does not delay a rename while the peerings cannot be read',
      { wanted: [a], spec: { name: 'new' }, peerings: unreadable },
      renaming,
    ],
  ])('%s', (_, given, expected) => {
    expect(decideVpc(withPeerings(given))).toEqual(stepLike(expected));
  });
});

const open: GivenPeerings = {
  wanted: [a],
  recorded: { '1/eu/a': unanswered },
  read: { open: ['1/eu/a'] },
};
const over: GivenPeerings = { ...open, read: { open: [] } };
const waiting = notYet(
  'the request for the peering with 1/eu/a had no answer: the operator looks for it for two minutes',
);
const available = {
  type: 'done',
  reason: 'Available',
  message: 'the VPC exists, its peering is active',
} as const;
const forgotten = {
  type: 'write',
  action: recordWith({}),
  message: 'the request for the peering with 1/eu/a is over',
} as const;

describe('a request for a peering without an answer', () => {
  test.each<Row>([
    ['is not repeated for two minutes', open, waiting],
    ['is repeated when a late list lacks the peering', over, askForA],
    [
      'is not repeated when the cloud shows a peering at its address',
      { ...open, shown: [peering('p1', a)] },
      available,
    ],
    [
      'is repeated though the cloud shows a peering at another address',
      { ...over, shown: [peering('p2', b)] },
      askForA,
    ],
    ['does not hold back another peering', { ...open, wanted: [a, b] }, askForB],
    [
      'does not hold back the name',
      { ...open, spec: { name: 'new' } },
      { ...renaming, message: '; then: peerings' },
    ],
    [
      'stays in the record while its peering may appear, though the spec names its address no more',
      { ...open, wanted: [] },
      { ...available, message: 'the VPC exists' },
    ],
    [
      'leaves the record once it is over and the spec names its address no more',
      { ...over, wanted: [] },
      forgotten,
    ],
    [
      'is no reason to remove the peering at its address: the operator may not have made that',
      { ...over, wanted: [], shown: [peering('p1', a)] },
      forgotten,
    ],
    [
      'does not hold back the removal of another',
      {
        ...open,
        recorded: { '2/eu/b': { id: 'p2' }, '1/eu/a': unanswered },
        shown: [peering('p2', b)],
      },
      {
        type: 'call',
        reason: 'PeeringPending',
        action: { type: 'deletePeering', vpcId: 'vpc-1', id: 'p2' },
        message: 'removing the peering with 2/eu/b; then: peerings',
      },
    ],
    [
      'is not concluded upon while the peerings cannot be read',
      { ...open, peerings: unreadable },
      unread,
    ],
  ])('%s', (_, given, expected) => {
    expect(decideVpc(withPeerings(given))).toEqual(stepLike(expected));
  });
});
