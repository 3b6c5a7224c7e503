/** A value of the cloud with its names as status has them, at every depth: `region_code` becomes `regionCode`. Pure. */
export function camelCased(value: object): Readonly<Record<string, unknown>> {
  const below = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(below);
    return isObject(each) ? camelCased(each) : each;
  };
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, each]) => [
      name.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase()),
      below(each),
    ]),
  );
}

/**
 * A reply in the form of status. Missing parts are taken from before, at every depth: `metadata: {}` removes no
 * protection, and an empty size requests no resize. Pure.
 * @param before the last status of the same resource, without the parts whose absence has a meaning, such as a
 * pooler
 */
export function inStatus(reply: object, before: object): unknown {
  return withMissingFrom(camelCased(reply), before);
}

function withMissingFrom(seen: unknown, before: unknown): unknown {
  if (seen === undefined) return before;
  if (Array.isArray(seen) && Array.isArray(before))
    return seen.length === 0
      ? before
      : seen.map((item: unknown, index) => withMissingFrom(item, before[index]));
  if (!isObject(seen) || !isObject(before)) return seen;
  const [now, then] = [
    new Map<string, unknown>(Object.entries(seen)),
    new Map<string, unknown>(Object.entries(before)),
  ];
  return Object.fromEntries(
    [...then.keys(), ...now.keys()].map((name) => [
      name,
      withMissingFrom(now.get(name), then.get(name)),
    ]),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
