/** A metric: its form on a page of metrics, and its text in the reference page. */
export interface Definition<
  T extends 'counter' | 'gauge' | 'histogram' = 'counter' | 'gauge' | 'histogram',
  L extends string = string,
> {
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

export function counter<L extends string>(
  name: string,
  help: string,
  labels: Readonly<Record<L, Label>>,
  fromZero: FromZero = [],
): Definition<'counter', L> {
  return { type: 'counter', name, help, labels, fromZero };
}

export function gauge<L extends string>(
  name: string,
  help: string,
  labels: Readonly<Record<L, Label>>,
): Definition<'gauge', L> {
  return { type: 'gauge', name, help, labels };
}

export function histogram<L extends string>(
  name: string,
  help: string,
  labels: Readonly<Record<L, Label>>,
  { buckets, fromZero = [] }: { readonly buckets: readonly number[]; readonly fromZero?: FromZero },
): Definition<'histogram', L> {
  return { type: 'histogram', name, help, labels, buckets, fromZero };
}

/** A label and its possible values. Unlimited values from outside could fill the memory of Prometheus. */
export type Label =
  /** `shown` replaces a long list of values in the reference page. */
  | { readonly values: readonly string[]; readonly shown?: string }
  /** A single value for the life of the process, or a name of an object in the opt-in metrics. The text describes it. */
  | { readonly setting: string };

/** Replaces a value that is not on the list. */
export const other = 'other';
/** The code of a request without a reply, as in client-go. */
export const noReply = '<error>';

export function oneOf(values: readonly string[], shown?: string): Label {
  return { values: [...values, other], ...(shown === undefined ? {} : { shown }) };
}

/** Status codes of APIs and the proxies before them. */
const statuses =
  '200 201 202 204 301 302 307 308 400 401 403 404 405 408 409 410 413 415 422 425 429 500 501 502 503 504'.split(
    ' ',
  );

export const httpStatus: Label = oneOf(
  [...statuses, noReply],
  `a status of HTTP, such as \`200\`; \`${noReply}\` without a reply`,
);

/** The value, or `other` if the label does not allow it. */
export function bounded(label: Label, value: string): string {
  return 'setting' in label || label.values.includes(value) ? value : other;
}

export function codeOf(status: number | undefined): string {
  return status === undefined ? noReply : String(status);
}
