import type * as z from 'zod';
import { isFields } from './fields.ts';
import { onOneLine } from './redaction.ts';
import type { Unreadable } from './wire/field.ts';

/**
 * The result of reading an item of a reply.
 * - `read`: the item has its required fields. `value` lacks the fields that do not fit the schema.
 * - `unreadable`: a required field is missing or does not fit, such as the id. `field` names it.
 */
export type ItemReading =
  | {
      readonly type: 'read';
      readonly value: unknown;
      /** Each field that does not fit, with the id of its item and the expected value, never the actual value. */
      readonly odd: readonly string[];
      /** Those of them that a decision may need. */
      readonly unreadable: Unreadable | undefined;
    }
  | { readonly type: 'unreadable'; readonly field: string };

/** The facts about an item that its schema does not state. */
export interface ItemContext {
  /** The name of the field with the id. Undefined for an item without an id. */
  readonly idField: string | undefined;
  /** The names of the fields that no decision needs. */
  readonly unneeded: readonly string[];
  /** The index in a list, from 0. Undefined outside of a list. */
  readonly index?: number | undefined;
}

/** Reads an item. A field with an odd value counts as absent, so that only its own item suffers from it. */
export function readItem(schema: z.ZodType, raw: unknown, context: ItemContext): ItemReading {
  const whole = schema.safeParse(raw);
  if (whole.success) return { type: 'read', value: whole.data, odd: [], unreadable: undefined };
  const { issues } = whole.error;
  const rest = schema.safeParse(issues.reduce((left, { path }) => without(left, path), raw));
  const described = (issue: z.core.$ZodIssue | undefined) => describeIssue(issue, raw, context);
  if (!rest.success) {
    const [missing] = rest.error.issues;
    // A required field was removed because of its value: the first problem is more precise.
    const removed = issues.find(({ path }) => path.join('.') === missing?.path.join('.'));
    return { type: 'unreadable', field: described(removed ?? missing) };
  }
  const needed = issues.filter(({ path: [field] }) => !context.unneeded.includes(String(field)));
  const fields = needed.map(({ path: [field] }) => String(field));
  const unreadable = needed.length === 0 ? undefined : { fields, first: described(needed[0]) };
  return { type: 'read', value: rest.data, odd: issues.map(described), unreadable };
}

/** The value without the field at the path. An array with an odd element is removed as a whole: a part could pass for all of it. */
function without(value: unknown, [field, ...inIt]: readonly PropertyKey[]): unknown {
  if (!isFields(value) || Array.isArray(value) || field === undefined) return value;
  const fields = Object.entries(value).flatMap(([name, inner]) => {
    if (name !== field) return [[name, inner] as const];
    return inIt.length > 0 && isFields(inner) && !Array.isArray(inner)
      ? [[name, without(inner, inIt)] as const]
      : [];
  });
  return Object.fromEntries(fields);
}

/** Such as `resources[0].spec of c7x2k9: expected object`. */
function describeIssue(
  issue: z.core.$ZodIssue | undefined,
  raw: unknown,
  context: ItemContext,
): string {
  const item = nameOf(raw, context);
  if (!issue) return `${item ?? 'the reply'}: another shape`;
  const path = issue.path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('');
  const expected = issue.code === 'invalid_type' ? issue.expected : 'another value';
  const field = path.replace(/^\./u, '');
  return `${[field, item].filter(Boolean).join(' of ') || 'the reply'}: expected ${expected}`;
}

const longestName = 40;

/** The id, otherwise the name, otherwise the place in the list, which users do not see. Undefined for a reply without them. */
function nameOf(raw: unknown, { idField, index }: ItemContext): string | undefined {
  const text = (field: string) => {
    const value = isFields(raw) ? raw[field] : undefined;
    return typeof value === 'string' ? onOneLine(value).slice(0, longestName) : '';
  };
  if (idField !== undefined && text(idField) !== '') return text(idField);
  if (index === undefined) return undefined;
  return text('name') === '' ? `item ${index + 1} of the list` : `the item named "${text('name')}"`;
}
