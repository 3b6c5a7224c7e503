import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import * as z from 'zod';
import type { PerObject } from './metrics-page.ts';

const labels = z.record(z.string(), z.unknown()).default({});
const part = z.object({ labelsFromPath: labels });
const metric = z.object({
  name: z.string(),
  help: z.string(),
  each: z.object({
    type: z.enum(['Gauge', 'Info']),
    gauge: part.optional(),
    info: part.optional(),
  }),
});
const configuration = z.object({
  spec: z.object({
    resources: z.tuple([z.object({ metricNamePrefix: z.string(), metrics: z.array(metric) })]),
  }),
});

/** The metrics that the chart's configuration requests from kube-state-metrics. */
export async function perObjectMetrics(): Promise<readonly PerObject[]> {
  const url = new URL(
    '../deploy/helm/managed-db-operator/files/custom-resource-state.yaml',
    import.meta.url,
  );
  const [{ metricNamePrefix, metrics }] = configuration.parse(parse(await readFile(url, 'utf8')))
    .spec.resources;
  return metrics.map(({ name, help, each }) => ({
    name: `${metricNamePrefix}_${name}`,
    help,
    labels: Object.keys((each.gauge ?? each.info)?.labelsFromPath ?? {}),
  }));
}
