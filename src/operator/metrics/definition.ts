import type { Label } from './label.ts';

/** A metric of ours: what is served, and what the page about it says. */
export interface Definition<T extends 'counter' | 'gauge' | 'histogram' = 'counter' | 'gauge' | 'histogram', L extends string = string> {
  readonly type: T;
  readonly name: string;
  readonly help: string;
  readonly labels: Readonly<Record<L, Label>>;
  /** Upper limits, in the unit of the name; of histograms alone. */
  readonly buckets?: readonly number[];
}

/** Only ever grows. */
export function counter<L extends string>(name: string, help: string, labels: Readonly<Record<L, Label>>): Definition<'counter', L> {
  return { type: 'counter', name, help, labels };
}

export function gauge<L extends string>(name: string, help: string, labels: Readonly<Record<L, Label>>): Definition<'gauge', L> {
  return { type: 'gauge', name, help, labels };
}

export function histogram<L extends string>(
  name: string,
  help: string,
  labels: Readonly<Record<L, Label>>,
  buckets: readonly number[],
): Definition<'histogram', L> {
  return { type: 'histogram', name, help, labels, buckets };
}
