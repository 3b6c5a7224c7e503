import * as z from 'zod';
import { expected, openEnum, optional } from './field.ts';
import { peeringId, vpcId } from './ids.ts';

export const vpc = z
  .object({
    id: expected(vpcId).describe('Unique in the project, and never used again.'),
    cidr: expected(z.string()).describe('Address range, such as 10.0.0.0/16.'),
    name: expected(z.string()).describe('As it was asked for, or renamed. Not unique.'),
    region_code: expected(z.string()).describe('Region of the cloud.'),
  })
  .meta({
    description: 'A private network. It has no state: it is there at once, and gone at once.',
    examples: [{ id: '8801', cidr: '10.0.0.0/16', name: 'prod', region_code: 'eu-central-1' }],
  });
export type Vpc = z.infer<typeof vpc>;

/** The known states. A reply may have others, which pass unchanged. */
export const peeringStates = ['pending', 'active', 'failed'] as const;

export const peering = z
  .object({
    id: expected(peeringId).describe('Unique in its VPC, and never used again.'),
    error_message: optional(z.string()).describe('Why it `failed`, for people.'),
    peer_account_id: expected(z.string()).describe('Account that owns the other network.'),
    peer_region_code: expected(z.string()).describe('Region of the other network.'),
    peer_vpc_id: expected(z.string()).describe('The other network.'),
    provisioned_id: optional(z.string()).describe('What the peer knows the connection by, to accept it.'),
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
export type Peering = z.infer<typeof peering>;
