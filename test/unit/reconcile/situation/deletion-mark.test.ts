import type { ResourceRecord } from '../../../../src/resources/ledger-entry.ts';
import { expect, test } from 'vitest';
import { isDeletionStarted } from '../../../../src/reconcile/situation/history.ts';
import type { LastOperation } from '../../../../src/reconcile/situation/situation.ts';
import { recordOf, serviceObject } from '../../../support/situation.ts';

/**
 * A begun deletion continues, even if the spec changes. Until the cloud answers the DELETE, a new spec requires a
 * new decision. (docs/safety.md, Deleting)
 */

const mark = (id: string, generation: number) => ({ deletionStarted: { id, generation } });
const answered = (wanted: string, operation = 'delete') => ({ operation, wanted, at: 0 });

test.each<[string, Partial<ResourceRecord>, LastOperation | undefined, boolean]>([
  ['that was decided for the present spec has begun', mark('svc-1', 2), undefined, true],
  ['that was decided for an earlier spec has not begun', mark('svc-1', 1), undefined, false],
  [
    'that was decided for an earlier spec has begun once its DELETE was answered',
    mark('svc-1', 1),
    answered('svc-1'),
    true,
  ],
  [
    'that was decided for an earlier spec has not begun by the removal of a peering',
    mark('svc-1', 1),
    answered('svc-1', 'deletePeering'),
    false,
  ],
  [
    'of an earlier resource does not count, also with an answered DELETE',
    mark('svc-0', 2),
    answered('svc-0'),
    false,
  ],
  ['that was not decided has not begun', {}, answered('svc-1'), false],
])('a deletion %s', (_, record, lastOperation, isStarted) => {
  const object = serviceObject({}, {}, { metadata: { generation: 2 } });
  expect(isDeletionStarted({ object, record: recordOf('svc-1', record), lastOperation })).toBe(
    isStarted,
  );
});
