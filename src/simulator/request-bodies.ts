import * as z from 'zod';
import { environmentTags } from '../cloud/wire/endpoint.ts';

/** Bodies that the cloud accepts. Stricter than the client's own schemas: a missing field, or a wrong type, is answered with a 400 that names the field. */

const name = z.string().min(1).max(128);
const region = z.string().min(1).max(64);
const cpu = z.string().regex(/^(?:shared|[1-9]\d{0,6})$/u, 'must be millicores as a string, or "shared"');
const memory = z.string().regex(/^(?:shared|[1-9]\d{0,4})$/u, 'must be gigabytes as a string, or "shared"');
const environment = z.enum(environmentTags);

export const createVpcBody = z.object({
  cidr: z.string().regex(/^\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2}$|^[0-9a-fA-F:]+\/\d{1,3}$/u, 'must be an address range such as 10.0.0.0/16'),
  name,
  region_code: region,
});
export const renameVpcBody = z.object({ name });
export const createPeeringBody = z.object({ peer_account_id: name, peer_region_code: region, peer_vpc_id: name });
export const createServiceBody = z.object({
  name,
  addons: z.array(z.enum(['time-series', 'ai'])).optional(),
  cpu_millis: cpu.optional(),
  memory_gbs: memory.optional(),
  environment_tag: environment.optional(),
  region_code: region.optional(),
  replica_count: z.int().min(0).max(100).optional(),
});
export const forkServiceBody = z
  .object({
    fork_strategy: z.enum(['LAST_SNAPSHOT', 'NOW', 'PITR']),
    target_time: z.iso.datetime({ offset: true }).optional(),
    name: name.optional(),
    cpu_millis: cpu.optional(),
    memory_gbs: memory.optional(),
    environment_tag: environment.optional(),
  })
  .refine((body) => body.fork_strategy !== 'PITR' || body.target_time !== undefined, {
    path: ['target_time'],
    error: 'is required with PITR',
  });
export const vpcBody = z.object({ vpc_id: z.string().min(1) });
export const resizeBody = z.object({ cpu_millis: cpu, memory_gbs: memory });
export const resizeReplicaSetBody = z.object({
  cpu_millis: z.string().regex(/^[1-9]\d{0,6}$/u, 'must be millicores as a string'),
  memory_gbs: z.string().regex(/^[1-9]\d{0,4}$/u, 'must be gigabytes as a string'),
});
export const environmentBody = z.object({ environment });
export const passwordBody = z.object({ password: z.string().min(8).max(128) });
export const highAvailabilityBody = z.object({
  replica_count: z.int().min(0).max(100).optional(),
  sync_replica_count: z.int().min(0).max(100).optional(),
});
export const createReplicaSetBody = z.object({
  name,
  nodes: z.int().min(1).max(100),
  cpu_millis: z.int().min(1),
  memory_gbs: z.int().min(1),
});

export type CreateVpcBody = z.infer<typeof createVpcBody>;
export type CreatePeeringBody = z.infer<typeof createPeeringBody>;
export type CreateServiceBody = z.infer<typeof createServiceBody>;
export type ForkServiceBody = z.infer<typeof forkServiceBody>;
export type CreateReplicaSetBody = z.infer<typeof createReplicaSetBody>;
