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
  ['that has not changed', asked, answered],
  [
    'that has gained further parts, and keeps the parts',
    { ...asked, vpcAttachment: 'w', peerings: { ...b, ...asked.peerings } },
    { id: 'vpc-1', vpcAttachment: 'w', peerings: { ...b, [key]: { id: 'p2' } } },
  ],
  ['unless a second process has recorded the id', answered, undefined],
  [
    'unless a second process has recorded a different id',
    { id: 'vpc-1', peerings: { [key]: { id: 'p3' } } },
    undefined,
  ],
  [
    'unless a second process has sent a new request',
    { id: 'vpc-1', peerings: { [key]: { pendingSince: '2026-11-21T12:05:00.000Z' } } },
    undefined,
  ],
  ['unless a second process has closed the request', { id: 'vpc-1', peerings: {} }, undefined],
])('the reply to a peering request is written into a record %s', (_, there, expected) => {
  expect(recordedOver(there)).toEqual(expected);
});
