import * as z from 'zod';
import { expected, openEnum, optional } from './field.ts';
import type { ResourceKind } from './operation.ts';

/** The schema of ProjectId. */
export const projectId = z.string().min(1).brand<'ProjectId'>();
/** The id of a project of the cloud. It is opaque, and never empty. */
export type ProjectId = z.infer<typeof projectId>;

/**
 * The owner of the API key. Only the field that the operator acts on is required: the project of
 * the key.
 */
export const credentialsInfo = z
  .object({
    type: expected(openEnum(['apiKey'])),
    apiKey: z.object({
      created: optional(z.string()).describe('The time of its creation.'),
      issuing_user: optional(
        z.object({
          id: optional(z.string()),
          email: optional(z.string()),
          name: optional(z.string()),
        }),
      ).describe('The creator of the key.'),
      name: optional(z.string()).describe('The name of the key, chosen by its owner.'),
      project: z
        .object({ id: projectId, name: optional(z.string()), plan_type: optional(z.string()) })
        .describe('The project of the key; its id is in all other paths.'),
      public_key: optional(z.string()).describe('The part of the key that is no secret.'),
    }),
  })
  .meta({
    description: 'The owner of the API key.',
    examples: [
      {
        type: 'apiKey',
        apiKey: {
          created: '2026-01-01T00:00:00Z',
          issuing_user: { id: 'usr1', email: 'team@example.com', name: 'Team' },
          name: 'operator',
          project: { id: 'prj1', name: 'Shop', plan_type: 'standard' },
          public_key: 'pk-prj1',
        },
      },
    ],
  });

/** The operations and schemas about the key itself, outside of any project. */
export const account = {
  tag: { name: 'Credentials', description: 'The API key in use.' },
  replies: { CredentialsInfo: credentialsInfo },
  operations: {
    getCredentialsInfo: {
      effect: 'read',
      path: '/auth/info',
      summary: 'The owner of the API key',
      description:
        'Requested before the first use of a key, before a resource counts as gone, and while a key is rejected, at most every ten minutes.',
      success: { status: 200, description: 'The key is valid.', body: 'CredentialsInfo' },
    },
  },
} as const satisfies Pick<ResourceKind, 'tag' | 'replies' | 'operations'>;
