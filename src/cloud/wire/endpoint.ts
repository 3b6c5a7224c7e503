import * as z from 'zod';
import { optional } from './field.ts';

/** @see cloud-api.md, Endpoint */
export const endpoint = z.object({ host: optional(z.string()), port: optional(z.number()) });
export type Endpoint = z.infer<typeof endpoint>;

/** @see cloud-api.md, ConnectionPooler */
export const connectionPooler = z.object({ endpoint: optional(endpoint) });
export type ConnectionPooler = z.infer<typeof connectionPooler>;

export const environmentMetadata = z.object({ environment: optional(z.string()) });

/** @see cloud-api.md, EnvironmentTag */
export const environmentTags = ['DEV', 'PROD'] as const;
export type EnvironmentTag = (typeof environmentTags)[number];
