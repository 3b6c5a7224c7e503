import * as z from 'zod';
import { optional } from './field.ts';
import { projectId } from './ids.ts';

/**
 * Reply of GET /auth/info. Only what the operator acts on is required: the project that the key belongs to.
 * @see cloud-api.md, Credentials info
 */
export const credentialsInfo = z.object({
  type: optional(z.string()),
  apiKey: z.object({
    created: optional(z.string()),
    issuing_user: optional(z.object({ id: optional(z.string()), email: optional(z.string()), name: optional(z.string()) })),
    name: optional(z.string()),
    project: z.object({ id: projectId, name: optional(z.string()), plan_type: optional(z.string()) }),
    public_key: optional(z.string()),
  }),
});
export type CredentialsInfo = z.infer<typeof credentialsInfo>;
