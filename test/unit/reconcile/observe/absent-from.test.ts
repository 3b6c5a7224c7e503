import { expect, test } from 'vitest';
import { freshMemory } from '../../../support/visit.ts';
import { absentFrom } from '../../../../src/reconcile/observe/observe-by-id.ts';
import type { ObservedObject } from '../../../../src/reconcile/observe/observe-object.ts';
import { noon, recordOf, situation } from '../../../support/situation.ts';

const mark = { id: 'svc-1', generation: 1 };

test.each<readonly [sentence: string, deletionStarted: object | undefined, waitMs: number]>([
  ['two minutes after this process first saw the id', undefined, 120_000],
  [
    'two minutes later also if an earlier process began the deletion of a new resource',
    mark,
    120_000,
  ],
  [
    'two minutes later if lists had shown only a peering of the same id',
    { ...mark, shown: ['peering svc-1'] },
    120_000,
  ],
  [
    'two minutes later if lists had shown only another id',
    { ...mark, shown: ['resource svc-2'] },
    120_000,
  ],
  [
    'at once if lists had shown the resource before an earlier process began to delete it',
    { ...mark, shown: ['resource svc-1'] },
    -noon,
  ],
])('an absence counts %s', (_, deletionStarted, waitMs) => {
  const record = recordOf(
    'svc-1',
    deletionStarted === undefined ? {} : { deletionStarted: { ...mark, ...deletionStarted } },
  );
  const observed: ObservedObject = {
    ...situation(),
    record,
    now: noon,
    usable: undefined,
    live: { state: 'notAsked' },
    notBefore: 0,
    memory: freshMemory(),
    learned: { firstSeen: new Map() },
  };
  expect(absentFrom(observed, 'resource', 'svc-1')).toBe(noon + waitMs);
});

test('the absence of a new peering counts two minutes later, though its VPC of the same id is known for long', () => {
  const observed: ObservedObject = {
    ...situation(),
    record: recordOf('31'),
    now: noon,
    usable: undefined,
    live: { state: 'notAsked' },
    notBefore: 0,
    memory: freshMemory(),
    learned: { firstSeen: new Map() },
  };
  absentFrom({ ...observed, now: noon - 600_000 }, 'resource', '31');
  expect(absentFrom(observed, 'peering', '31')).toBe(noon + 120_000);
});
