import { expect, test } from 'vitest';
import { entryFromStatus, hasEntry } from '../../../src/cli/read/entries-from-status.ts';
import { recordIn, ledgerEntries } from '../../../src/resources/ledger-entry.ts';
import { resourceTypes, type Kind } from '../../../src/resources/managed-object.ts';

const object = (kind: Kind, { spec = {}, status = {}, more = {} }: Record<string, object>) =>
  resourceTypes[kind].parse({
    apiVersion: 'managed-db.io/v1alpha1',
    kind,
    metadata: {
      name: 'a',
      namespace: 'shop',
      uid: 'u',
      resourceVersion: '7',
      generation: 1,
      ...more,
    },
    spec,
    status,
  });
const cluster = {
  get: () => Promise.resolve(undefined),
  list: () => Promise.reject(new Error('no list is needed')),
};
const ids = { id: 'i', projectId: 'prj1' };
const address = { peerAccountId: '1', peerRegionCode: 'r', peerVpcId: 'v' };
const record = async (kind: Kind, parts: Record<string, object>) => {
  const entry = await entryFromStatus(object(kind, parts), 'ledger', cluster);
  return entry && recordIn(ledgerEntries.parse(entry));
};

test.for([
  [
    'a VPC with the peerings that its object made',
    'ManagedVpc',
    {
      spec: { cidr: '10.0.0.0/16', regionCode: 'r' },
      status: { ...ids, peerings: [{ ...address, id: 'p', managed: true }, { id: 'q' }] },
    },
    { peerings: { '1/r/v': { id: 'p' } } },
  ],
  [
    'a service with the VPC that its spec names',
    'ManagedService',
    { spec: { vpcRef: { name: 'prod' } }, status: { ...ids, vpcId: '9' } },
    { vpcAttachment: '9' },
  ],
  [
    'a service without the VPC that another program attached',
    'ManagedService',
    { status: { ...ids, vpcId: '9' } },
    {},
  ],
  [
    'a replica set with its service',
    'ReplicaSet',
    { spec: { serviceRef: { name: 'a' }, nodes: 1 }, status: { ...ids, serviceId: 's' } },
    { parentServiceId: 's' },
  ],
] as const)('the status shows %s', async ([, kind, parts, more]) => {
  expect(await record(kind, parts)).toEqual({ ...ids, outcome: 'adopted', ...more });
});

test('an object without an id, or whose resource has another owner, has no entry from its status', async () => {
  const at = '2026-01-01T00:00:00Z';
  const reason = { status: 'False', message: '', lastTransitionTime: at };
  const conditions = [{ type: 'Synced', reason: 'NotBound', ...reason }];
  expect(await record('ManagedService', { status: {} })).toBeUndefined();
  expect(await record('ManagedService', { status: { ...ids, conditions } })).toBeUndefined();
});

const isIn = (more: object) => hasEntry(object('ManagedService', { more }));

test('an object with the pointer or the finalizer of the operator has an entry in the ledger', () => {
  const annotations = { 'managed-db.io/ledger': 'managedservice-u' };
  const finalizers = ['managed-db.io/cloud-resource'];
  expect([{}, { annotations }, { finalizers }].map(isIn)).toEqual([false, true, true]);
});
