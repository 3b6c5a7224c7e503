import * as z from 'zod';

const record = z.record(z.string(), z.unknown());

/** A value of the cloud with its names as status has them, at every depth: `region_code` becomes `regionCode`. Pure. */
export function camelCased(value: object): Readonly<Record<string, unknown>> {
  return renamed(value, (name) => name.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase()));
}

/** The reverse: `regionCode` becomes `region_code`. */
export function snakeCased(value: object): Readonly<Record<string, unknown>> {
  return renamed(value, (name) => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`));
}

function renamed(value: object, rename: (name: string) => string): Readonly<Record<string, unknown>> {
  const below = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(below);
    return typeof each === 'object' && each !== null ? renamed(each, rename) : each;
  };
  return Object.fromEntries(Object.entries(record.parse(value)).map(([name, each]) => [rename(name), below(each)]));
}
