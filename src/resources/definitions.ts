import { kinds, perKind, resourceTypes, type Kind } from './managed-object.ts';
import { managedServiceSpec, managedServiceStatus } from './managed-service.ts';
import { managedVpcSpec, managedVpcStatus } from './managed-vpc.ts';
import { replicaSetSpec, replicaSetStatus } from './replica-set.ts';
import type { Definition, PrinterColumn } from './schema/definition.ts';
import { toStructural } from './schema/to-structural.ts';

function condition(field: 'status' | 'reason' | 'message'): string {
  return `.status.conditions[?(@.type=="Ready")].${field}`;
}

const ready: readonly PrinterColumn[] = [
  { name: 'Ready', type: 'string', jsonPath: condition('status') },
  { name: 'Reason', type: 'string', jsonPath: condition('reason') },
];
const age: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
const id: PrinterColumn = { name: 'ID', type: 'string', jsonPath: '.status.id', wide: true };
const secret: PrinterColumn = { name: 'Secret', type: 'string', jsonPath: '.status.binding.name', wide: true };
const ending: readonly PrinterColumn[] = [
  { name: 'On-Delete', type: 'string', jsonPath: '.status.onDelete', wide: true },
  { name: 'Message', type: 'string', jsonPath: condition('message'), wide: true },
];
// String columns also for numbers: an integer column would show the word `shared` as blank.
const state: PrinterColumn = { name: 'State', type: 'string', jsonPath: '.status.state' };
const size: PrinterColumn = { name: 'Size', type: 'string', jsonPath: '.status.size' };

const described: Readonly<Record<Kind, Omit<Definition, 'kind' | 'plural'>>> = {
  ManagedVpc: {
    singular: 'managedvpc',
    shortName: 'mvpc',
    description: 'A private network in the managed database cloud, with its peerings.',
    example: { name: 'prod', spec: { cidr: '10.0.0.0/16', regionCode: 'eu-central-1' } },
    columns: [
      ...ready,
      { name: 'CIDR', type: 'string', jsonPath: '.spec.cidr' },
      { name: 'Region', type: 'string', jsonPath: '.spec.regionCode' },
      { name: 'Peerings', type: 'string', jsonPath: '.status.peeringSummary' },
      age,
      id,
      ...ending,
    ],
    spec: managedVpcSpec,
    status: managedVpcStatus,
    rootRules: [],
  },
  ManagedService: {
    singular: 'managedservice',
    shortName: 'msvc',
    description: 'A database in the managed database cloud. Its connection is in the Secret that status.binding names.',
    example: { name: 'orders', spec: { cpuMillis: 1000, memoryGbs: 4, vpcRef: { name: 'prod' } } },
    columns: [
      ...ready,
      state,
      size,
      { name: 'Region', type: 'string', jsonPath: '.status.service.regionCode' },
      age,
      id,
      { name: 'Endpoint', type: 'string', jsonPath: '.status.service.endpoint.host', wide: true },
      { name: 'VPC', type: 'string', jsonPath: '.status.vpcId', wide: true },
      secret,
      ...ending,
    ],
    spec: managedServiceSpec.default({}),
    status: managedServiceStatus,
    rootRules: [
      {
        rule: 'has(self.spec.regionCode) == has(oldSelf.spec.regionCode) || (has(self.spec.regionCode) && has(self.status) && has(self.status.service) && has(self.status.service.regionCode) && self.spec.regionCode == self.status.service.regionCode)',
        message:
          'regionCode is fixed at creation: it can be written down later only with the value in status.service.regionCode, and not removed',
        fieldPath: '.spec.regionCode',
      },
      {
        rule: "!(has(self.spec.cpuMillis) && self.spec.cpuMillis == 'shared') || (has(oldSelf.spec.cpuMillis) && oldSelf.spec.cpuMillis == 'shared') || !has(self.status) || !has(self.status.id)",
        message: 'a service cannot go back to shared: give numbers for cpuMillis and memoryGbs, or fork it into a new, shared service',
        fieldPath: '.spec.cpuMillis',
      },
      {
        rule: 'oldSelf.hasValue() || !has(self.spec.fork) || !has(self.spec.fork.serviceRef) || self.spec.fork.serviceRef.name != self.metadata.name',
        message: 'a service cannot be a fork of itself: name another ManagedService in fork.serviceRef, or give this one another name',
        fieldPath: '.spec.fork.serviceRef',
        optionalOldSelf: true,
      },
    ],
  },
  ReplicaSet: {
    singular: 'readreplicaset',
    shortName: 'rrset',
    description: 'Read replicas of a service. Their connection is in the Secret that status.binding names.',
    example: { name: 'orders-reads', spec: { serviceRef: { name: 'orders' }, nodes: 2, cpuMillis: 1000, memoryGbs: 4 } },
    columns: [
      ...ready,
      state,
      { name: 'Service', type: 'string', jsonPath: '.spec.serviceRef.name' },
      { name: 'Nodes', type: 'integer', jsonPath: '.spec.nodes' },
      size,
      age,
      id,
      { name: 'Endpoint', type: 'string', jsonPath: '.status.replicaSet.endpoint.host', wide: true },
      secret,
      ...ending,
    ],
    spec: replicaSetSpec,
    status: replicaSetStatus,
    rootRules: [],
  },
};

/** All kinds. CRDs and the field reference are generated from this list. */
export const definitions: readonly Definition[] = kinds.map((kind) => ({ ...described[kind], kind, plural: resourceTypes[kind].plural }));

/** The schema of a kind's spec, as its CRD has it. */
export const specSchema = perKind((kind) => toStructural(described[kind].spec, `${kind}.spec`));
