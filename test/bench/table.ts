import { figures, type Figure, type FigureId, type Measured } from './budgets.ts';

/** A figure beside its budget. */
export interface Judged extends Measured {
  readonly what: string;
  readonly unit: string;
  readonly most: number | undefined;
  /** Of the budget; undefined without a budget. */
  readonly ratio: number | undefined;
  readonly verdict: 'ok' | 'over' | '';
}

const widths = { what: 38, value: 9, unit: 7, most: 9, ratio: 7 };

export function figureOf(id: FigureId): Figure {
  return figures.find((figure) => figure.id === id) ?? figures[0];
}

/**
 * A value that is not a number is over: a benchmark that measured nothing has not held its budget.
 * @param before figures of an earlier run
 */
export function judge(
  { id, value }: Measured,
  before: readonly { readonly id: string; readonly value: number }[] = [],
): Judged {
  const { what, unit, most: always, mostOfBefore } = figureOf(id);
  const earlier = before.find((each) => each.id === id)?.value;
  const most =
    mostOfBefore !== undefined && earlier !== undefined ? earlier * mostOfBefore : always;
  if (most === undefined) return { id, value, what, unit, most, ratio: undefined, verdict: '' };
  const ratio = value === most ? 1 : value / most;
  return { id, value, what, unit, most, ratio, verdict: ratio <= 1 ? 'ok' : 'over' };
}

/** A line of at most 80 columns. */
export function line({ what, value, unit, most, ratio, verdict }: Judged): string {
  const cells = [
    what.padEnd(widths.what),
    digits(value).padStart(widths.value),
    ` ${unit}`.padEnd(widths.unit + 1),
    (most === undefined ? '' : `<= ${digits(most)}`).padStart(widths.most),
    (ratio === undefined ? '' : ratio.toFixed(2)).padStart(widths.ratio),
    verdict === '' ? '' : ` ${verdict}`,
  ];
  return cells.join('').trimEnd();
}

export const heading = [
  'figure'.padEnd(widths.what),
  'measured'.padStart(widths.value),
  ' unit'.padEnd(widths.unit + 1),
  'budget'.padStart(widths.most),
  'ratio'.padStart(widths.ratio),
].join('');

/** As many digits as mean something: three, and no more than two behind the point. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  const text = value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
  return text.includes('.') ? text.replace(/\.?0+$/u, '') : text;
}
