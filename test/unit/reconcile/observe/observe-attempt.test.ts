import type { Attempt } from '../../../../src/resources/ledger-entry.ts';
import { expect, test } from 'vitest';
import type { Snapshot } from '../../../../src/cloud/list-poller.ts';
import { generatedName, type ObservedAttempt } from '../../../../src/reconcile/ledger/attempt.ts';
import { resolveAttempt } from '../../../../src/reconcile/observe/observe-creation.ts';

interface Candidate {
  readonly id: string;
  readonly name: string | undefined;
}

/** The contents of the lists, each a second after the list before, and whether the lists are complete. */
interface Cloud {
  readonly lists: readonly (readonly Candidate[])[];
  readonly isWhole?: boolean;
  /** Policy time of the first look. */
  readonly from?: number;
}

const closesAt = 120_000;
const chosen: Attempt = {
  id: 'abcdefgh',
  at: '2026-11-21T09:00:00.000Z',
  request: { name: 'orders' },
  sameNameIds: [],
};
const oursAlone: Attempt = { ...chosen, request: { name: generatedName('orders', chosen.id) } };
const of = (name: string, id = 'new'): Candidate => ({ id, name });
const made = of('orders');
const unnamed: Candidate = { ...made, name: undefined };

async function resolved(attempt: Attempt, cloud: Cloud): Promise<string> {
  const observed = await observedIn(attempt, cloud);
  return observed.state === 'judged' ? observed.verdict.kind : observed.state;
}

/** The observation of incomplete and empty lists. */
const observedAt = (attempt: Attempt, from: number) =>
  observedIn(attempt, { lists: [[]], isWhole: false, from });

function observedIn(
  attempt: Attempt,
  { lists, isWhole = true, from = closesAt }: Cloud,
): Promise<ObservedAttempt> {
  let asked = 0;
  let items = new Map<string, Candidate>();
  return resolveAttempt<Candidate>({
    attempt,
    closesAt,
    list: {
      operation: 'listServices',
      since(notBefore) {
        items = new Map((lists[asked] ?? lists.at(-1) ?? []).map((each) => [each.id, each]));
        asked += 1;
        const snapshot: Snapshot<Candidate> = {
          items,
          listed: new Set(items.keys()),
          begunAt: notBefore,
          missing: new Set(),
        };
        return Promise.resolve(snapshot);
      },
      unexplained: () => Promise.resolve(isWhole ? [] : ['known']),
    },
    isClaimed: () => false,
    now: () => from,
  });
}

test.each<[string, Attempt, Cloud, string]>([
  ['shows nothing yet', oursAlone, { lists: [[]], from: closesAt - 1 }, 'looking'],
  [
    'shows it under a name of ours, at any time',
    oursAlone,
    { lists: [[of('orders-abcdef')]], from: 0 },
    'one',
  ],
  [
    'shows it under a chosen name before everything has to show',
    chosen,
    { lists: [[made]], from: closesAt - 1 },
    'looking',
  ],
  ['shows it twice', chosen, { lists: [[made], [made]] }, 'ambiguous'],
  ['shows nothing twice', chosen, { lists: [[], []] }, 'none'],
  ['shows it only the second time', chosen, { lists: [[], [made]] }, 'looking'],
  ['shows it only the first time', chosen, { lists: [[made], []] }, 'looking'],
  ['shows lists that may lack something', chosen, { lists: [[], []], isWhole: false }, 'looking'],
  [
    'shows something without a name before everything has to show',
    oursAlone,
    { lists: [[unnamed]], from: closesAt - 1 },
    'looking',
  ],
  ['shows two', chosen, { lists: [[made, of('orders', 'other')]] }, 'ambiguous'],
  [
    'shows it under a name of ours beside something without a name',
    oursAlone,
    { lists: [[unnamed, of('orders-abcdef', 'ours')]] },
    'one',
  ],
])('the cloud %s', async (_, attempt, cloud, expected) => {
  expect(await resolved(attempt, cloud)).toBe(expected);
});

test.each([
  ['a generated', oursAlone],
  ['a chosen', chosen],
])(
  'an attempt under %s name is not resolved by lists that show a resource without a name',
  async (_, attempt) => {
    await expect(resolved(attempt, { lists: [[unnamed], [unnamed]] })).rejects.toMatchObject({
      kind: 'unreadable',
      field: 'the name of new: expected string',
    });
  },
);

const later = closesAt + 5_000;
/** Policy times of a look that finds nothing, and of the next look. The attempt was first seen at 0. */
const looks: readonly (readonly [at: number, next: number])[] = [
  [0, 1_000],
  [1_000, 3_000],
  [3_100, 8_000],
  [8_000, 20_000],
  [20_000, 60_000],
  [60_000, closesAt],
  [closesAt, later],
];

test.each(looks)(
  'a list at %i ms without the result of a create under a generated name is repeated at %i ms',
  async (at, next) => {
    expect(await observedAt(oursAlone, at)).toEqual({
      state: 'looking',
      attempt: oursAlone,
      again: next,
    });
  },
);

test('a list without the result of a create under a chosen name is repeated only when lists can resolve the create', async () => {
  expect(await observedAt(chosen, 1_000)).toMatchObject({ state: 'looking', again: closesAt });
});
