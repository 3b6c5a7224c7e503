import { operatorMetrics, type Sources } from '../../src/operator/metrics/operator-metrics.ts';
import { parseExposition } from './exposition.ts';
import { ledgerCache } from './ledger-cache.ts';

export const idle = {
  isActing: false,
  missingLists: [],
  shard: undefined,
  controllers: [],
} as const;
export const acting = { ...idle, isActing: true } as const;

/** A standby process without objects, lists and reconciles. */
export const noSources: Sources = {
  caches: ledgerCache(),
  runtime: idle,
  lease: undefined,
  toCloud: { asOf: () => [], services: () => [] },
  claims: { ownerOf: () => undefined },
  clock: { now: () => 0 },
  clusterUid: () => 'cluster',
};

/** Scrapes an acting process. @returns the samples of a metric, each with labels and value */
export async function scrape(
  sources: Partial<Sources>,
): Promise<(name: string) => readonly (readonly [labels: object, value: number])[]> {
  const metrics = operatorMetrics(
    { version: '1.2.3', revision: 'abc', node: '26.0.0' },
    { usage: false },
  );
  metrics.sample({ ...noSources, runtime: acting, ...sources });
  const families = parseExposition((await metrics.pages['/metrics']()).text);
  return (name) => families.get(name)?.samples.map(({ labels, value }) => [labels, value]) ?? [];
}
