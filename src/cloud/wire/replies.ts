import * as z from 'zod';
import { optional } from './field.ts';

export const message = z
  .object({ message: optional(z.string()).describe('The result, for people.') })
  .meta({ description: 'A success in words.', examples: [{ message: 'done' }] });

/** Only for the document: `read-reply.ts` reads errors leniently. */
export const apiError = z
  .object({
    code: z.string().min(1).describe('The kind of the error, for programs.'),
    message: z
      .string()
      .min(1)
      .describe('The problem, for people. The operator shows it to its users.'),
  })
  .meta({
    description:
      'Why the cloud refused the request. A refusal with a body of this shape proves that the cloud did nothing; any other body does not.',
    examples: [{ code: 'not_found', message: 'service c7x2k9 does not exist' }],
  });
