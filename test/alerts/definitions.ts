import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { resolveBinaries } from '../control-plane/binaries.ts';
import type { Progress } from '../control-plane/progress.ts';
import { chart, helm } from '../support/helm.ts';

const operator = 'github.com/prometheus-operator/prometheus-operator';
const here = fileURLToPath(new URL('prometheus-operator', import.meta.url));
const plurals = { ServiceMonitor: 'servicemonitors', PrometheusRule: 'prometheusrules' };

const fields = z.record(z.string(), z.unknown());
const manifest = z.looseObject({ kind: z.enum(['ServiceMonitor', 'PrometheusRule']) });
const definition = z.object({
  spec: z.object({
    versions: z.tuple([z.object({ schema: z.object({ openAPIV3Schema: fields }) })]),
  }),
});

/** Every value that changes the ServiceMonitor or the PrometheusRule, except values that Prometheus itself reads. */
const labels = { release: 'prometheus' };
const metrics = {
  serviceMonitor: {
    enabled: true,
    labels,
    interval: '30s',
    scrapeTimeout: '20s',
    relabelings: [{ action: 'labeldrop', regex: 'pod' }],
  },
  prometheusRule: { enabled: true, labels, runbookUrl: 'https://wiki.example/db' },
};

/**
 * The fields of the chart's ServiceMonitor and PrometheusRule that the definitions of the Prometheus operator refuse,
 * including unknown fields. Go downloads the definitions once, in the version of prometheus-operator/go.mod. They have
 * no CEL rules; this check would not evaluate them.
 */
export async function refusedOfChart(progress: Progress): Promise<readonly string[]> {
  const { helm: helmPath } = await resolveBinaries(progress, ['helm']);
  const values = { config: { cloudUrl: 'https://api.example.com', usageMetrics: true }, metrics };
  const { stdout, stderr, code } = await helm(
    { helmPath, kubeconfigPath: devNull },
    ['template', 'managed-db-operator', chart],
    values,
  );
  if (code !== 0) throw new Error(`helm template: ${stderr}`);
  const objects = parseAllDocuments(stdout).flatMap(
    (document) => manifest.safeParse(document.toJS()).data ?? [],
  );
  const missing = Object.keys(plurals).filter(
    (kind) => !objects.some((object) => object.kind === kind),
  );
  const refused = await Promise.all(objects.map(refusedIn));
  return [...missing.map((kind) => `${kind}: the chart makes none`), ...refused.flat()];
}

async function refusedIn(object: z.infer<typeof manifest>): Promise<readonly string[]> {
  const { kind } = object;
  const file = `${await folderOfOperator()}/example/prometheus-operator-crd/monitoring.coreos.com_${plurals[kind]}.yaml`;
  const [{ schema }] = definition.parse(parse(await readFile(file, 'utf8'))).spec.versions;
  const ajv = new Ajv({ allErrors: true, strict: false });
  addFormats.default(ajv);
  const check = ajv.compile(closed(schema.openAPIV3Schema));
  check(object);
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${kind} ${instancePath} ${message}: ${JSON.stringify(params)}`,
  );
}

async function folderOfOperator(): Promise<string> {
  // A go.work in a folder above would bring other versions.
  const env = { ...process.env, GOWORK: 'off' };
  const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', operator], {
    cwd: here,
    env,
  });
  return z.object({ Dir: z.string() }).parse(JSON.parse(stdout)).Dir;
}

/** A schema of Kubernetes that refuses unknown fields, with patterns that JavaScript can read. */
function closed(schema: z.infer<typeof fields>): z.infer<typeof fields> {
  const { properties, items, additionalProperties, pattern, ...rest } = schema;
  const known = properties === undefined ? undefined : Object.entries(fields.parse(properties));
  const isOpen = known === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return {
    ...rest,
    ...(known && {
      properties: Object.fromEntries(
        known.map(([name, each]) => [name, closed(fields.parse(each))]),
      ),
    }),
    ...(isOpen ? {} : { additionalProperties: false }),
    ...(items === undefined ? {} : { items: closed(fields.parse(items)) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: closed(fields.parse(additionalProperties)),
    }),
    ...(typeof pattern === 'string' && { pattern: pattern.replace('(?i)', '') }),
  };
}
