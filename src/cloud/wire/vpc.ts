import * as z from 'zod';
import { optional } from './field.ts';
import { peeringId, vpcId } from './ids.ts';

/** @see cloud-api.md, Vpc */
export const vpc = z.object({
  id: optional(vpcId),
  cidr: optional(z.string()),
  name: optional(z.string()),
  region_code: optional(z.string()),
});
export type Vpc = z.infer<typeof vpc>;

/** `status` is free-form; seen are `pending`, `active` and `failed`. @see cloud-api.md, Peering */
export const peering = z.object({
  id: optional(peeringId),
  error_message: optional(z.string()),
  peer_account_id: optional(z.string()),
  peer_region_code: optional(z.string()),
  peer_vpc_id: optional(z.string()),
  provisioned_id: optional(z.string()),
  status: optional(z.string()),
});
export type Peering = z.infer<typeof peering>;
