import { sizeText, type Size } from './fields.ts';

/** Caches the result of the function for each reply: a visit needs its mirror in several places, and no code changes a reply. */
export function onceEach<Reply extends object, Mirror>(mirrorOf: (reply: Reply) => Mirror): (reply: Reply) => Mirror {
  const mirrors = new WeakMap<Reply, Mirror>();
  return (reply) => {
    const mirror = mirrors.get(reply) ?? mirrorOf(reply);
    mirrors.set(reply, mirror);
    return mirror;
  };
}

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
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [rename(name), below(each)]));
}

/**
 * A reply whose missing parts are taken from before, at every depth: `metadata: {}` removes no protection, and
 * an empty size requests no resize. Pure.
 * @param before the last status of the same resource, in the form of a reply, without the parts whose absence
 * has a meaning, such as a pooler
 * @returns plain data in the shape of a reply, for the wire schema
 */
export function withMissingFrom(seen: unknown, before: unknown): unknown {
  if (seen === undefined) return before;
  if (Array.isArray(seen) && Array.isArray(before))
    return seen.length === 0 ? before : seen.map((item: unknown, index) => withMissingFrom(item, before[index]));
  if (!isObject(seen) || !isObject(before)) return seen;
  const [now, then] = [new Map<string, unknown>(Object.entries(seen)), new Map<string, unknown>(Object.entries(before))];
  return Object.fromEntries([...then.keys(), ...now.keys()].map((name) => [name, withMissingFrom(now.get(name), then.get(name))]));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The size as text for status: `2000m/8GB`; undefined when the cloud does not report it. */
export function shownSize({ cpuMillis, memoryGbs }: Size = {}): string | undefined {
  return cpuMillis === undefined || memoryGbs === undefined ? undefined : sizeText({ cpuMillis, memoryGbs });
}
