import { expect, test } from 'vitest';
import { unlessDeleted } from '../../../../../src/reconcile/kinds/service/observe.ts';
import { known, noon, present } from '../../../../support/situation.ts';

const asked = { operation: 'delete', wanted: 'svc-1', at: noon - 60_000 };
const later = { state: 'missing', word: 'DELETED', again: noon + 5_000 } as const;
const gone = { state: 'absent', word: 'DELETED' } as const;

test.each([
  ['just now, may be there still', { since: noon }, { ...later, again: noon + 30_000 }],
  ['for less than half a minute, may be there still', { since: noon - 29_999 }, later],
  ['for half a minute is gone', { since: noon - 30_000 }, gone],
  ['for half a minute, but not by a list since then, may be there still', { since: noon - 30_000, asOf: noon - 1 }, later],
  ['after its DELETE is gone', { since: noon, last: asked }, gone],
  [
    'after the DELETE of another one may be there still',
    { since: noon - 9_000, last: { ...asked, wanted: 'svc-0' } },
    { ...later, again: noon + 21_000 },
  ],
  [
    'after another change may be there still',
    { since: noon - 9_000, last: { ...asked, operation: 'stopService' } },
    { ...later, again: noon + 21_000 },
  ],
])(
  'a service that the cloud calls DELETED %s',
  (_, { since, asOf = noon, last }: { since: number; asOf?: number; last?: typeof asked }, expected) => {
    const shown = { ...present({ status: 'DELETED' }), asOf };
    expect(unlessDeleted(shown, since, { identity: known(), lastOperation: last, now: noon })).toEqual(expected);
  },
);

test('a service in any other state is there', () => {
  const shown = present({ status: 'DELETING' });
  expect(unlessDeleted(shown, 0, { identity: known(), lastOperation: asked, now: noon })).toBe(shown);
});
