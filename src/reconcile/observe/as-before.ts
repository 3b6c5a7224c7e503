/**
 * A reply whose missing parts are taken from before, at every depth: `metadata: {}` removes no protection, and an empty size requests no resize. Pure.
 * @param before the last status of the same resource, in the form of a reply, without the parts whose absence has a meaning, such as a pooler
 * @returns plain data in the shape of a reply, for the wire schema
 */
export function asBefore(seen: unknown, before: unknown): unknown {
  if (seen === undefined) return before;
  if (Array.isArray(seen) && Array.isArray(before))
    return seen.length === 0 ? before : seen.map((item: unknown, index) => asBefore(item, before[index]));
  if (!isObject(seen) || !isObject(before)) return seen;
  const [now, then] = [new Map<string, unknown>(Object.entries(seen)), new Map<string, unknown>(Object.entries(before))];
  return Object.fromEntries([...then.keys(), ...now.keys()].map((name) => [name, asBefore(now.get(name), then.get(name))]));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
