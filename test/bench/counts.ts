import { parseExposition, type Sample } from '../support/exposition.ts';

/** How often something happened, by name. */
export type Counts = Readonly<Record<string, number>>;

/**
 * The samples of a metric. The rest of the text, which is megabytes of an API server, is not parsed. @param text in the
 * text format of Prometheus
 */
export function samplesOf(text: string, metric: string): readonly Sample[] {
  const begin = text.indexOf(`# HELP ${metric} `);
  if (begin < 0) return [];
  const next = text.indexOf('\n# HELP ', begin);
  return (
    parseExposition(text.slice(begin, next < 0 ? text.length : next + 1)).get(metric)?.samples ?? []
  );
}

/** Sums up the samples of the same name. @param nameOf undefined: the sample does not count */
export function countsBy(
  samples: readonly Sample[],
  nameOf: (labels: Sample['labels']) => string | undefined,
): Counts {
  const counts: Record<string, number> = {};
  for (const { labels, value } of samples) {
    const name = nameOf(labels);
    if (name !== undefined) counts[name] = (counts[name] ?? 0) + value;
  }
  return counts;
}

/** The counts in between, without those that did not change. */
export function difference(before: Counts, after: Counts): Counts {
  const grown = Object.entries(after).map(
    ([name, count]) => [name, count - (before[name] ?? 0)] as const,
  );
  return Object.fromEntries(grown.filter(([, count]) => count !== 0));
}

export function total(counts: Counts, isCounted: (name: string) => boolean = () => true): number {
  return Object.entries(counts).reduce(
    (sum, [name, count]) => (isCounted(name) ? sum + count : sum),
    0,
  );
}

/** Much first: `1000 PATCH managedservices, 3 LIST secrets`. */
export function inWords(counts: Counts): string {
  const sorted = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  return sorted.length === 0
    ? 'none'
    : sorted.map(([name, count]) => `${count} ${name}`).join(', ');
}
