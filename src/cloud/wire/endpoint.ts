import * as z from 'zod';
import { openEnum, optional } from './field.ts';
import { vpcId } from './vpc.ts';

export const endpoint = z
  .object({
    host: optional(z.string()).describe('Name or address.'),
    port: optional(z.number()).describe('TCP port.'),
  })
  .meta({
    description: 'The address of a server.',
    examples: [{ host: 'c7x2k9.db.example', port: 5432 }],
  });
export type Endpoint = z.infer<typeof endpoint>;

export const connectionPooler = z.object({ endpoint: optional(endpoint) }).meta({
  description: 'The connection pooler. Present while it is enabled.',
  examples: [{ endpoint: { host: 'c7x2k9.pooler.db.example', port: 6432 } }],
});
export type ConnectionPooler = z.infer<typeof connectionPooler>;

/** Replies are read without this schema, since the field may have any shape. */
export const vpcEndpoint = z
  .object({ host: optional(z.string()), port: optional(z.number()), vpc_id: vpcId })
  .meta({
    description: 'The address of a service inside its VPC.',
    examples: [{ host: 'c7x2k9.vpc.db.example', port: 5432, vpc_id: '8801' }],
  });

export const environmentTags = ['DEV', 'PROD'] as const;
export type EnvironmentTag = (typeof environmentTags)[number];

export const environmentMetadata = z.object({
  environment: optional(openEnum(environmentTags)).describe('Environment tag.'),
});
