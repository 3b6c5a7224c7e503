import * as z from 'zod';
import { optional } from './field.ts';

export const message = z.object({ message: optional(z.string()).describe('What was done, for people.') }).describe('A success in words.');

/** Only for the document: `read-error.ts` reads errors leniently. */
export const apiError = z
  .object({
    code: z.string().min(1).describe('What kind of error it is, for programs.'),
    message: z.string().min(1).describe('What is wrong, for people. The operator shows it to its users.'),
  })
  .describe(
    'Why the cloud did not do what was asked. A refusal with a body of this shape proves to the operator that nothing was done; any other body does not.',
  );
