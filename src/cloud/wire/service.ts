import * as z from 'zod';
import { connectionPooler, endpoint, environmentMetadata } from './endpoint.ts';
import { optional } from './field.ts';
import { projectId, serviceId } from './ids.ts';
import { replicaSet } from './replica-set.ts';

/** The eleven documented states; a reply may carry others, and they pass through. @see cloud-api.md, States and transitions */
export const serviceStates = [
  'QUEUED',
  'DELETING',
  'CONFIGURING',
  'READY',
  'DELETED',
  'UNSTABLE',
  'PAUSING',
  'PAUSED',
  'RESUMING',
  'UPGRADING',
  'OPTIMIZING',
] as const;
export type ServiceState = (typeof serviceStates)[number];

/**
 * A database service. `initial_password` is a secret: it is in the reply to a create or a fork, and goes nowhere but the connection Secret.
 * `vpcEndpoint` has no documented shape. `metrics` are usage figures and change with every read.
 * @see cloud-api.md, Service
 */
export const service = z.object({
  service_id: optional(serviceId),
  project_id: optional(projectId),
  name: optional(z.string()),
  created: optional(z.string()),
  region_code: optional(z.string()),
  service_type: optional(z.string()),
  status: optional(z.string()),
  endpoint: optional(endpoint),
  connection_pooler: optional(connectionPooler),
  forked_from: optional(z.object({ is_standby: optional(z.boolean()), project_id: optional(z.string()), service_id: optional(serviceId) })),
  ha_replicas: optional(z.object({ replica_count: optional(z.number()), sync_replica_count: optional(z.number()) })),
  initial_password: optional(z.string()),
  metadata: optional(environmentMetadata),
  metrics: optional(z.object({ memory_mb: optional(z.number()), milli_cpu: optional(z.number()), storage_mb: optional(z.number()) })),
  read_replica_sets: optional(z.array(replicaSet)),
  resources: optional(
    z.array(
      z.object({
        id: optional(z.string()),
        spec: optional(z.object({ cpu_millis: optional(z.number()), memory_gbs: optional(z.number()), volume_type: optional(z.string()) })),
      }),
    ),
  ),
  vpcEndpoint: z.unknown().optional(),
});
export type Service = z.infer<typeof service>;
