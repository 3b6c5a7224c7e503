import { expect, test } from 'vitest';
import type { Snapshot } from '../../../src/cloud/list-poller.ts';
import { peeringId, type Peering } from '../../../src/cloud/wire/peering.ts';
import { isNothingLeftOpen } from '../../../src/reconcile/kinds/vpc/observe-peerings.ts';
import { attemptOpenMs } from '../../../src/reconcile/record/attempt.ts';

/** A list of peerings, by their ids. */
interface List {
  readonly ids: readonly string[];
  /** What is known and is not in it. */
  readonly missing?: readonly string[];
}

const pendingSince = 1_000;
const lateEnough = pendingSince + attemptOpenMs;

function snapshotOf({ ids }: List, begunAt: number): Snapshot<Peering> {
  const items = new Map(ids.map((id) => [id, { id: peeringId.parse(id), status: `provisioning since ${begunAt}` }]));
  return { items, listed: new Set(ids), begunAt, ordinal: 1, missing: new Set() };
}

const mayBeResult = ({ id }: Peering) => id !== 'elsewhere';

test.each<[sentence: string, begunAt: number, lists: readonly [List, List], isClosed: boolean]>([
  ['two whole lists say the same', lateEnough, [{ ids: ['other'] }, { ids: ['other'] }], true],
  ['two whole lists differ in what cannot be the result', lateEnough, [{ ids: ['other'] }, { ids: ['other', 'elsewhere'] }], true],
  ['two lists say the same too early', lateEnough - 1, [{ ids: [] }, { ids: [] }], false],
  ['only the second list shows a peering', lateEnough, [{ ids: [] }, { ids: ['made'] }], false],
  ['only the first list shows a peering', lateEnough, [{ ids: ['made'] }, { ids: [] }], false],
  ['the first list lacks a known peering', lateEnough, [{ ids: [], missing: ['known'] }, { ids: [] }], false],
  ['the second list lacks a known peering', lateEnough, [{ ids: [] }, { ids: [], missing: ['known'] }], false],
])('whether nothing is left open of an unanswered peering when %s', async (_, begunAt, [one, two], isClosed) => {
  const first = snapshotOf(one, begunAt);
  const list = {
    since: (notBefore: number) => Promise.resolve(snapshotOf(two, notBefore)),
    unexplained(snapshot: Snapshot<Peering>) {
      const { missing = [] } = snapshot === first ? one : two;
      return Promise.resolve(missing);
    },
  };
  expect(await isNothingLeftOpen(first, { list, mayBeResult }, [0, pendingSince])).toBe(isClosed);
});
