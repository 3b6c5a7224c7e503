import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { confirmEveryMs, judgeList, noLosses } from '../../../src/cloud/plausible-list.ts';

const ids = (count: number) => Array.from({ length: count }, (_, n) => `id${n}`);
const idSet = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 60 }).map((each) => new Set(each));

test('a list that holds every known id is believed, whatever else it holds', () => {
  fc.assert(
    fc.property(idSet, idSet, (known, more) => {
      expect(judgeList(noLosses, known, new Set([...known, ...more]), 0)).toMatchObject({ plausible: true, doubtful: 0 });
    }),
  );
});

test('at first sight a list is believed exactly when at most three, or one in twenty, are missing', () => {
  fc.assert(
    fc.property(idSet, idSet, (known, listed) => {
      const missing = known.difference(listed).size;
      expect(judgeList(noLosses, known, listed, 0).plausible).toBe(missing <= Math.max(3, known.size * 0.05));
    }),
  );
});

test('whatever is missing from three lists in a row, a second apart, is believed to be gone', () => {
  fc.assert(
    fc.property(idSet, idSet, (known, listed) => {
      const first = judgeList(noLosses, known, listed, 0);
      const second = judgeList(first.losses, known, listed, confirmEveryMs);
      expect(second.plausible).toBe(first.plausible);
      expect(judgeList(second.losses, known, listed, 2 * confirmEveryMs).plausible).toBe(true);
    }),
  );
});

test('lists in quick succession confirm nothing', () => {
  const known = new Set(ids(100));
  let { losses } = judgeList(noLosses, known, new Set(), 0);
  for (let at = 1; at < confirmEveryMs; at += 1) {
    const judged = judgeList(losses, known, new Set(), at);
    expect(judged.plausible).toBe(false);
    ({ losses } = judged);
  }
});

test('lists that are cut at another place each time are not believed', () => {
  const all = ids(100);
  let losses = noLosses;
  for (let n = 0; n < 10; n += 1) {
    const listed = new Set(all.filter((_, index) => index % 2 === n % 2));
    const judged = judgeList(losses, new Set(all), listed, n * confirmEveryMs);
    expect(judged.plausible).toBe(false);
    ({ losses } = judged);
  }
});

test('a loss that was believed is not counted against the next list, until the id is seen again', () => {
  const known = new Set(ids(100));
  const gone = new Set(ids(100).slice(3));
  const { losses } = judgeList(noLosses, known, gone, 0);
  const goneToo = new Set(ids(100).slice(6));
  expect(judgeList(losses, known, goneToo, 1)).toMatchObject({ plausible: true, doubtful: 3 });
  const { losses: seenAgain } = judgeList(losses, known, known, 1);
  expect(judgeList(seenAgain, known, goneToo, 2)).toMatchObject({ doubtful: 6, plausible: false });
});

test('nothing is remembered of ids that nobody knows any more', () => {
  const { losses } = judgeList(noLosses, new Set(['a']), new Set(), 0);
  expect(judgeList(losses, new Set(['b']), new Set(['b']), 1).losses.missing.size).toBe(0);
});
