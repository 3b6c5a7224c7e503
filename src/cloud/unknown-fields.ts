import { isFields } from './fields.ts';

/**
 * Paths of the fields that a schema dropped. Items of an array share one path (`[]`).
 * Never contains a value. A name that looks like a value (odd characters, too long) is replaced.
 */
export function unknownFields(raw: unknown, read: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  compare(raw, read, '', found);
  return found;
}

function compare(raw: unknown, read: unknown, path: string, found: Set<string>): void {
  // The same object: a value without a schema, which passes unchanged.
  if (raw === read || !isFields(raw) || !isFields(read)) return;
  if (Array.isArray(raw)) {
    if (Array.isArray(read)) for (const [index, item] of raw.entries()) compare(item, read[index], `${path}[]`, found);
    return;
  }
  for (const name of Object.keys(raw)) {
    const isKnown = Object.hasOwn(read, name);
    // Most fields are known, and have none themselves.
    if (isKnown && !isFields(raw[name])) continue;
    const place = path === '' ? printable(name) : `${path}.${printable(name)}`;
    if (isKnown) compare(raw[name], read[name], place, found);
    else found.add(place);
  }
}

function printable(name: string): string {
  return /^[\w-]{1,40}$/u.test(name) ? name : '(unprintable name)';
}
