import { expect, test } from 'vitest';
import { recordOf } from '../../../src/reconcile/process/known-record.ts';
import { readRecord, recordText, type Attempt, type ResourceRecord } from '../../../src/reconcile/record/record.ts';
import { annotations } from '../../../src/resources/annotations.ts';
import { serviceObject } from '../../support/situation.ts';

const open: Attempt = { id: 'open', at: '2026-11-21T09:00:00.000Z', request: {}, sameNameIds: [] };
const earlier: Attempt = { ...open, id: 'earlier', at: '2026-11-21T08:00:00.000Z' };
const later: Attempt = { ...open, id: 'later', at: '2026-11-21T10:00:00.000Z' };
const pending = { 'a/b/c': { pendingSince: '2026-11-21T09:00:00.000Z', before: [] } };
const made = { 'a/b/c': { id: 'p' } };
const other = { 'd/e/f': { id: 'q' } };

test.each<[string, ResourceRecord, ResourceRecord | string | undefined, boolean]>([
  ['what is still there', { attempt: open }, { attempt: open }, false],
  ['an open create that was taken away', { attempt: open }, undefined, true],
  ['a claim that was taken away', { id: 'a' }, undefined, true],
  ['a claim behind the record of its create', { id: 'a' }, { attempt: open }, true],
  ['a claim behind the record of what it took the place of', { id: 'b', replaces: 'a' }, { id: 'a', attempt: open }, true],
  ['a claim, where another resource is named', { id: 'a' }, { id: 'b' }, false],
  ['an open create behind an earlier one', { attempt: open }, { attempt: earlier }, true],
  ['an open create behind a record without any', { id: 'a', attempt: open }, { id: 'a' }, true],
  ['an open create, where a later one is recorded', { attempt: open, creates: 1 }, { attempt: earlier, creates: 2 }, false],
  ['an open create behind an earlier one whose clock was ahead', { attempt: open, creates: 2 }, { attempt: later, creates: 1 }, true],
  ['an open create behind one of an earlier version whose clock was ahead', { attempt: open, creates: 1 }, { attempt: later }, true],
  ['an open create behind one of which no number tells', { attempt: open }, { attempt: later }, true],
  ['a create that made nothing behind the record of an earlier one', { creates: 2 }, { attempt: earlier, creates: 1 }, true],
  ['a create that made nothing, where a later one is recorded', { creates: 1 }, { attempt: later, creates: 2 }, false],
  ['a recreation that made nothing behind its record', { id: 'a', creates: 2 }, { id: 'a', attempt: open, creates: 2 }, false],
  ['an open create, where another resource is named', { attempt: open }, { id: 'b' }, false],
  ['a peering that is not answered', { id: 'a', peerings: pending }, { id: 'a' }, true],
  ['a peering that is answered by now', { id: 'a', peerings: pending }, { id: 'a', peerings: { 'a/b/c': { id: 'p' } } }, false],
  ['a peering that an older record does not know', { id: 'a', peerings: made }, { id: 'a' }, true],
  ['a peering whose answer an older record does not know', { id: 'a', peerings: made }, { id: 'a', peerings: pending }, true],
  ['one peering of two', { id: 'a', peerings: { ...made, ...other } }, { id: 'a', peerings: made }, true],
  ['a peering, where another one is recorded beside it', { id: 'a', peerings: made }, { id: 'a', peerings: { ...made, ...other } }, false],
  ['an attachment that an older record does not know', { id: 'a', vpcAttachment: 'v' }, { id: 'a' }, true],
  ['an attachment behind the record of an earlier one', { id: 'a', vpcAttachment: 'w' }, { id: 'a', vpcAttachment: 'v' }, true],
  [
    'an attachment, where a later one is recorded beside it',
    { id: 'a', vpcAttachment: 'v' },
    { id: 'a', vpcAttachment: 'w', earlierAttachments: ['v'] },
    false,
  ],
  [
    'an earlier attachment that a record does not know',
    { id: 'a', vpcAttachment: 'w', earlierAttachments: ['v'] },
    { id: 'a', vpcAttachment: 'w' },
    true,
  ],
  ['peerings and attachment, where another resource is named', { id: 'a', peerings: made, vpcAttachment: 'v' }, { id: 'b' }, false],
  [
    'a removal, after which the peering was asked for again',
    { id: 'a', peerings: { 'acc/reg/vpc': { id: 'p2' } }, removedPeerings: ['p1'] },
    { id: 'a', peerings: { 'acc/reg/vpc': { id: 'p1' } } },
    true,
  ],
  [
    'removals, where a later one is recorded behind them, and the earliest is forgotten',
    { id: 'a', removedPeerings: ['p1', 'p2'] },
    { id: 'a', removedPeerings: ['p2', 'p3'] },
    false,
  ],
  ['what is not to be read', { attempt: open }, 'oops', false],
])('%s: lost or not', (_, known, there, isLost) => {
  const text = typeof there === 'object' ? recordText(there) : there;
  const object = serviceObject(text === undefined ? {} : { [annotations.record]: text });
  const counting = recordOf(object, { record: { uid: 'uid', text: recordText(known) } });
  expect(counting).toEqual(isLost ? { state: 'read', record: known, isLost } : { ...readRecord(text), isLost });
  expect(recordOf(object, { record: { uid: 'another', text: recordText(known) } })).toEqual({ ...readRecord(text), isLost: false });
});

const refusal = { attempt: 'open', failures: 1, at: '2026-11-21T09:00:00.000Z', message: 'no', waiting: 'WaitingForCloud' };

test.each<[string, ResourceRecord, object, boolean]>([
  ['is lost while status names the same resource', { id: 'a' }, { id: 'a' }, true],
  ['is lost while status names none', { id: 'a' }, {}, true],
  ['is lost while status names what it took the place of', { id: 'b', replaces: 'a' }, { id: 'a' }, true],
  ['is taken back by a person where status names another resource', { id: 'a' }, { id: 'b' }, false],
  ['is taken back where status names another resource than either', { id: 'b', replaces: 'a' }, { id: 'c' }, false],
  ['is lost while its create is open, whatever status names', { attempt: open }, { id: 'b' }, true],
  ['is lost while a recreation is open, whatever status names', { id: 'a', attempt: open }, { id: 'b' }, true],
  ['is taken back where the recreation was refused', { id: 'a', attempt: open }, { id: 'b', refusal }, false],
])('a record that was taken away %s', (_, known, status, isLost) => {
  const object = serviceObject({}, {}, { status });
  const counting = recordOf(object, { record: { uid: 'uid', text: recordText(known) } });
  expect(counting).toEqual(isLost ? { state: 'read', record: known, isLost } : { state: 'none', isLost });
});
