import * as z from 'zod';
import { openEnum, optional } from './field.ts';
import { vpcId } from './vpc.ts';

/** The schema of an {@link Endpoint}. */
export const endpoint = z
  .object({
    host: optional(z.string()).describe('Name or address.'),
    port: optional(z.number()).describe('TCP port.'),
  })
  .meta({
    description: 'The address of a server.',
    examples: [{ host: 'c7x2k9.db.example', port: 5432 }],
  });
/** The address of a server. A part that the cloud does not know yet is absent. */
export type Endpoint = z.infer<typeof endpoint>;

const complete = z.object({
  host: z.string().regex(/^\S+$/u),
  port: z.int().min(1).max(65_535),
});
/** An address to which a client can connect. */
export type CompleteEndpoint = Readonly<z.infer<typeof complete>>;

/**
 * Reads an address of a reply or of a status. An address without a host, or without a port from 1 to 65535, is unknown:
 * undefined.
 */
export function completeEndpoint(value: unknown): CompleteEndpoint | undefined {
  return complete.safeParse(value).data;
}

/** The schema of a {@link ConnectionPooler}. */
export const connectionPooler = z.object({ endpoint: optional(endpoint) }).meta({
  description: 'The connection pooler. Present while it is enabled.',
  examples: [{ endpoint: { host: 'c7x2k9.pooler.db.example', port: 6432 } }],
});
/** The connection pooler of a service or of a replica set. It is present while it is enabled. */
export type ConnectionPooler = z.infer<typeof connectionPooler>;

/**
 * The address of a service in its VPC. Only the document uses this schema: in replies, the field
 * may have any shape.
 */
export const vpcEndpoint = z
  .object({ host: optional(z.string()), port: optional(z.number()), vpc_id: vpcId })
  .meta({
    description: 'The address of a service inside its VPC.',
    examples: [{ host: 'c7x2k9.vpc.db.example', port: 5432, vpc_id: '8801' }],
  });

/** The environment tags that a request may set. */
export const environmentTags = ['DEV', 'PROD'] as const;
/** An environment tag that a request may set. A reply may have other words. */
export type EnvironmentTag = (typeof environmentTags)[number];

/** The schema of the metadata of a service or of a replica set. */
export const environmentMetadata = z.object({
  environment: optional(openEnum(environmentTags)).describe('Environment tag.'),
});
