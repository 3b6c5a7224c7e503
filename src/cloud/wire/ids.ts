import * as z from 'zod';

/** Ids are opaque strings. Their brands keep ids of two kinds from being swapped. */
export const projectId = z.string().min(1).brand<'ProjectId'>();
export const vpcId = z.string().min(1).brand<'VpcId'>();
export const peeringId = z.string().min(1).brand<'PeeringId'>();
export const serviceId = z.string().min(1).brand<'ServiceId'>();
export const replicaSetId = z.string().min(1).brand<'ReplicaSetId'>();

export type ProjectId = z.infer<typeof projectId>;
export type VpcId = z.infer<typeof vpcId>;
export type PeeringId = z.infer<typeof peeringId>;
export type ServiceId = z.infer<typeof serviceId>;
export type ReplicaSetId = z.infer<typeof replicaSetId>;
