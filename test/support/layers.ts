import type { ExpectedStep } from './step-like.ts';

/** A reason for a step, and the step that is decided if no layer above applies. */
export type Layer<Given> = readonly [sentence: string, given: Given, expected: ExpectedStep];

const parts: ReadonlySet<string> = new Set([
  'spec',
  'status',
  'annotations',
  'record',
  'deletion',
  'seen',
]);

/**
 * Rows that pin the order of a policy: each layer together with all layers below it, over which it must win. If two
 * layers set the same value, the upper layer's value counts.
 */
export function layered<Given extends object>(
  layers: readonly Layer<Given>[],
  always?: Given,
): readonly Layer<Given>[] {
  return layers.map(([sentence, given, expected], index) => {
    const below = layers.slice(index + 1).map(([, other]) => other);
    return [sentence, [given, ...below, ...(always ? [always] : [])].reduce(over), expected];
  });
}

/** Merges two situations, also within spec, record and the like. */
export function over<Given extends object>(upper: Given, lower: Given): Given {
  const below = new Map<string, unknown>(Object.entries(lower));
  const together = Object.entries(upper).map(([name, value]: [string, unknown]) => {
    const other = below.get(name);
    return [
      name,
      parts.has(name) && isObject(value) && isObject(other) ? { ...other, ...value } : value,
    ] as const;
  });
  return { ...lower, ...upper, ...Object.fromEntries(together) };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
