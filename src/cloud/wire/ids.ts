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

/** The ids in the paths of the API, by their parameters, as its document describes them. */
export const pathIds = z.object({
  project_id: projectId.describe('The project that the API key opens.'),
  vpc_id: vpcId.describe('Id of a VPC.'),
  peering_id: peeringId.describe('Id of a peering of the VPC.'),
  service_id: serviceId.describe('Id of a service.'),
  replica_set_id: replicaSetId.describe('Id of a read replica set of the service.'),
});
export type PathIds = z.infer<typeof pathIds>;

/** The id of a resource in a path, and in a body, by the name of its schema. */
export const resourceIds = {
  Vpc: { parameter: 'vpc_id', field: 'id' },
  Peering: { parameter: 'peering_id', field: 'id' },
  Service: { parameter: 'service_id', field: 'service_id' },
  ReplicaSet: { parameter: 'replica_set_id', field: 'id' },
} as const satisfies Record<string, { readonly parameter: keyof PathIds; readonly field: string }>;
