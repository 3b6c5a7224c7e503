import * as z from 'zod';
import { environmentTags } from './endpoint.ts';
import { dateTime } from './field.ts';
import { vpcId } from './ids.ts';

/** Bodies of requests on the wire. The API's document is generated from them; the simulator has its own, stricter schemas. */

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

export const createVpc = z.object({
  cidr: z.string().min(1).describe('Address range, such as 10.0.0.0/16.'),
  name,
  region_code: z.string().min(1).describe('Region of the cloud.'),
});
export type CreateVpc = Readonly<z.infer<typeof createVpc>>;

export const renameVpc = z.object({ name });

export const createPeering = z.object({
  peer_account_id: z.string().min(1).describe('Account that owns the other network.'),
  peer_region_code: z.string().min(1).describe('Region of the other network.'),
  peer_vpc_id: z.string().min(1).describe('The other network.'),
});
export type CreatePeering = Readonly<z.infer<typeof createPeering>>;

export const createService = z.object({
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
});
export type CreateService = Readonly<z.infer<typeof createService>>;

export const forkService = z
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
    if: { required: ['fork_strategy'], properties: { fork_strategy: { const: 'PITR' } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ['target_time'] },
  });
export type ForkService = Readonly<z.infer<typeof forkService>>;

export const resize = z.object({ cpu_millis: decimal('Millicores'), memory_gbs: decimal('Gigabytes') });
export type Resize = Readonly<z.infer<typeof resize>>;

export const serviceVpc = z.object({ vpc_id: vpcId });

export const setEnvironment = z.object({ environment });

export const updatePassword = z.object({
  password: z.string().min(1).meta({ format: 'password' }).describe('The new password of the database user.'),
});

/** The counterpart of `ha_replicas` in a service. */
export const setHighAvailability = z.object({
  replica_count: count.exactOptional().describe('Number of high-availability replicas. Left out: as it is.'),
  sync_replica_count: count.exactOptional().describe('How many of them are synchronous. Left out: as it is.'),
});
export type SetHighAvailability = Readonly<z.infer<typeof setHighAvailability>>;

export const createReplicaSet = z.object({
  name,
  nodes: z.int().min(1).describe('Number of nodes.'),
  cpu_millis: z.int().min(1).describe('CPU of each node, millicores: a number here.'),
  memory_gbs: z.int().min(1).describe('Memory of each node, gigabytes: a number here.'),
});
export type CreateReplicaSet = Readonly<z.infer<typeof createReplicaSet>>;
