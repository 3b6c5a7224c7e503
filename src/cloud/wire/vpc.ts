import * as z from 'zod';
import { expected, newName, type PartlyRead } from './field.ts';
import { confirmed, list, noIdempotency, polled, read, type ResourceKind } from './operation.ts';

/** The schema of VpcId. */
export const vpcId = z.string().min(1).brand<'VpcId'>();
/** The id of a VPC. It is opaque, unique in its project, and never reused. */
export type VpcId = z.infer<typeof vpcId>;

/** The schema of a VPC in a reply. */
export const vpc = z
  .object({
    id: vpcId.describe('Unique in the project, and never reused.'),
    cidr: expected(z.string()).describe('Address range, such as 10.0.0.0/16.'),
    name: expected(z.string()).describe('As requested or renamed. Not unique.'),
    region_code: expected(z.string()).describe('Region of the cloud.'),
  })
  .meta({
    description: 'A private network. It has no state: the cloud creates and deletes it at once.',
    examples: [{ id: '8801', cidr: '10.0.0.0/16', name: 'prod', region_code: 'eu-central-1' }],
  });
/** A private network, as a reply shows it. It has no state. */
export type Vpc = z.infer<typeof vpc> & PartlyRead;

const path = '/projects/{project_id}/vpcs';
const one = `${path}/{vpc_id}`;

/** The chapter about VPCs in the document of the API. */
export const vpcs = {
  tag: { name: 'VPCs', description: 'Private networks.' },
  pathIds: { vpc_id: vpcId.describe('Id of a VPC.') },
  resourceIds: { Vpc: { parameter: 'vpc_id', field: 'id' } },
  replies: { Vpc: vpc },
  requests: {
    CreateVpc: z
      .object({
        cidr: z.string().min(1).describe('Address range, such as 10.0.0.0/16.'),
        name: newName,
        region_code: z.string().min(1).describe('Region of the cloud.'),
      })
      .meta({ examples: [{ cidr: '10.0.0.0/16', name: 'prod', region_code: 'eu-central-1' }] }),
    RenameVpc: z.object({ name: newName }).meta({ examples: [{ name: 'production' }] }),
  },
  operations: {
    listVpcs: {
      effect: 'read',
      path,
      summary: 'All VPCs of the project',
      description: polled,
      success: list('Vpc'),
    },
    createVpc: {
      effect: 'create',
      path,
      summary: 'Creates a VPC',
      description: noIdempotency,
      request: 'CreateVpc',
      success: { status: 201, description: 'It is there.', body: 'Vpc' },
    },
    getVpc: {
      effect: 'read',
      path: one,
      summary: 'Reads a VPC',
      description: confirmed,
      success: read('Vpc'),
    },
    deleteVpc: {
      effect: 'delete',
      path: one,
      summary: 'Deletes a VPC, and its peerings with it',
      success: { status: 204, description: 'It is gone.' },
      conflict: 'A service is attached to the VPC, is being attached, or is being detached.',
    },
    renameVpc: {
      effect: 'change',
      path: `${one}/rename`,
      summary: 'Gives a VPC another name',
      request: 'RenameVpc',
      success: {
        status: 200,
        description: 'It has that name. The body is not needed.',
        body: 'Vpc',
      },
    },
  },
} as const satisfies ResourceKind;
