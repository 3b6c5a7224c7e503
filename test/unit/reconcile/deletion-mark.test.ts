import { expect, test } from 'vitest';
import { isDeletionStarted } from '../../../src/reconcile/situation/recreation.ts';
import type { ResourceRecord } from '../../../src/reconcile/record/record.ts';
import { recordOf, serviceObject } from '../../support/situation.ts';

/** A deletion that was begun goes on, whatever the spec says since. What a backup knows of one decides nothing. (docs/safety.md, Deleting) */

const mark = 'managed-db.io/deletion-started';

test.each<[string, Partial<ResourceRecord>, Record<string, string>, boolean]>([
  ['of this resource and this object has begun', { deletionStarted: 'svc-1 uid' }, {}, true],
  ['was decided on another object: the record came with a backup', { deletionStarted: 'svc-1 uid-before' }, {}, false],
  ['was of another resource, which this one replaced', { deletionStarted: 'svc-0 uid' }, {}, false],
  ['is in the annotation alone: somebody wrote it by hand', {}, { [mark]: 'svc-1 uid' }, false],
])('a deletion that %s', (_, record, annotations, isStarted) => {
  expect(isDeletionStarted('svc-1', serviceObject(annotations), recordOf('svc-1', record))).toBe(isStarted);
});
