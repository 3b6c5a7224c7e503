import { fieldOf, isFields } from './fields.ts';

/** Fields that differ between two reads of an unchanged resource: usage figures, and a password that only some replies carry. */
const passing: ReadonlySet<string> = new Set(['metrics', 'initial_password']);

/** By deep equality of plain data. An absent field equals an undefined field. */
export function sameResource(a: unknown, b: unknown): boolean {
  return sameValue(a, b, passing);
}

const nothing: ReadonlySet<string> = new Set();

function sameValue(a: unknown, b: unknown, except: ReadonlySet<string>): boolean {
  if (Object.is(a, b)) return true;
  if (!isFields(a) || !isFields(b)) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, index) => sameValue(item, b[index], nothing));
  const isSame = (name: string) => except.has(name) || sameValue(fieldOf(a, name), fieldOf(b, name), nothing);
  return Object.keys(a).every(isSame) && Object.keys(b).every((name) => Object.hasOwn(a, name) || isSame(name));
}
