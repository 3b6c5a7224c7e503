import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  Absences,
  apartMs,
  isExplained,
  proof,
  reduce,
  type AbsenceEvent,
  type AbsenceEvidence,
} from '../../../src/cloud/absences.ts';

const ids = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `id${n + from}`);
const idSet = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 60 })
  .map((each) => new Set(each));

/** A hundred known ids, and lists without some of them. */
function fleet({ hasGet = true } = {}) {
  const absences = new Absences(hasGet);
  const known = new Set(ids(100));
  const list = (at: number, ...missing: readonly string[]) =>
    absences.judge(known, known.difference(new Set(missing)), at);
  return { absences, list };
}

const listed = { type: 'listed', isLeaving: false } as const;
const listedLeaving = { type: 'listed', isLeaving: true } as const;
const missing = { type: 'missing', isClaimed: true } as const;
const accepted = { type: 'accepted', isSeen: false } as const;
const acceptedAsGone = { type: 'accepted', isSeen: true } as const;
const noGet = { type: 'denied', by: 'GET' } as const;
const noDelete = { type: 'denied', by: 'DELETE' } as const;
const shown = { type: 'shown', isLeaving: false } as const;

type Told = readonly (readonly [at: number, event: AbsenceEvent])[];
const evidenceOf = (told: Told) =>
  told.reduce<AbsenceEvidence | undefined>(
    (seen, [at, event]) => reduce(seen, event, at),
    undefined,
  ) ?? {
    isShown: false,
  };

/** The time from which a list proves the absence, for a kind with a GET: after a complete list, and after a list that lacks other ids. */
const withGet: readonly (readonly [
  what: string,
  told: Told,
  complete: number | undefined,
  incomplete: number | undefined,
])[] = [
  ['no list lacks the resource', [[0, listed]], undefined, undefined],
  [
    'lists lack the resource for hours',
    [
      [0, missing],
      [9_999_999, missing],
    ],
    undefined,
    undefined,
  ],
  [
    'a GET returned 404',
    [
      [1, missing],
      [5, noGet],
    ],
    1 + apartMs,
    1 + apartMs,
  ],
  [
    'a DELETE returned 404, then a GET',
    [
      [1, missing],
      [5, noDelete],
      [9, noGet],
    ],
    1 + apartMs,
    1 + apartMs,
  ],
  [
    'a GET returned 404 long after the first list that lacks the resource',
    [
      [1, missing],
      [99_999, noGet],
    ],
    99_999,
    99_999,
  ],
  [
    'a GET found the resource after a 404',
    [
      [1, missing],
      [5, noGet],
      [6, shown],
    ],
    undefined,
    undefined,
  ],
  [
    'a GET found the resource, and a later GET returned 404',
    [
      [1, missing],
      [6, shown],
      [7, noGet],
    ],
    6 + apartMs,
    6 + apartMs,
  ],
  [
    'a list showed the resource after a 404',
    [
      [1, missing],
      [5, noGet],
      [6, listed],
      [7, missing],
    ],
    undefined,
    undefined,
  ],
  [
    'the cloud accepted the DELETE, and no list showed the deletion',
    [
      [5, accepted],
      [6, missing],
    ],
    undefined,
    undefined,
  ],
  [
    'the cloud accepted the DELETE, and a GET returned 404',
    [
      [5, accepted],
      [6, missing],
      [9, noGet],
    ],
    5,
    6 + apartMs,
  ],
  [
    'the cloud accepted the DELETE, and a list showed the deletion',
    [
      [5, accepted],
      [6, listedLeaving],
      [7, missing],
    ],
    5,
    undefined,
  ],
  [
    'the answer to the DELETE says that the resource is gone',
    [
      [5, acceptedAsGone],
      [6, missing],
    ],
    5,
    undefined,
  ],
  [
    'a lagging list showed the resource after its DELETE',
    [
      [5, acceptedAsGone],
      [6, listed],
      [7, missing],
    ],
    undefined,
    undefined,
  ],
  [
    'a list that began before the DELETE showed the resource',
    [
      [5, acceptedAsGone],
      [4, listed],
      [7, missing],
    ],
    5,
    undefined,
  ],
  [
    'a list showed the deletion by another user',
    [
      [5, listedLeaving],
      [6, missing],
    ],
    5,
    undefined,
  ],
  [
    'a GET showed the deletion by another user',
    [
      [5, { ...shown, isLeaving: true }],
      [6, missing],
    ],
    5,
    undefined,
  ],
  [
    'the cloud gave the deletion up after a list had shown it',
    [
      [5, accepted],
      [6, listedLeaving],
      [7, listed],
      [8, missing],
    ],
    undefined,
    undefined,
  ],
  [
    'a GET showed that the cloud gave the deletion up',
    [
      [5, listedLeaving],
      [6, shown],
      [7, missing],
    ],
    undefined,
    undefined,
  ],
];

test.each(withGet)(
  'a list begun at the right time proves an absence if %s',
  (_, told, complete, incomplete) => {
    const seen = evidenceOf(told);
    expect(proof(seen, { hasGet: true, isComplete: true })).toBe(complete);
    expect(proof(seen, { hasGet: true, isComplete: false })).toBe(incomplete);
  },
);

const withoutGet: readonly (readonly [what: string, told: Told])[] = [
  ['lists lack the resource', [[1, missing]]],
  [
    'the cloud accepted its DELETE',
    [
      [0, accepted],
      [1, missing],
    ],
  ],
  [
    'its DELETE returned 404',
    [
      [0, noDelete],
      [1, missing],
    ],
  ],
];

test.each(withoutGet)(
  'only ten seconds of complete lists prove the absence of a kind without a GET, also if %s',
  (_, told) => {
    const seen = evidenceOf(told);
    expect(proof(seen, { hasGet: false, isComplete: true })).toBe(1 + apartMs);
    expect(proof(seen, { hasGet: false, isComplete: false })).toBeUndefined();
  },
);

const long: Told = [
  [0, missing],
  [apartMs, missing],
];
const explanations: readonly (readonly [
  what: string,
  told: Told,
  hasGet: boolean,
  expected: boolean,
])[] = [
  ['nothing but a single list', [[0, missing]], true, false],
  ['a 404', [[0, noGet]], true, true],
  ['an accepted DELETE', [[0, accepted]], true, true],
  [
    'an accepted DELETE, of which a list shows a minute later that it had no effect',
    [
      [0, accepted],
      [60_001, listed],
    ],
    true,
    false,
  ],
  ['a deletion that a list shows', [[0, listedLeaving]], true, true],
  ['time alone, for a kind with a GET', long, true, false],
  ['time alone, for a kind without a GET', long, false, true],
];

test.each(explanations)(
  '%s explains an absence exactly as the table says',
  (_, told, hasGet, expected) => {
    expect(isExplained(evidenceOf(told), hasGet)).toBe(expected);
  },
);

test('an id counts as known to the whole cloud after a list or an accepted DELETE, not after a GET', () => {
  const events = [listed, accepted, shown, missing, noGet];
  expect(events.map((event) => reduce(undefined, event, 0).isShown)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

describe('a list', () => {
  test('that holds every known id is believed, also with further ids', () => {
    fc.assert(
      fc.property(idSet, idSet, (known, more) => {
        expect(new Absences(true).judge(known, new Set([...known, ...more]), 0)).toMatchObject({
          isBelieved: true,
          open: new Set(),
        });
      }),
    );
  });

  test('is believed at first sight exactly when at most three, or one in twenty, are missing', () => {
    fc.assert(
      fc.property(idSet, idSet, (known, seen) => {
        const count = known.difference(seen).size;
        const judged = new Absences(true).judge(known, seen, 0);
        expect(judged.isBelieved).toBe(count <= Math.max(3, known.size * 0.05));
        expect(judged.open.size).toBe(count);
      }),
    );
  });

  test('of a kind without a GET is believed once all lists of ten seconds lack the same ids', () => {
    const { list } = fleet({ hasGet: false });
    expect([0, apartMs - 1, apartMs].map((at) => list(at, ...ids(80)).isBelieved)).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('of a kind with a GET is not believed by time alone', () => {
    const { list } = fleet();
    expect([0, apartMs, 100 * apartMs].map((at) => list(at, ...ids(80)).isBelieved)).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('that is cut at a different place each time is never believed', () => {
    const absences = new Absences(false);
    const all = ids(100);
    for (let n = 0; n < 10; n += 1) {
      const seen = new Set(all.filter((_, index) => index % 2 === n % 2));
      expect(absences.judge(new Set(all), seen, n * apartMs).isBelieved).toBe(false);
    }
  });

  test('that lacks only deleted ids and ids with a 404 is complete', () => {
    const { absences, list } = fleet();
    for (const id of ids(50)) absences.record(id, accepted, 0);
    absences.record('id60', noGet, 0);
    expect(list(1, ...ids(50), 'id60')).toMatchObject({ isBelieved: true, open: new Set() });
    expect(list(2, ...ids(50), 'id60', 'id61')).toMatchObject({
      isBelieved: true,
      open: new Set(['id61']),
    });
  });

  test('that lacks a claimed id without an explanation is incomplete until the id gets a 404', () => {
    const { absences, list } = fleet();
    absences.record('id1', acceptedAsGone, 0);
    list(1, 'id1', 'id2');
    expect(absences.isProven('id1')).toBe(false);
    absences.record('id2', noGet, 2);
    expect(absences.isProven('id1')).toBe(true);
    absences.record('id2', shown, 3);
    expect(absences.isProven('id1')).toBe(false);
  });

  test('is not doubted for ids that no object claims and a caller asked about', () => {
    const { absences, list } = fleet();
    for (const id of ids(50, 1_000)) absences.question(id, 0);
    expect(list(1, 'id1')).toMatchObject({ isBelieved: true, open: new Set(['id1']), known: 100 });
  });

  test('is doubted for ids that were claimed when lists began to lack them, and counts them among the known', () => {
    const absences = new Absences(true);
    absences.judge(new Set(ids(20)), new Set(ids(8)), 0);
    expect(absences.judge(new Set(ids(8)), new Set(ids(8)), 1)).toMatchObject({
      isBelieved: false,
      open: new Set(ids(12, 8)),
      known: 20,
    });
  });
});

test('an absence with a 404 is proven by a list that begins ten seconds after the first list without the id, and not before', () => {
  const { absences, list } = fleet();
  list(4, 'id1');
  absences.record('id1', noGet, 5);
  for (const at of [5, 3 + apartMs]) list(at, 'id1');
  expect(absences.isProven('id1')).toBe(false);
  list(4 + apartMs, 'id1');
  expect(absences.isProven('id1')).toBe(true);
});

test('a moment in which a list and all other answers lack every resource proves nothing', () => {
  const { absences, list } = fleet();
  list(0, ...ids(100));
  for (const id of ids(100))
    for (const answer of [noDelete, noGet]) absences.record(id, answer, 500);
  list(1_000, ...ids(100));
  expect(ids(100).filter((id) => absences.isProven(id))).toEqual([]);
});

test('a list that shows the id again ends the proof and the 404', () => {
  const { absences, list } = fleet({ hasGet: false });
  absences.record('id1', noDelete, 0);
  for (const at of [0, apartMs]) list(at, 'id1');
  expect([absences.isProven('id1'), absences.of('id1').deniedAt]).toEqual([true, 0]);
  list(apartMs + 1);
  expect([absences.isProven('id1'), absences.of('id1').deniedAt]).toEqual([false, undefined]);
});

test('the absence of an id that no object claims is proven once a caller has asked about it', () => {
  const { absences, list } = fleet({ hasGet: false });
  absences.question('stray', 0);
  list(apartMs);
  expect([absences.isProven('stray'), absences.isProven('another')]).toEqual([true, false]);
});

test('evidence about an id that no object claims any more is forgotten after twenty minutes', () => {
  const absences = new Absences(true);
  absences.judge(new Set(['a']), new Set(), 0);
  absences.record('b', acceptedAsGone, 0);
  absences.judge(new Set(['s']), new Set(['s']), 0);
  absences.judge(new Set(['c']), new Set(['c']), 1_200_000);
  expect([absences.isExplained('b'), absences.of('c').isShown, absences.of('s').isShown]).toEqual([
    true,
    true,
    false,
  ]);
  absences.judge(new Set(['c']), new Set(['c']), 1_200_001);
  expect([absences.isExplained('b'), absences.provenByListFrom('b')]).toEqual([false, undefined]);
});
