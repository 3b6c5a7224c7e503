import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Absences, apartMs } from '../../../src/cloud/absences.ts';

const ids = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `id${n + from}`);
const idSet = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 60 }).map((each) => new Set(each));

/** What is known of a kind that can be asked for one by one, and what lists without some of a hundred ids say of it. */
function fleet({ hasGet = true } = {}) {
  const absences = new Absences(hasGet);
  const known = new Set(ids(100));
  const list = (at: number, ...missing: readonly string[]) => absences.judge(known, known.difference(new Set(missing)), at);
  return { absences, list };
}

describe('a list', () => {
  test('that holds every known id is believed, whatever else it holds', () => {
    fc.assert(
      fc.property(idSet, idSet, (known, more) => {
        expect(new Absences(true).judge(known, new Set([...known, ...more]), 0)).toMatchObject({ isBelieved: true, open: new Set() });
      }),
    );
  });

  test('is believed at first sight exactly when at most three, or one in twenty, are missing', () => {
    fc.assert(
      fc.property(idSet, idSet, (known, listed) => {
        const missing = known.difference(listed).size;
        const judged = new Absences(true).judge(known, listed, 0);
        expect(judged.isBelieved).toBe(missing <= Math.max(3, known.size * 0.05));
        expect(judged.open.size).toBe(missing);
      }),
    );
  });

  test('is believed, and lacks nothing without an explanation, once whatever is missing was missing from all lists of ten seconds', () => {
    fc.assert(
      fc.property(idSet, idSet, (known, listed) => {
        const absences = new Absences(true);
        const first = absences.judge(known, listed, 0);
        expect(absences.judge(known, listed, apartMs - 1).isBelieved).toBe(first.isBelieved);
        expect(absences.judge(known, listed, apartMs)).toMatchObject({ isBelieved: true, open: new Set() });
      }),
    );
  });

  test('that is cut at another place each time is not believed, however long that goes on', () => {
    const absences = new Absences(true);
    const all = ids(100);
    for (let n = 0; n < 10; n += 1) {
      const listed = new Set(all.filter((_, index) => index % 2 === n % 2));
      expect(absences.judge(new Set(all), listed, n * apartMs).isBelieved).toBe(false);
    }
  });

  test('lacks nothing without an explanation when it lacks only what was deleted, and what the cloud does not find', () => {
    const { absences, list } = fleet();
    for (const id of ids(50)) absences.expectRemoval(id, 0);
    absences.deny('id60', 0);
    expect(list(1, ...ids(50), 'id60')).toMatchObject({ isBelieved: true, open: new Set() });
    expect(list(2, ...ids(50), 'id60', 'id61')).toMatchObject({ isBelieved: true, open: new Set(['id61']) });
  });

  test('that lacks what a DELETE was to remove and did not, a minute ago, lacks it without an explanation', () => {
    const { absences, list } = fleet();
    absences.expectRemoval('id1', 0);
    list(61_000);
    expect(list(62_000, 'id1').open).toEqual(new Set(['id1']));
  });

  test('lacks what a DELETE removed with that explanation for as long as the id is remembered', () => {
    const { absences, list } = fleet();
    absences.expectRemoval('id1', 0);
    list(5_000, 'id1');
    // No object has the id any more.
    for (const at of [600_001, 604_999]) {
      absences.judge(new Set(ids(19, 2)), new Set(ids(19, 2)), at);
      expect(absences.isExplainedByCloud('id1'), `after ${at} ms`).toBe(true);
    }
  });

  test('has lied when the cloud finds what it lacks: whatever else it lacks counts from the beginning', () => {
    const { absences, list } = fleet();
    list(0, ...ids(50));
    absences.distrust('id0');
    expect(list(apartMs, ...ids(50)).isBelieved).toBe(false);
    expect(list(2 * apartMs, ...ids(50)).isBelieved).toBe(true);
  });

  test('lacks without an explanation what a 404 said is gone and a GET found later', () => {
    const { absences, list } = fleet();
    absences.deny('id1', 0);
    list(1, 'id1');
    absences.distrust('id1');
    expect(absences.isExplainedByCloud('id1')).toBe(false);
    expect(list(2, 'id1').open).toEqual(new Set(['id1']));
    expect(absences.isProven('id1')).toBe(false);
  });

  test('is not doubted for ids that nobody claims and somebody asked about', () => {
    const { absences, list } = fleet();
    for (const id of ids(50, 1_000)) absences.question(id, 0);
    expect(list(1, 'id1')).toMatchObject({ isBelieved: true, open: new Set(['id1']), known: 100 });
  });

  test('is doubted for ids that were claimed when lists began to lack them, and counts them among the known', () => {
    const absences = new Absences(true);
    absences.judge(new Set(ids(20)), new Set(ids(8)), 0);
    expect(absences.judge(new Set(ids(8)), new Set(ids(8)), 1)).toMatchObject({ isBelieved: false, open: new Set(ids(12, 8)), known: 20 });
  });
});

describe('an absence is proven', () => {
  test('by a 404 and a list begun later', () => {
    const { absences, list } = fleet();
    list(0, 'id1');
    absences.deny('id1', 5);
    expect(absences.isProven('id1')).toBe(false);
    list(5, 'id1');
    expect(absences.isProven('id1')).toBe(true);
  });

  test('by a DELETE that was accepted and a list begun later', () => {
    const { absences, list } = fleet();
    list(0, 'id1');
    absences.expectRemoval('id1', 5);
    expect(absences.isProven('id1')).toBe(false);
    list(5, 'id1');
    expect(absences.isProven('id1')).toBe(true);
  });

  test('by all lists of ten seconds, any number at once', () => {
    const { absences, list } = fleet();
    list(0, ...ids(80));
    list(apartMs - 1, ...ids(80));
    expect(ids(80).some((id) => absences.isProven(id))).toBe(false);
    list(apartMs, ...ids(80));
    expect(ids(80).every((id) => absences.isProven(id))).toBe(true);
  });

  test('by time alone where there is no GET, though a DELETE was accepted', () => {
    const { absences, list } = fleet({ hasGet: false });
    absences.expectRemoval('id1', 0);
    list(1, 'id1');
    expect(absences.isProven('id1')).toBe(false);
    list(1 + apartMs, 'id1');
    expect(absences.isProven('id1')).toBe(true);
  });

  test('by time alone where there is no GET, though a DELETE did not find it', () => {
    const { absences, list } = fleet({ hasGet: false });
    absences.deny('id1', 0, 'DELETE');
    list(1, 'id1');
    expect([absences.isProven('id1'), absences.isDenied('id1')]).toEqual([false, true]);
    list(1 + apartMs, 'id1');
    expect(absences.isProven('id1')).toBe(true);
    list(2 + apartMs);
    expect(absences.isDenied('id1'), 'a list that shows it takes the 404 back').toBe(false);
  });

  test('by the first 404, whether a GET or a DELETE got it', () => {
    const { absences, list } = fleet();
    absences.deny('id1', 0);
    list(1, 'id1');
    absences.deny('id1', 2, 'DELETE');
    expect(absences.isProven('id1')).toBe(true);
  });

  test('not by a list that lacks somebody else without an explanation, until there is one', () => {
    const { absences, list } = fleet();
    absences.deny('id1', 0);
    list(1, 'id1', 'id2');
    expect(absences.isProven('id1')).toBe(false);
    expect(absences.provenByListFrom('id1')).toBe(1 + apartMs);
    list(1 + apartMs, 'id1', 'id2');
    expect(absences.isProven('id1')).toBe(true);
  });

  test('by a 404 of its own and ten seconds, though lists keep lacking what is there', () => {
    const { absences, list } = fleet();
    absences.deny('id1', 0);
    for (let at = 0; at <= apartMs; at += apartMs / 2) {
      list(at, 'id1', 'id2');
      absences.distrust('id2');
    }
    expect(absences.isProven('id1')).toBe(true);
    expect(absences.isProven('id2')).toBe(false);
  });

  test('no more when a list shows it again', () => {
    const { absences, list } = fleet();
    list(0, 'id1');
    list(apartMs, 'id1');
    list(apartMs + 1);
    expect(absences.isProven('id1')).toBe(false);
    list(apartMs + 2, 'id1');
    expect(absences.isProven('id1')).toBe(false);
  });

  test('also of an id that nobody else knows, once it was asked about', () => {
    const { absences, list } = fleet();
    absences.question('stray', 0);
    list(apartMs);
    expect(absences.isProven('stray')).toBe(true);
    expect(absences.isProven('another')).toBe(false);
  });
});

test('the absence of what no object claims any more is proven, too, though its GET fails and lists are minutes apart', () => {
  const absences = new Absences(true);
  absences.judge(new Set(['a']), new Set(), 0);
  absences.leaveUnanswered('a');
  for (const at of [300_000, 599_999, 600_050]) absences.judge(new Set(), new Set(), at);
  expect(absences.isProven('a')).toBe(true);
});

test('nothing is remembered for ever of ids that nobody knows any more', () => {
  const absences = new Absences(true);
  absences.judge(new Set(['a']), new Set(), 0);
  absences.expectRemoval('b', 0);
  absences.judge(new Set(['s']), new Set(['s']), 0);
  absences.judge(new Set(['c']), new Set(['c']), 700_000);
  absences.judge(new Set(['c']), new Set(['c']), 1_400_000);
  expect([absences.wasShown('c'), absences.wasShown('s')]).toEqual([true, false]);
  expect([absences.provenByListFrom('a'), absences.provenByListFrom('b')]).toEqual([undefined, undefined]);
});
