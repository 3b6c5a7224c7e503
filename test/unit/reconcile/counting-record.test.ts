import { describe, expect, test } from 'vitest';
import { countingRecordIn } from '../../../src/reconcile/record/known-by-status.ts';
import type { ResourceRecord } from '../../../src/reconcile/record/record.ts';
import { annotations } from '../../../src/resources/annotations.ts';
import { resourceTypes, type Kind } from '../../../src/resources/managed-object.ts';

function counting(kind: Kind, status: object | undefined, record?: string): ResourceRecord {
  const texts = record === undefined ? {} : { [annotations.record]: record };
  const metadata = { name: 'orders', namespace: 'shop', uid: 'u', resourceVersion: '1', generation: 1, annotations: texts };
  return countingRecordIn(resourceTypes[kind].parse({ metadata, spec: {}, status }));
}

/** What others hold for the sake of an object, they hold by all that any place knows of it. (docs/safety.md, What an object knows) */

const made = { id: 'x-1', projectId: 'prj-1' };
const address = { peerAccountId: '1', peerRegionCode: 'eu', peerVpcId: 'a' };
const service = {
  ...made,
  vpcId: 'vpc-1',
  vpcManaged: true,
  service: { forkedFrom: { serviceId: 'svc-0' } },
};

describe('an object whose record is not taken back yet counts as it will be written', () => {
  test.each<[sentence: string, kind: Kind, status: object, expected: ResourceRecord]>([
    ['a service, with its source and its VPC', 'ManagedService', service, { ...made, vpcAttachment: 'vpc-1', forkSourceId: 'svc-0' }],
    ['a service whose VPC somebody else attached', 'ManagedService', { ...made, vpcId: 'vpc-1', vpcManaged: false }, made],
    [
      'a VPC, with the peerings that it made',
      'ManagedVpc',
      {
        ...made,
        peerings: [
          { ...address, id: 'p1', managed: true },
          { ...address, peerVpcId: 'b', id: 'p2' },
        ],
      },
      { ...made, peerings: { '1/eu/a': { id: 'p1' } } },
    ],
    ['a replica set, with its service', 'ReplicaSet', { ...made, serviceId: 'svc-1' }, { ...made, parentServiceId: 'svc-1' }],
  ])('%s', (_, kind, status, expected) => {
    expect(counting(kind, status)).toEqual(expected);
    expect(counting(kind, status, '{'), 'one that does not parse').toEqual(expected);
    expect(counting(kind, status, '{"creates":2}'), 'one without an id').toEqual({ ...expected, creates: 2 });
  });
});

test.each<[sentence: string, status: object | undefined, record: ResourceRecord]>([
  ['a record with an id is the one that counts, whatever status says', service, { id: 'x-2', projectId: 'prj-1' }],
  ['without a status there is nothing to complete', undefined, { creates: 1 }],
])('%s', (_, status, record) => {
  expect(counting('ManagedService', status, JSON.stringify(record))).toEqual(record);
});
