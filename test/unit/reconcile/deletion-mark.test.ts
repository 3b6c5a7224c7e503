import { expect, test } from 'vitest';
import { isDeletionStarted } from '../../../src/reconcile/situation/recreation.ts';
import type { ResourceRecord } from '../../../src/reconcile/record/record.ts';
import { recordOf } from '../../support/situation.ts';

/** A deletion that was begun goes on, whatever the spec says since. What a backup knows of one decides nothing. (docs/safety.md, Deleting) */

test.each<[string, Partial<ResourceRecord>, boolean]>([
  ['of this resource and this object has begun', { deletionStarted: 'svc-1' }, true],
  ['was of another resource, which this one replaced', { deletionStarted: 'svc-0' }, false],
  ['nobody decided', {}, false],
])('a deletion that %s', (_, record, isStarted) => {
  expect(isDeletionStarted('svc-1', recordOf('svc-1', record))).toBe(isStarted);
});
