import * as z from 'zod';
import { fieldOf } from '../fields.ts';
import { projectId } from './account.ts';
import { connectionPooler, endpoint, environmentMetadata, environmentTags } from './endpoint.ts';
import { dateTime, expected, newName, openEnum, optional, type PartlyRead } from './field.ts';
import type { ResourceKind } from './operation.ts';
import { longestPassword, passwordFault, shortestPassword } from './password.ts';
import { exampleReplicaSet, replicaSet } from './replica-set.ts';
import { serviceOperations } from './service-operations.ts';
import { vpcId } from './vpc.ts';

/** The schema of ServiceId. */
export const serviceId = z.string().min(1).brand<'ServiceId'>();
/** The id of a service. It is opaque, unique in its project, and never reused. */
export type ServiceId = z.infer<typeof serviceId>;

/** The known states. Other states pass unchanged. */
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
/** A known state of a service. `status` of a service may have other words. */
export type ServiceState = (typeof serviceStates)[number];

const serviceTypes = ['TIMESERIESDB', 'POSTGRES', 'VECTOR'] as const;

const origin = z.object({
  is_standby: optional(z.boolean()),
  project_id: optional(z.string()),
  service_id: optional(serviceId).describe('The source of the fork.'),
});

const highAvailability = z.object({
  replica_count: optional(z.number()).describe('Number of high-availability replicas.'),
  sync_replica_count: optional(z.number()).describe(
    'The number of synchronous replicas among them.',
  ),
});

const usage = z.object({
  memory_mb: optional(z.number()).describe('Memory in use, megabytes.'),
  milli_cpu: optional(z.number()).describe('CPU in use, millicores.'),
  storage_mb: optional(z.number()).describe('Storage in use, megabytes.'),
});

const resource = z.object({
  id: optional(z.string()),
  spec: optional(
    z.object({
      cpu_millis: optional(z.number()).describe('Millicores.'),
      memory_gbs: optional(z.number()).describe('Gigabytes.'),
      volume_type: optional(z.string()).describe('Kind of storage.'),
    }),
  ),
});

/**
 * The schema of a service in a reply. `initial_password` is a secret: only the reply to a create or
 * a fork has it, and only the ledger and the connection Secret store it. `vpcEndpoint` may have any
 * shape, but not an empty id. `metrics` are usage figures that differ at every read.
 */
export const service = z
  .object({
    service_id: serviceId.describe('Unique in the project, and never reused.'),
    project_id: optional(projectId).describe('The project that owns it.'),
    name: expected(z.string()).describe('As requested. Not unique.'),
    created: expected(dateTime).describe(
      'Time of creation, by the same clock as the header `Date`.',
    ),
    region_code: optional(z.string()).describe('Region of the cloud.'),
    service_type: optional(openEnum(serviceTypes)).describe('The kind of the database.'),
    status: expected(openEnum(serviceStates)).describe(
      'New or a fork: `QUEUED`, `CONFIGURING`, then `READY`. Stopped: `PAUSING`, then `PAUSED`. Started: `RESUMING`, then `READY`. Resized, with other replicas, attached or detached: `CONFIGURING`, then `READY`. Deleted: `DELETING`, then 404 and gone from lists, or `DELETED` for a while. By itself: `UPGRADING`, `OPTIMIZING`, `UNSTABLE`. The operator shows any other word as it is, and waits for it to pass.',
    ),
    endpoint: optional(endpoint).describe(
      'The address of the database; present at the latest when it is first `READY`.',
    ),
    connection_pooler: optional(connectionPooler),
    forked_from: optional(origin).describe('For a fork.'),
    ha_replicas: optional(highAvailability),
    initial_password: optional(
      z
        .string()
        .refine((text) => passwordFault(text) === undefined)
        .meta({ format: 'password' }),
    ).describe(
      `The first password of the database user: ${shortestPassword} to ${longestPassword} characters, without control characters. Otherwise, the operator sets a new password. Only in the reply to a create or a fork: it cannot be read again.`,
    ),
    metadata: optional(environmentMetadata),
    metrics: optional(usage).describe('Usage figures. They may change with every read.'),
    read_replica_sets: optional(z.array(replicaSet)).describe(
      'All its read replica sets; absent if the cloud lists them only separately.',
    ),
    resources: optional(z.array(resource)).describe('The first entry is the size of the service.'),
    vpcEndpoint: z
      .unknown()
      .refine((value) => fieldOf(value, 'vpc_id') !== '', { path: ['vpc_id'] })
      .meta({ $ref: '#/components/schemas/VpcEndpoint' })
      .optional()
      .describe('The VPC of the service. Absent while it is not attached.'),
  })
  .meta({
    description: 'A database service.',
    examples: [
      {
        service_id: 'c7x2k9',
        project_id: 'prj1',
        name: 'orders',
        created: '2026-03-01T12:00:00Z',
        region_code: 'eu-central-1',
        service_type: 'POSTGRES',
        status: 'READY',
        endpoint: { host: 'c7x2k9.db.example', port: 5432 },
        connection_pooler: { endpoint: { host: 'c7x2k9.pooler.db.example', port: 6432 } },
        ha_replicas: { replica_count: 1, sync_replica_count: 0 },
        metadata: { environment: 'PROD' },
        metrics: { memory_mb: 812, milli_cpu: 140, storage_mb: 5120 },
        read_replica_sets: [exampleReplicaSet],
        resources: [{ id: '1', spec: { cpu_millis: 1000, memory_gbs: 4, volume_type: 'gp3' } }],
        vpcEndpoint: { host: 'c7x2k9.vpc.db.example', port: 5432, vpc_id: '8801' },
      },
    ],
  });
/** A database service, as a reply shows it. */
export type Service = z.infer<typeof service> & PartlyRead;

const environment = z.enum(environmentTags);
const environmentTag = environment.exactOptional().describe('Default: `DEV`.');
const count = z.int().min(0);

/** Both `cpu_millis` and `memory_gbs` are `shared`, or neither is. */
function size(unit: string, otherwise: string) {
  return z
    .string()
    .regex(/^(shared|[1-9][0-9]*)$/u)
    .exactOptional()
    .describe(
      `${unit} as a decimal string, or \`shared\` (then both are). Left out: ${otherwise}.`,
    );
}

/** Not always an integer: the cloud's value fills in a part of the size that the spec leaves out. */
function decimal(unit: string) {
  return z
    .string()
    .regex(/^[0-9]+(\.[0-9]+)?$/u)
    .describe(`${unit} as a decimal string.`);
}

/** The chapter about services in the document of the API. */
export const services = {
  tag: { name: 'Services', description: 'Databases.' },
  pathIds: { service_id: serviceId.describe('Id of a service.') },
  resourceIds: { Service: { parameter: 'service_id', field: 'service_id' } },
  replies: { Service: service },
  requests: {
    CreateService: z
      .object({
        name: newName,
        addons: z
          .array(z.enum(['time-series', 'ai']))
          .readonly()
          .exactOptional()
          .describe(
            '`time-series`: the extension for time series. `ai`: vectors and other extensions for AI.',
          ),
        cpu_millis: size('Millicores', 'the cloud chooses'),
        memory_gbs: size('Gigabytes', 'the cloud chooses'),
        environment_tag: environmentTag,
        region_code: z
          .string()
          .min(1)
          .exactOptional()
          .describe('Default: the choice of the cloud.'),
        replica_count: count
          .exactOptional()
          .describe('Number of asynchronous high-availability replicas. Default: none.'),
      })
      .meta({
        examples: [
          {
            name: 'orders',
            cpu_millis: '1000',
            memory_gbs: '4',
            environment_tag: 'PROD',
            region_code: 'eu-central-1',
            replica_count: 1,
          },
        ],
      }),
    ForkService: z
      .object({
        fork_strategy: z
          .enum(['LAST_SNAPSHOT', 'NOW', 'PITR'])
          .describe(
            '`LAST_SNAPSHOT`: the last saved state. `NOW`: the present state. `PITR`: the state at `target_time`.',
          ),
        target_time: dateTime.exactOptional().describe('Required with `PITR`.'),
        name: newName.exactOptional().describe('Default: the name of the source with `-fork`.'),
        cpu_millis: size('Millicores', 'as the service in the path'),
        memory_gbs: size('Gigabytes', 'as the service in the path'),
        environment_tag: environmentTag,
      })
      .meta({
        examples: [
          { fork_strategy: 'PITR', target_time: '2026-03-01T11:59:00Z', name: 'orders-before' },
        ],
        if: { required: ['fork_strategy'], properties: { fork_strategy: { const: 'PITR' } } },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: { required: ['target_time'] },
      }),
    Resize: z
      .object({ cpu_millis: decimal('Millicores'), memory_gbs: decimal('Gigabytes') })
      .meta({ examples: [{ cpu_millis: '2000', memory_gbs: '8' }] }),
    ServiceVpc: z.object({ vpc_id: vpcId }).meta({ examples: [{ vpc_id: '8801' }] }),
    SetEnvironment: z.object({ environment }).meta({ examples: [{ environment: 'PROD' }] }),
    /** The counterpart of `ha_replicas` in a service. */
    SetHighAvailability: z
      .object({
        replica_count: count
          .exactOptional()
          .describe('Number of high-availability replicas. Default: unchanged.'),
        sync_replica_count: count
          .exactOptional()
          .describe('The number of synchronous replicas among them. Default: unchanged.'),
      })
      .meta({ examples: [{ replica_count: 2, sync_replica_count: 1 }] }),
    UpdatePassword: z
      .object({
        password: z
          .string()
          .min(1)
          .meta({ format: 'password' })
          .describe('The new password of the database user.'),
      })
      .meta({ examples: [{ password: 'a-new-password' }] }),
  },
  operations: serviceOperations,
} as const satisfies ResourceKind;
