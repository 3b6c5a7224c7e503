import * as z from 'zod';

/** A field that the API may leave out or send as null; both arrive as absent. */
export function optional<T extends z.ZodType>(schema: T) {
  return z
    .optional(z.nullable(schema))
    .transform((value): z.output<T> | undefined => value ?? undefined)
    .optional();
}
