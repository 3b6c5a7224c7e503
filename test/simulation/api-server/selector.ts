import { Refusal } from './refusal.ts';
import type { StoredObject } from './stored-object.ts';

type Labels = Readonly<Record<string, string>>;

/**
 * Whether an object is in a list. Reads a label selector with `name`, `!name`, `name=value`,
 * `name!=value`, `name in (a,b)` and `name notin (a,b)`, and a field selector with metadata.name
 * and metadata.namespace.
 */
export function selected(query: URLSearchParams): (object: StoredObject) => boolean {
  const labels = partsOf(query.get('labelSelector') ?? '').map(labelTest);
  const fields = partsOf(query.get('fieldSelector') ?? '').map(fieldTest);
  return (object) =>
    labels.every((test) => test(object.metadata.labels ?? {})) &&
    fields.every((test) => test(object));
}

/** Splits at the commas outside of brackets. */
function partsOf(text: string): readonly string[] {
  return text
    .split(/,(?![^(]*\))/u)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function labelTest(part: string): (labels: Labels) => boolean {
  const [, name = '', word = '', list = ''] = /^(\S+) (in|notin) \(([^)]*)\)$/u.exec(part) ?? [];
  if (word !== '') {
    const values = list.split(',').map((value) => value.trim());
    const isIn = (labels: Labels) => {
      const value = labels[name];
      return value !== undefined && values.includes(value);
    };
    return word === 'in' ? isIn : (labels) => !isIn(labels);
  }
  if (part.startsWith('!')) return (labels) => labels[part.slice(1)] === undefined;
  const [key = '', isNot, value] = /^([^!=]+)(!)?==?(.*)$/u.exec(part)?.slice(1) ?? [];
  if (value === undefined) return (labels) => labels[part] !== undefined;
  return (labels) => (labels[key] === value) === (isNot === undefined);
}

function fieldTest(part: string): (object: StoredObject) => boolean {
  const [, field, value] = /^metadata\.(name|namespace)==?(.*)$/u.exec(part) ?? [];
  if (field === undefined)
    throw new Refusal('BadRequest', `the server in memory knows no field selector ${part}`);
  return ({ metadata }) => (metadata[field] ?? '') === value;
}
