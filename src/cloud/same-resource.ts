/** Fields that differ between two reads of an unchanged resource: usage figures, and a password that only some replies carry. */
const passing: ReadonlySet<string> = new Set(['metrics', 'initial_password']);

/** Whether two reads show the same resource, by deep equality of plain data. An absent field equals an undefined one. */
export function sameResource(a: unknown, b: unknown): boolean {
  return sameValue(a, b, passing);
}

const nothing: ReadonlySet<string> = new Set();

function sameValue(a: unknown, b: unknown, except: ReadonlySet<string>): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, index) => sameValue(item, b[index], nothing));
  const left = new Map<string, unknown>(Object.entries(a));
  const right = new Map<string, unknown>(Object.entries(b));
  for (const name of left.keys()) if (!except.has(name) && !sameValue(left.get(name), right.get(name), nothing)) return false;
  for (const [name, value] of right) if (!except.has(name) && value !== undefined && !left.has(name)) return false;
  return true;
}
