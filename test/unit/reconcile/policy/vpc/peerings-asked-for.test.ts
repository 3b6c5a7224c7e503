import { describe, expect, test } from 'vitest';
import { stall } from '../../../../../src/reconcile/step/step.ts';
import { decideVpc } from '../../../../../src/reconcile/kinds/vpc/kind.ts';
import { stepLike, type ExpectedStep } from '../../../../support/step-like.ts';
import { noon } from '../../../../support/situation.ts';
import {
  a,
  b,
  peering,
  pendingBut,
  recordWith,
  removalOf,
  renaming,
  unclaimedBut,
  unread,
  unreadable,
  withPeerings,
  type GivenPeerings,
} from './vpc-with-peerings.ts';
import { refusalKey } from '../../../../../src/reconcile/step/refusal.ts';

type Row = readonly [sentence: string, given: GivenPeerings, expected: ExpectedStep];

const refused = (key: string, { again = noon + 60_000, generation = 1 } = {}) =>
  [refusalKey('createPeering', key), { generation, again, times: 1, step: stall('Rejected', `no ${key}`) }] as const;
const asking = (key: string, peer_account_id: string, peer_vpc_id: string) => ({
  type: 'call' as const,
  reason: 'PeeringPending',
  action: { type: 'createPeering', vpcId: 'vpc-1', key, request: { peer_account_id, peer_region_code: 'eu', peer_vpc_id } },
  message: `asking for the peering with ${key}`,
});
const askForA = asking('1/eu/a', '1', 'a');
const askForB = asking('2/eu/b', '2', 'b');
const notYet = (message: string) => ({ type: 'wait' as const, reason: 'PeeringPending', afterMs: 5_000, message });
const rejectedA = { type: 'stall', reason: 'Rejected', retryAfterMs: 60_000, message: 'no 1/eu/a' } as const;

/** The list may lag. */
const late = { list: { isConclusive: false } } as const;
/** A peering without its whole address. */
const partOf = (id: string, to: typeof a) => peering(id, to, { peer_region_code: undefined });
const mayBeIt = (id: string) =>
  `the cloud shows the peering ${id} without its whole address, which may be it; look for it there, or ask its support; it goes on once the cloud shows the address`;
const lacking = { list: { isConclusive: false, unexplained: ['p8', 'p9'] } } as const;
const lacksBoth =
  "the cloud's list of the peerings lacks p8, p9, and the cloud does not say that it is gone; look for it there, or ask its support";

describe('a peering of the spec', () => {
  test.each<Row>([
    ['that the cloud does not show is asked for', { wanted: [a] }, askForA],
    ['is asked for though another is there', { wanted: [a, b], recorded: { '1/eu/a': { id: 'p1' } }, shown: [peering('p1', a)] }, askForB],
    ['is asked for by itself, the first of the list first', { wanted: [a, b] }, askForA],
    ['is asked for before the VPC gets another name', { wanted: [a], spec: { name: 'new' } }, { ...askForA, message: '; then: name' }],
    [
      'that was there before is used as it is',
      { wanted: [a], shown: [peering('p1', a)] },
      { type: 'done', reason: 'Available', message: 'the VPC is there, its peering is active' },
    ],
    ['that the cloud refused lets the next one pass', { wanted: [a, b], refusals: new Map([refused('1/eu/a')]) }, askForB],
    [
      'that the cloud refused lets the name pass, and is named behind it',
      { wanted: [a], spec: { name: 'new' }, refusals: new Map([refused('1/eu/a')]) },
      { ...renaming, message: '; then: peerings' },
    ],
    [
      'that the cloud refused is told when nothing else is left, until it is asked for again',
      { wanted: [a, b], shown: [peering('p2', b, { status: 'pending' })], refusals: new Map([refused('1/eu/a')]) },
      rejectedA,
    ],
    [
      'that the cloud refused is told before another that it refused',
      { wanted: [a, b], refusals: new Map([refused('2/eu/b', { again: noon + 1_000 }), refused('1/eu/a')]) },
      rejectedA,
    ],
    ['is asked for again when the time is over', { wanted: [a], refusals: new Map([refused('1/eu/a', { again: noon })]) }, askForA],
    ['is asked for again when the spec has changed', { wanted: [a], refusals: new Map([refused('1/eu/a', { generation: 0 })]) }, askForA],
    [
      'that somebody removed is not asked for by itself',
      { wanted: [a], recorded: { '1/eu/a': { id: 'p1' } } },
      { type: 'stall', reason: 'PeeringFailed', retryAfterMs: 60_000, message: 'take it out of spec.peerings and put it back' },
    ],
    [
      'is not asked for while the list lacks peerings that are known, since it may lack this one, too',
      { wanted: [a, b], recorded: { '1/eu/a': { id: 'p1' } }, shown: [peering('p1', a)], ...late },
      notYet('the peering with 2/eu/b is not asked for yet'),
    ],
    [
      'that is not asked for yet names the peerings that the list lacks, and what a person can do',
      { wanted: [a], ...lacking },
      notYet(`${lacksBoth}; take a peering that is gone out of spec.peerings`),
    ],
    [
      'is not asked for while one is shown without its whole address, which may be it',
      { wanted: [a], shown: [partOf('p1', a)] },
      notYet(`the peering with 1/eu/a is not asked for yet, since it may be there: ${mayBeIt('p1')}`),
    ],
    [
      'is asked for though one is shown without its whole address, where the rest of it is another',
      { wanted: [a], shown: [partOf('p1', b)] },
      askForA,
    ],
    [
      'that is not asked for yet does not hold back the name',
      { wanted: [a], spec: { name: 'new' }, ...late },
      { ...renaming, message: '; then: peerings' },
    ],
    ['is not asked for while the peerings cannot be read', { wanted: [a], peerings: unreadable }, unread],
    [
      'does not hold back the name while the peerings cannot be read',
      { wanted: [a], spec: { name: 'new' }, peerings: unreadable },
      renaming,
    ],
  ])('%s', (_, given, expected) => {
    expect(decideVpc(withPeerings(given))).toEqual(stepLike(expected));
  });
});

test('a request for a peering notes those that are there, and those that were removed: none of them is its result', () => {
  const given = { wanted: [a], shown: [peering('p9', b)], lastOperation: removalOf('p1') };
  const forget = decideVpc(withPeerings({ ...given, recorded: { '1/eu/a': { id: 'p1', removalAskedAt: '2026-11-21T11:59:50.000Z' } } }));
  expect(forget).toMatchObject({ type: 'write', action: { record: { peerings: {}, removedPeerings: ['p1'] } } });
  const ask = decideVpc(withPeerings({ ...given, record: { removedPeerings: ['p1'] } }));
  expect(ask).toMatchObject({ type: 'call', action: { type: 'createPeering', before: ['p9', 'p1'] } });
});

const stillOpen = {
  type: 'wait',
  reason: 'PeeringPending',
  afterMs: 15_000,
  message: 'it is not known yet whether the request for the peering with 1/eu/a reached the cloud',
} as const;
const waits = (message: string) => ({ ...stillOpen, message });
const never = 'the request for the peering with 1/eu/a never reached the cloud';
const records =
  (...[peerings, removed]: Parameters<typeof recordWith>) =>
  (message: string) => ({
    type: 'write' as const,
    action: recordWith(peerings, removed),
    message,
  });
const forgotten = (message: string) => ({ ...records({})(`is forgotten: ${message}`), warns: 'PeeringPending' });
const cameToNothing = records({})(never);
const removes = (message: string) => ({
  type: 'call' as const,
  reason: 'PeeringPending',
  action: { type: 'deletePeering', vpcId: 'vpc-1', key: '2/eu/b', id: 'p2' },
  message: `${message}; then: peerings`,
});

/** Not answered; none of those that existed before is the answer. */
const openBut = (...before: readonly string[]) => ({ wanted: [a], recorded: { '1/eu/a': pendingBut(...before) } });
const open = openBut();
const openBesideB = { wanted: [a], recorded: { '2/eu/b': { id: 'p2' }, '1/eu/a': pendingBut() } };
/** The spec does not name the address any more. */
const dropped = { ...open, wanted: [] };
const left = { recorded: { '1/eu/a': unclaimedBut() } };

describe('a request for a peering that was not answered', () => {
  test.each<Row>([
    [
      'is answered by what appeared since under its address',
      { ...openBut('p1'), shown: [peering('p1', a), peering('p2', a, { status: 'pending' })] },
      records({ '1/eu/a': { id: 'p2' } })('the peering with 1/eu/a had been created as p2'),
    ],
    [
      'is answered by a late list, too, before it is conclusive',
      { ...open, shown: [peering('p2', a)], ...late },
      records({ '1/eu/a': { id: 'p2' } })('had been created as p2'),
    ],
    ['is not answered by what was there before', { ...openBut('p1'), shown: [peering('p1', a)], ...late }, stillOpen],
    ['is not answered by what appeared under another address', { ...open, wanted: [a, b], shown: [peering('p2', b)], ...late }, stillOpen],
    ['is waited for while lists may lag', { ...open, ...late }, stillOpen],
    ['came to nothing when a list that is late enough lacks it', open, cameToNothing],
    ['came to nothing when such a list shows only what was there before', { ...openBut('p1'), shown: [peering('p1', a)] }, cameToNothing],
    [
      'may be answered by what appeared since without its whole address: nothing is concluded until that is shown',
      { ...open, shown: [partOf('p1', a)] },
      waits(`looking for it there; ${mayBeIt('p1')}`),
    ],
    [
      'came to nothing though one that was there before is shown without its whole address',
      { ...openBut('p1'), shown: [partOf('p1', a)] },
      cameToNothing,
    ],
    [
      'leaves the other peerings in the record',
      { ...openBesideB, wanted: [a, b], shown: [peering('p2', b)] },
      records({ '2/eu/b': { id: 'p2' } })(never),
    ],
    [
      'is looked into before the next that was not answered',
      { wanted: [a, b], recorded: { '1/eu/a': pendingBut(), '2/eu/b': pendingBut() }, shown: [peering('p2', b)], ...late },
      stillOpen,
    ],
    ['is looked into before another peering is asked for', { ...open, wanted: [a, b], ...late }, stillOpen],
    ['does not hold back the name', { ...open, spec: { name: 'new' }, ...late }, { ...renaming, message: '; then: peerings' }],
    [
      'says which known peerings the list lacks, and what a person can do',
      { ...open, ...lacking },
      waits(`looking for it there; ${lacksBoth}; take a peering that is gone out of spec.peerings`),
    ],
    [
      'and whose address the spec does not name any more claims nothing: what appeared there may be somebody else’s',
      { ...dropped, shown: [peering('p1', a)] },
      forgotten('nobody knows who made p1; remove by hand what nobody needs'),
    ],
    [
      'and whose address the spec does not name any more notes that what appears there is left',
      { ...openBut('p0'), wanted: [], shown: [peering('p1', a)], ...late },
      records({ '1/eu/a': unclaimedBut('p0') })(
        'nothing is taken for the result of the request for the peering with 1/eu/a: nobody knows who made p1',
      ),
    ],
    [
      'and whose address the spec does not name any more notes nothing about what is shown without its whole address',
      { ...dropped, shown: [partOf('p1', a)], ...late },
      waits(mayBeIt('p1')),
    ],
    [
      'claims nothing that was left while the spec did not name its address',
      { wanted: [a], ...left, shown: [peering('p1', a)], ...late },
      waits('the cloud shows p1 there, and nobody knows who made that: remove by hand what nobody needs'),
    ],
    [
      'claims nothing that was left, nor what appears afterwards, when its time is over',
      { wanted: [a], ...left, shown: [peering('p3', a)] },
      forgotten('nobody knows who made p3; remove by hand what nobody needs'),
    ],
    [
      'and whose address the spec does not name any more says what appeared there, while it may still arrive',
      { ...left, shown: [peering('p1', a)], ...late },
      waits('the cloud shows p1 there, and nobody knows who made that: remove by hand what nobody needs'),
    ],
    ['came to nothing though the spec does not name its address any more', dropped, cameToNothing],
    ...[
      [peering('p1', a), peering('p2', a)],
      [peering('p2', a), peering('p1', a)],
    ].flatMap((shown): readonly Row[] => [
      [
        'claims neither of two that appeared there, whatever their order: the spec has its peering',
        { ...open, shown },
        forgotten(`nobody knows who made ${shown.map(({ id }) => id).join(', ')}`),
      ],
      [
        'notes that two appeared there: neither is claimed once the other is gone',
        { ...open, shown, ...late },
        records({ '1/eu/a': unclaimedBut() })(`nobody knows who made ${shown.map(({ id }) => id).join(', ')}`),
      ],
      ['waits for the lists, where two appeared there', { wanted: [a], ...left, shown, ...late }, stillOpen],
    ]),
    [
      'claims nothing where another may have that address, too',
      { ...open, shown: [peering('p1', a), partOf('p2', a)], ...late },
      waits(mayBeIt('p2')),
    ],
    [
      'does not hold back the removal of another',
      { ...openBesideB, shown: [peering('p2', b)], ...late },
      removes('removing the peering with 2/eu/b'),
    ],
    [
      'does not hold back the removal of one that lists lack',
      { ...openBesideB, ...lacking },
      removes('making sure that the peering with 2/eu/b is gone from the cloud'),
    ],
    [
      'lets go of one that lists lack once its DELETE was answered',
      { ...openBesideB, ...lacking, lastOperation: removalOf('p2') },
      records({ '1/eu/a': pendingBut() }, ['p2'])('the peering with 2/eu/b is removed; then: peerings'),
    ],
    ['is not concluded upon while the peerings cannot be read', { ...open, peerings: unreadable }, unread],
    [
      'is left alone by an object that only observes',
      { ...open, spec: { managementPolicy: 'Observe' } },
      { type: 'done', reason: 'Observed', message: 'the VPC is observed and never changed' },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideVpc(withPeerings(given))).toEqual(stepLike(expected));
  });
});
