import { expect, test } from 'vitest';
import { recordOverRequest } from '../../../src/reconcile/act/peerings.ts';
import { recordText, type ResourceRecord } from '../../../src/reconcile/record/record.ts';
import { annotations } from '../../../src/resources/annotations.ts';
import { vpcSituation } from '../../support/situation-of-others.ts';

/** A request for a peering is answered with `p2`, and the object has changed since the request was recorded. (docs/safety.md, Peerings) */

const key = '1/eu/a';
const pendingSince = '2026-11-21T11:59:59.000Z';
const asked = { id: 'vpc-1', peerings: { [key]: { pendingSince, before: ['p1'] } } };
const answered = { id: 'vpc-1', peerings: { [key]: { id: 'p2' } } };
const b = { '2/eu/b': { id: 'p9' } };

/** @param there the record in the object as it is now; undefined: somebody took it away */
function recordedOver(there: ResourceRecord | undefined) {
  const { object } = vpcSituation({ annotations: there ? { [annotations.record]: recordText(there) } : {} });
  return recordOverRequest(object, { key, pendingSince, id: 'p2', answered });
}

test.each<[sentence: string, there: ResourceRecord | undefined, expected: ReturnType<typeof recordedOver>]>([
  ['that an edit has left as it was', asked, answered],
  ['that somebody took away', undefined, answered],
  [
    'in which there is more by now, beside that',
    { ...asked, vpcAttachment: 'w', peerings: { ...b, ...asked.peerings } },
    { id: 'vpc-1', vpcAttachment: 'w', peerings: { ...b, [key]: { id: 'p2' } } },
  ],
  ['that has it already: nothing more is written', answered, 'recorded'],
  ['in which another process has found another: it does not count', { id: 'vpc-1', peerings: { [key]: { id: 'p3' } } }, undefined],
  [
    'in which another process has asked anew: it does not count',
    { id: 'vpc-1', peerings: { [key]: { pendingSince: '2026-11-21T12:05:00.000Z', before: [] } } },
    undefined,
  ],
  ['in which another process has closed the request: it does not count', { id: 'vpc-1', peerings: {} }, undefined],
  ['of another VPC: it does not count', { id: 'vpc-2', peerings: {} }, undefined],
])('the answer goes over a record %s', (_, there, expected) => {
  expect(recordedOver(there)).toEqual(expected);
});
