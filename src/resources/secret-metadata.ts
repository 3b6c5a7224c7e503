import * as z from 'zod';
import { allFinalizers, everyObjects, oursOnly } from './stored-object.ts';

const secret = z.object({
  metadata: z.object({
    ...everyObjects,
    deletionTimestamp: z.string().optional(),
    labels: oursOnly.optional(),
    finalizers: allFinalizers.optional(),
  }),
});

/** The metadata of a user's Secret. The content is not requested. */
export type SecretMetadata = z.infer<typeof secret>;

export const secretMetadata = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  metadataOnly: true,
  parse: (value: unknown): SecretMetadata => secret.parse(value),
} as const;
