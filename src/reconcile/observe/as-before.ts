/**
 * A part that a reply lacks is as it was, at every depth: `metadata: {}` takes no protection away, and an empty size asks for no resize. Pure.
 * @param before what the last status showed of the same resource, in the words of the wire; leaves out what is absent by meaning, such as a pooler
 * @returns plain data in the shape of a reply: for the schema of the wire
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
