/** A value of JSON that has fields; a list has some, too. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value has fields: an object or a list, but not null. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** A field of a value, if it has fields. Inherited properties, such as `constructor`, do not count. */
export function fieldOf(value: unknown, name: string): unknown {
  return isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
