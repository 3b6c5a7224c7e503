import * as z from 'zod';

/**
 * Makes the schema of a field that the API may leave out or send as null. Both are read as absent.
 */
export function optional<T extends z.ZodType>(schema: T) {
  return z
    .optional(z.nullable(schema))
    .transform((value): z.output<T> | undefined => value ?? undefined)
    .optional();
}

/**
 * A resource in a list or in the answer to a create, perhaps without fields that could not be read. It is there, but
 * nothing may be concluded from the absence of a field, so its own object waits.
 */
export interface PartlyRead {
  /** Undefined: everything was read. */
  readonly unreadable?: Unreadable | undefined;
}

/** The fields of a resource that could not be read. */
export interface Unreadable {
  /** The names of the fields in which something could not be read. */
  readonly fields: readonly string[];
  /** The first of them with its path, the id of the resource and the expected value, never the actual value. */
  readonly first: string;
}

/** Marks a field as required in the API's document. */
export const expectedMark = 'x-expected';

/**
 * Makes the schema of a field that is read like `optional`, but required in the document of the
 * API: without it a cloud is hardly usable.
 */
export function expected<T extends z.ZodType>(schema: T) {
  return optional(schema).meta({ [expectedMark]: true });
}

/**
 * Makes the schema of a word from a set that may grow. The document names the known words, and a
 * reply may have other words.
 */
export function openEnum(words: readonly string[]) {
  return z.string().meta({ enum: words });
}

/** The schema of a time as text, such as `2026-03-01T12:00:00Z`. */
export const dateTime = z.string().meta({ format: 'date-time' });

/** The schema of the name in a request that creates or renames a resource. */
export const newName = z.string().min(1).describe('Need not be unique.');
