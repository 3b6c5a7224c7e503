import * as z from 'zod';

export interface ReadFields<T> {
  readonly fields: Partial<T>;
  readonly issues: readonly z.core.$ZodIssue[];
}

/** Reads an object field by field: leaves out the fields that do not match the schema. */
export function readFields<S extends z.ZodObject>(schema: S, value: unknown): ReadFields<z.output<S>> {
  const whole = schema.safeParse(value);
  if (whole.success) return { fields: whole.data, issues: [] };
  const given = z.record(z.string(), z.unknown()).safeParse(value);
  const wrong = new Set(whole.error.issues.map(({ path }) => path[0]));
  const readable = Object.entries(given.success ? given.data : {}).filter(([name]) => !wrong.has(name));
  const fields = schema.partial().safeParse(Object.fromEntries(readable));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- partial() of a generic schema forgets the types of its fields
  return { fields: (fields.success ? fields.data : {}) as Partial<z.output<S>>, issues: whole.error.issues };
}
