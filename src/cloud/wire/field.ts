import * as z from 'zod';

/** A field that the API may leave out or send as null; both arrive as absent. */
export function optional<T extends z.ZodType>(schema: T) {
  return z
    .optional(z.nullable(schema))
    .transform((value): z.output<T> | undefined => value ?? undefined)
    .optional();
}

/** Marks a field as required in the API's document. */
export const expectedMark = 'x-expected';

/** Read as `optional`, and yet required in the API's document: a cloud that leaves it out can hardly be driven. */
export function expected<T extends z.ZodType>(schema: T) {
  return optional(schema).meta({ [expectedMark]: true });
}

/** One of a set of words that may grow: the API's document names those that are known, a reply may carry others. */
export function openEnum(words: readonly string[]) {
  return z.string().meta({ enum: words });
}

export const dateTime = z.string().meta({ format: 'date-time' });
