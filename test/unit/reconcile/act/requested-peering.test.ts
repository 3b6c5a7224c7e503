import type { ResourceRecord } from '../../../../src/resources/ledger-entry.ts';
import { expect, test } from 'vitest';
import { withAnswer } from '../../../../src/reconcile/act/peerings.ts';

/** A request for a peering is answered with `p2`, and the object has changed since the request was recorded. (docs/safety.md, Peerings) */

const key = '1/eu/a';
const pendingSince = '2026-11-21T11:59:59.000Z';
const asked = { id: 'vpc-1', peerings: { [key]: { pendingSince } } };
const answered = { id: 'vpc-1', peerings: { [key]: { id: 'p2' } } };
const b = { '2/eu/b': { id: 'p9' } };

const recordedOver = (there: ResourceRecord) => withAnswer(there, key, pendingSince, 'p2');

test.each<[sentence: string, there: ResourceRecord, expected: ReturnType<typeof recordedOver>]>([
  ['that an edit has left as it was', asked, answered],
  [
    'in which there is more by now, beside that',
    { ...asked, vpcAttachment: 'w', peerings: { ...b, ...asked.peerings } },
    { id: 'vpc-1', vpcAttachment: 'w', peerings: { ...b, [key]: { id: 'p2' } } },
  ],
  ['that has it already: nothing more is written', answered, answered],
  ['in which another process has found another: it does not count', { id: 'vpc-1', peerings: { [key]: { id: 'p3' } } }, undefined],
  [
    'in which another process has asked anew: it does not count',
    { id: 'vpc-1', peerings: { [key]: { pendingSince: '2026-11-21T12:05:00.000Z' } } },
    undefined,
  ],
  ['in which another process has closed the request: it does not count', { id: 'vpc-1', peerings: {} }, undefined],
])('the answer goes over a record %s', (_, there, expected) => {
  expect(recordedOver(there)).toEqual(expected);
});
