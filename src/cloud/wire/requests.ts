import * as z from 'zod';
import { environmentTags } from './endpoint.ts';
import { dateTime } from './field.ts';
import { vpcId } from './ids.ts';

const name = z.string().min(1).describe('Need not be unique.');
const environment = z.enum(environmentTags);
const environmentTag = environment.exactOptional().describe('Left out: `DEV`.');
const count = z.int().min(0);

/** Both `cpu_millis` and `memory_gbs` are `shared`, or neither is. */
function size(unit: string, otherwise: string) {
  return z
    .string()
    .regex(/^(shared|[1-9][0-9]*)$/u)
    .exactOptional()
    .describe(`${unit} as a decimal string, or \`shared\` (then both are). Left out: ${otherwise}.`);
}

/** Not always an integer: a part of the size that the spec leaves out is sent as the cloud reports it. */
function decimal(unit: string) {
  return z
    .string()
    .regex(/^[0-9]+(\.[0-9]+)?$/u)
    .describe(`${unit} as a decimal string.`);
}

/** Bodies of requests on the wire, by their names in the API's document, which is generated from them. The simulator has its own, stricter schemas. */
export const requests = {
  CreateVpc: z
    .object({
      cidr: z.string().min(1).describe('Address range, such as 10.0.0.0/16.'),
      name,
      region_code: z.string().min(1).describe('Region of the cloud.'),
    })
    .meta({ examples: [{ cidr: '10.0.0.0/16', name: 'prod', region_code: 'eu-central-1' }] }),
  RenameVpc: z.object({ name }).meta({ examples: [{ name: 'production' }] }),
  CreatePeering: z
    .object({
      peer_account_id: z.string().min(1).describe('Account that owns the other network.'),
      peer_region_code: z.string().min(1).describe('Region of the other network.'),
      peer_vpc_id: z.string().min(1).describe('The other network.'),
    })
    .meta({ examples: [{ peer_account_id: '123456789012', peer_region_code: 'eu-central-1', peer_vpc_id: 'vpc-0a1b2c3d' }] }),
  CreateService: z
    .object({
      name,
      addons: z
        .array(z.enum(['time-series', 'ai']))
        .readonly()
        .exactOptional()
        .describe('`time-series`: the extension for time series. `ai`: vectors and what else AI needs.'),
      cpu_millis: size('Millicores', 'the cloud chooses'),
      memory_gbs: size('Gigabytes', 'the cloud chooses'),
      environment_tag: environmentTag,
      region_code: z.string().min(1).exactOptional().describe('Left out: the cloud chooses.'),
      replica_count: count.exactOptional().describe('Number of high-availability replicas, asynchronous ones. Left out: none.'),
    })
    .meta({
      examples: [
        { name: 'orders', cpu_millis: '1000', memory_gbs: '4', environment_tag: 'PROD', region_code: 'eu-central-1', replica_count: 1 },
      ],
    }),
  ForkService: z
    .object({
      fork_strategy: z
        .enum(['LAST_SNAPSHOT', 'NOW', 'PITR'])
        .describe('`LAST_SNAPSHOT`: as it was saved last. `NOW`: as it is. `PITR`: as it was at `target_time`.'),
      target_time: dateTime.exactOptional().describe('Required with `PITR`.'),
      name: name.exactOptional().describe('Left out: the name of the service in the path, with `-fork` after it.'),
      cpu_millis: size('Millicores', 'as the service in the path'),
      memory_gbs: size('Gigabytes', 'as the service in the path'),
      environment_tag: environmentTag,
    })
    .meta({
      examples: [{ fork_strategy: 'PITR', target_time: '2026-03-01T11:59:00Z', name: 'orders-before' }],
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
      replica_count: count.exactOptional().describe('Number of high-availability replicas. Left out: as it is.'),
      sync_replica_count: count.exactOptional().describe('How many of them are synchronous. Left out: as it is.'),
    })
    .meta({ examples: [{ replica_count: 2, sync_replica_count: 1 }] }),
  UpdatePassword: z
    .object({
      password: z.string().min(1).meta({ format: 'password' }).describe('The new password of the database user.'),
    })
    .meta({ examples: [{ password: 'a-new-password' }] }),
  CreateReplicaSet: z
    .object({
      name,
      nodes: z.int().min(1).describe('Number of nodes.'),
      cpu_millis: z.int().min(1).describe('CPU of each node, millicores: a number here.'),
      memory_gbs: z.int().min(1).describe('Memory of each node, gigabytes: a number here.'),
    })
    .meta({ examples: [{ name: 'orders-reads', nodes: 2, cpu_millis: 500, memory_gbs: 2 }] }),
} as const;

export type Request<N extends keyof typeof requests> = Readonly<z.infer<(typeof requests)[N]>>;
export type CreatePeering = Request<'CreatePeering'>;
export type CreateReplicaSet = Request<'CreateReplicaSet'>;
export type CreateService = Request<'CreateService'>;
export type CreateVpc = Request<'CreateVpc'>;
export type ForkService = Request<'ForkService'>;
