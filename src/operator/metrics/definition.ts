import type { Label } from './label.ts';

/** A metric: its form on a page of metrics, and its text in the reference page. */
export interface Definition<T extends 'counter' | 'gauge' | 'histogram' = 'counter' | 'gauge' | 'histogram', L extends string = string> {
  readonly type: T;
  readonly name: string;
  readonly help: string;
  readonly labels: Readonly<Record<L, Label>>;
  /** Upper bounds of a histogram, in the unit of the name. */
  readonly buckets?: readonly number[];
  /**
   * Series that are served before any count: Prometheus sees no growth in a series that begins at 1. A label that is a
   * setting is left out.
   */
  readonly fromZero?: FromZero;
}

type FromZero = readonly Readonly<Record<string, string>>[];

/** A value that only grows. */
export function counter<L extends string>(
  name: string,
  help: string,
  labels: Readonly<Record<L, Label>>,
  fromZero: FromZero = [],
): Definition<'counter', L> {
  return { type: 'counter', name, help, labels, fromZero };
}

export function gauge<L extends string>(name: string, help: string, labels: Readonly<Record<L, Label>>): Definition<'gauge', L> {
  return { type: 'gauge', name, help, labels };
}

export function histogram<L extends string>(
  name: string,
  help: string,
  labels: Readonly<Record<L, Label>>,
  buckets: readonly number[],
  fromZero: FromZero = [],
): Definition<'histogram', L> {
  return { type: 'histogram', name, help, labels, buckets, fromZero };
}
