import * as z from 'zod';
import { expected, openEnum, optional, type PartlyRead } from './field.ts';
import { confirmed, list, polled, read, type ResourceKind } from './operation.ts';

/** The schema of PeeringId. */
export const peeringId = z.string().min(1).brand<'PeeringId'>();
/** The id of a peering. It is opaque, unique in its VPC, and never reused. */
export type PeeringId = z.infer<typeof peeringId>;

/** The known states. Other states pass unchanged. */
export const peeringStates = ['pending', 'active', 'failed'] as const;

/** The schema of a peering in a reply. */
export const peering = z
  .object({
    id: peeringId.describe('Unique in its VPC, and never reused.'),
    error_message: optional(z.string()).describe('The reason of `failed`, for people.'),
    peer_account_id: z.string().describe('Account that owns the other network.'),
    peer_region_code: z.string().describe('Region of the other network.'),
    peer_vpc_id: z.string().describe('The other network.'),
    provisioned_id: optional(z.string()).describe(
      'The id of the connection at the peer, who accepts it.',
    ),
    status: expected(openEnum(peeringStates)).describe(
      '`pending` until the peer accepts it, then `active`; or `failed`. The operator shows any other word as it is, and waits for it to pass.',
    ),
  })
  .meta({
    description: 'A connection between a VPC and a network elsewhere.',
    examples: [
      {
        id: '31',
        peer_account_id: '123456789012',
        peer_region_code: 'eu-central-1',
        peer_vpc_id: 'vpc-0a1b2c3d',
        provisioned_id: 'pcx-7f3a',
        status: 'active',
      },
    ],
  });
/** A connection between a VPC and a network elsewhere, as a reply shows it. */
export type Peering = z.infer<typeof peering> & PartlyRead;

const path = '/projects/{project_id}/vpcs/{vpc_id}/peerings';
const one = `${path}/{peering_id}`;

/** The chapter about peerings in the document of the API. */
export const peerings = {
  tag: { name: 'Peerings', description: 'Connections of a VPC with networks elsewhere.' },
  pathIds: { peering_id: peeringId.describe('Id of a peering of the VPC.') },
  resourceIds: { Peering: { parameter: 'peering_id', field: 'id' } },
  replies: { Peering: peering },
  requests: {
    CreatePeering: z
      .object({
        peer_account_id: z.string().min(1).describe('Account that owns the other network.'),
        peer_region_code: z.string().min(1).describe('Region of the other network.'),
        peer_vpc_id: z.string().min(1).describe('The other network.'),
      })
      .meta({
        examples: [
          {
            peer_account_id: '123456789012',
            peer_region_code: 'eu-central-1',
            peer_vpc_id: 'vpc-0a1b2c3d',
          },
        ],
      }),
  },
  operations: {
    listPeerings: {
      effect: 'read',
      path,
      summary: 'All peerings of a VPC',
      description: polled,
      success: list('Peering'),
    },
    createPeering: {
      effect: 'create',
      path,
      summary: 'Requests a peering',
      description:
        'The same request twice creates two peerings. After a lost answer, the operator looks in the list for two minutes, and repeats the request only without a peering with this peer.',
      request: 'CreatePeering',
      success: {
        status: 201,
        description: 'It is `pending` until the peer accepts it.',
        body: 'Peering',
        example: { status: 'pending' },
      },
    },
    getPeering: {
      effect: 'read',
      path: one,
      summary: 'Reads a peering',
      description: confirmed,
      success: read('Peering'),
    },
    deletePeering: {
      effect: 'delete',
      path: one,
      summary: 'Deletes a peering',
      success: { status: 204, description: 'It is gone.' },
    },
  },
} as const satisfies ResourceKind;
