import { isFields } from './fields.ts';

/**
 * Finds the paths of the fields that a schema dropped, never a value. Items of an array share a path (`[]`). A name
 * that looks like a value (odd characters, too long) is replaced.
 * @param path of the value itself; empty for a whole reply
 */
export function addUnknownFields(raw: unknown, read: unknown, path: string, found: Set<string>): void {
  // The same object: a value without a schema, which passes unchanged.
  if (raw === read || !isFields(raw) || !isFields(read)) return;
  if (Array.isArray(raw)) {
    if (Array.isArray(read)) for (const [index, item] of raw.entries()) addUnknownFields(item, read[index], `${path}[]`, found);
    return;
  }
  for (const name of Object.keys(raw)) {
    const isKnown = Object.hasOwn(read, name);
    // Most fields are known, and have none themselves.
    if (isKnown && !isFields(raw[name])) continue;
    const place = path === '' ? printable(name) : `${path}.${printable(name)}`;
    if (isKnown) addUnknownFields(raw[name], read[name], place, found);
    else found.add(place);
  }
}

function printable(name: string): string {
  return /^[\w-]{1,40}$/u.test(name) ? name : '(unprintable name)';
}
