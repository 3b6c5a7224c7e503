import * as z from 'zod';
import { openEnum, optional } from './field.ts';
import { vpcId } from './ids.ts';

export const endpoint = z
  .object({
    host: optional(z.string()).describe('Name or address to connect to.'),
    port: optional(z.number()).describe('TCP port.'),
  })
  .describe('Where something is reached.');
export type Endpoint = z.infer<typeof endpoint>;

export const connectionPooler = z
  .object({ endpoint: optional(endpoint) })
  .describe('The connection pooler. Present while it is switched on, absent while it is off.');
export type ConnectionPooler = z.infer<typeof connectionPooler>;

/** The `vpcEndpoint` of a service in the API's document. Replies are read without this schema, since the field may have any shape. */
export const vpcEndpoint = z
  .object({ host: optional(z.string()), port: optional(z.number()), vpc_id: vpcId })
  .describe('Where a service is reached from inside the VPC that it is attached to.');

export const environmentTags = ['DEV', 'PROD'] as const;
export type EnvironmentTag = (typeof environmentTags)[number];

export const environmentMetadata = z.object({
  environment: optional(openEnum(environmentTags)).describe('Environment tag.'),
});
