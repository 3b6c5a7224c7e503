import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, inject, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { kubectl } from '../../control-plane/kubectl.ts';
import { chart, helm } from '../../support/helm.ts';
import { isKubernetesBefore } from '../../support/older-kubernetes.ts';
import { templates } from './templates.ts';

const controlPlane = inject('controlPlane');
const { render } = templates(controlPlane);
const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
const long = 'x'.repeat(253);
const shop = `t-${randomBytes(4).toString('hex')}`;

beforeAll(async () => {
  const made = await kubectl(controlPlane, ['create', 'namespace', shop]);
  if (made.code !== 0) throw new Error(made.stderr);
});

test('helm lint finds nothing in the chart', async () => {
  const { stdout, code } = await helm(controlPlane, ['lint', '--strict', chart]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
});

test('the chart has the version of the operator', async () => {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await read('package.json')));
  expect(parse(await read('deploy/helm/managed-db-operator/Chart.yaml'))).toMatchObject({
    version,
    appVersion: version,
  });
});

test('the chart renders alerts and dashboard unchanged from its files', async () => {
  const rendered = await render({
    metrics: { prometheusRule: { enabled: true }, dashboard: { enabled: true } },
  });
  const documents = parseAllDocuments(rendered).map((document) => document.toJS() as unknown);
  const files = 'deploy/helm/managed-db-operator/files';
  const groups: unknown = parse(await read(`${files}/alerts.yaml`));
  expect(documents).toContainEqual(
    expect.objectContaining({ kind: 'PrometheusRule', spec: groups }),
  );
  const dashboard = z.object({
    kind: z.literal('ConfigMap'),
    data: z.record(z.string(), z.string()),
  });
  const [text = ''] = documents.flatMap(
    (document) => dashboard.safeParse(document).data?.data['managed-db-operator.json'] ?? [],
  );
  expect(JSON.parse(text)).toEqual(JSON.parse(await read(`${files}/dashboard.json`)));
});

test('the alerts of a release ask for the operator in its own namespace', async () => {
  const values = {
    config: { cloudUrl: 'https://api.example.com' },
    metrics: { prometheusRule: { enabled: true } },
  };
  const { stdout } = await helm(
    controlPlane,
    ['template', 'db', chart, '--namespace', 'elsewhere'],
    values,
  );
  expect(stdout).toContain('absent(managed_db_operator_build_info{namespace="elsewhere"})');
  expect(stdout.match(/.*managed-db-system.*/gu)).toBeNull();
});

test.concurrent.each([
  ['as it comes', {}],
  ['for two namespaces', { config: { namespaces: [shop, 'managed-db-system'] } }],
  ['without a cloud', { config: { cloudUrl: '' }, simulator: { enabled: true } }],
  [
    'with all that is off',
    {
      metrics: { dashboard: { enabled: true } },
      networkPolicy: {
        enabled: true,
        metricsFrom: [{ namespaceSelector: {} }],
        extraEgress: [{ ports: [{ port: 3128 }] }],
      },
      credentials: { apiKey: 'abc' },
      crds: { install: true },
      ledger: { createNamespace: true },
      policies: { install: true },
      tenantRoles: { create: true },
    },
  ],
  [
    'on nodes of its own',
    {
      tolerations: [{ key: 'db', operator: 'Exists' }],
      nodeSelector: { disk: 'ssd' },
      affinity: { nodeAffinity: {} },
      priorityClassName: 'system-cluster-critical',
      podAnnotations: { 'example.com/note': 'x' },
      extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy' }],
      extraVolumes: [{ name: 'ca', emptyDir: {} }],
      extraVolumeMounts: [{ name: 'ca', mountPath: '/ca' }],
      imagePullSecrets: [{ name: 'registry' }],
    },
  ],
  [
    'null where nothing has to be',
    { resources: null, nodeSelector: null, affinity: null, extraEnv: null, image: { tag: null } },
  ],
  [
    'with names of one long label',
    {
      credentials: { existingSecret: long },
      serviceAccount: { name: long },
      imagePullSecrets: [{ name: long }],
      priorityClassName: long,
      podLabels: { [`${long}/team`]: 'data' },
      dnsConfig: {
        nameservers: ['10.0.0.10', 'fd00::10'],
        // Before 1.33, a name may neither begin with an underscore nor be a dot.
        searches: isKubernetesBefore(33) ? [long] : [long, '_srv.a--b.example.com.', '.'],
      },
      networkPolicy: {
        enabled: true,
        metricsFrom: [{ ipBlock: { cidr: 'fd00::/8', except: ['fd00:1::/32'] } }],
      },
    },
  ],
])('the API server accepts the chart rendered with %s, without a warning', async (_, values) => {
  const input = await render(values);
  const applied = await kubectl(
    controlPlane,
    ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '-f', '-'],
    { input },
  );
  expect(applied).toMatchObject({ stderr: '', code: 0 });
});
