import * as z from 'zod';
import { age, ending, id, ready } from './columns.ts';
import { checkedBy, fixedAtCreation } from './rule.ts';
import { cloudText, commonSpec } from './spec-fields.ts';
import { commonStatus } from './status.ts';
import { everyKind, storedObject, type StoredObject } from './stored-object.ts';

const peering = z.object({
  peerAccountId: z.string().min(1).max(128).describe('Account that owns the other VPC.'),
  peerRegionCode: z.string().min(1).max(64).describe('Region of the other VPC.'),
  peerVpcId: z.string().min(1).max(128).describe("The other VPC's id at its own provider."),
});

export const managedVpcSpec = z
  .object({
    ...commonSpec,
    deletionProtection: commonSpec.deletionProtection.describe(
      'true refuses to delete the VPC in the cloud, false allows it. Omitted: protected only in a Namespace that requires approvals.',
    ),
    name: cloudText(
      'Name in the cloud; may change. Omitted: the name of this object and six characters that make it its own.',
    ),
    cidr: z
      .string()
      .max(43)
      .meta({
        description: 'Address range, without host bits, such as 10.0.0.0/16. Fixed at creation.',
        ...checkedBy(
          // Kubernetes 1.31 refuses the comparison of two ranges, since it cannot estimate the cost: the comparison of strings has a bound.
          {
            rule: 'isCIDR(self) && string(cidr(self).masked()) == self.lowerAscii()',
            message:
              'cidr is an address range without host bits, in its shortest form, such as 10.0.0.0/16',
          },
          fixedAtCreation({
            rule: 'self == oldSelf',
            message:
              'cidr is fixed at creation: create another ManagedVpc with the new range, move the services, delete this object',
          }),
        ),
      }),
    regionCode: z
      .string()
      .min(1)
      .max(64)
      .meta({
        description: 'Region of the cloud, such as eu-central-1. Fixed at creation.',
        ...checkedBy(
          fixedAtCreation({
            rule: 'self == oldSelf',
            message:
              'regionCode is fixed at creation: create another ManagedVpc in the other region',
          }),
        ),
      }),
    peerings: z
      .array(peering)
      .max(64)
      .optional()
      .meta({
        description:
          'Peerings with VPCs elsewhere. The other side has to accept each. A peering that leaves the list is removed, if this object made it.',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['peerAccountId', 'peerRegionCode', 'peerVpcId'],
      }),
  })
  .describe('The wanted VPC.');
export type ManagedVpcSpec = z.infer<typeof managedVpcSpec>;

export const managedVpcStatus = z.object({
  ...commonStatus,
  peeringSummary: z
    .string()
    .optional()
    .describe('How many of the wanted peerings are active, such as 1/2 active.'),
  vpc: z
    .object({
      name: z.string().optional(),
      cidr: z.string().optional(),
      regionCode: z.string().optional(),
    })
    .meta({ 'x-kubernetes-preserve-unknown-fields': true })
    .optional()
    .describe('The VPC as the cloud shows it.'),
  peerings: z
    .array(
      z.object({
        peerAccountId: z.string().optional(),
        peerRegionCode: z.string().optional(),
        peerVpcId: z.string().optional(),
        id: z.string().optional(),
        status: z.string().optional(),
        errorMessage: z.string().optional(),
        provisionedId: z.string().optional(),
        managed: z.boolean().optional(),
      }),
    )
    .optional()
    .describe(
      'All peerings of the VPC as the cloud shows them; managed: this object created the peering.',
    ),
});
export type ManagedVpcStatus = z.infer<typeof managedVpcStatus>;

export type ManagedVpc = StoredObject<'ManagedVpc', ManagedVpcSpec, ManagedVpcStatus>;

export const managedVpcs = {
  ...everyKind,
  plural: 'managedvpcs',
  kind: 'ManagedVpc',
  parse: (value: unknown): ManagedVpc =>
    storedObject('ManagedVpc', { spec: managedVpcSpec, status: managedVpcStatus }, value),
  references: () => [],
  parent: undefined,
  shownEnvironment: () => undefined,
  passwordSecret: () => undefined,
  described: {
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
} as const;
