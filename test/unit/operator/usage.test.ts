import { expect, test } from 'vitest';
import { type Service, serviceId } from '../../../src/cloud/wire/service.ts';
import { newestOf, usageOf } from '../../../src/operator/metrics/usage.ts';
import { operatorMetrics } from '../../../src/operator/metrics/operator-metrics.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { parseExposition } from '../../support/exposition.ts';
import { ledgerCache } from '../../support/ledger-cache.ts';
import { acting, noSources } from '../../support/metric-sources.ts';
import { serviceObject } from '../../support/situation.ts';

const version = { version: '1.2.3', revision: 'abc', node: '26.0.0' };
const metrics = { milli_cpu: 500, memory_mb: 3_600, storage_mb: 5_000 };
const resources = [{ spec: { cpu_millis: 2_000, memory_gbs: 4 } }];

function shown(parts: Partial<Service>): Service {
  return {
    service_id: serviceId.parse('s1'),
    name: 'orders',
    created: '2026-03-01T12:00:00Z',
    status: 'READY',
    ...parts,
  };
}

const all = {
  cpuCores: 0.5,
  memoryBytes: 3.6e9,
  storageBytes: 5e9,
  cpuRatio: 0.25,
  memoryRatio: 0.9,
};

test.each<readonly [string, Partial<Service>, number, ReturnType<typeof usageOf>]>([
  ['a database has shares of its size', { metrics, resources }, 0, all],
  [
    'a database of a shared size has no shares',
    { metrics },
    0,
    { ...all, cpuRatio: undefined, memoryRatio: undefined },
  ],
  [
    'a figure that the cloud leaves out is missing',
    { metrics: { milli_cpu: 0 }, resources },
    0,
    {
      cpuCores: 0,
      memoryBytes: undefined,
      storageBytes: undefined,
      cpuRatio: 0,
      memoryRatio: undefined,
    },
  ],
  ['a database without figures has no usage', { resources }, 0, undefined],
  ['a stopped database has no usage', { metrics, resources, status: 'PAUSED' }, 0, undefined],
  ['figures of five minutes ago are served', { metrics, resources }, 300_000, all],
  [
    'figures of more than five minutes ago are left out',
    { metrics, resources },
    300_001,
    undefined,
  ],
])('%s', (_title, parts, listedMs, usage) => {
  expect(usageOf(shown(parts), listedMs)).toEqual(usage);
});

test.each([
  ['first', [300, 200]],
  ['last', [200, 300]],
])(
  'a service in the lists of two API keys of a project counts once, by its newest list, also if that comes %s',
  (_place, times) => {
    const service = shown({});
    const listed = times.map((at) => ({ projectId: 'p1', service, at }));
    const elsewhere = { projectId: 'p2', service, at: 100 };
    expect(
      [...newestOf([...listed, elsewhere])].map(({ projectId, at }) => [projectId, at]),
    ).toEqual([
      ['p1', 300],
      ['p2', 100],
    ]);
  },
);

test('/metrics/usage is not served unless it is wanted', () => {
  expect(Object.keys(operatorMetrics(version, { usage: false }).pages)).toEqual(['/metrics']);
  expect(Object.keys(operatorMetrics(version, { usage: true }).pages)).toEqual([
    '/metrics',
    '/metrics/usage',
  ]);
});

test('a database that is gone has no series at the next scrape', async () => {
  const made = operatorMetrics(version, { usage: true });
  const services = [{ projectId: 'prj-1', service: shown({ metrics, resources }), at: 0 }];
  const orders = {
    kind: 'ManagedService',
    key: resourceKey('shop', 'orders'),
    uid: 'uid',
    parentId: undefined,
  } as const;
  made.sample({
    ...noSources,
    runtime: acting,
    caches: ledgerCache([serviceObject({}, { environment: 'PROD' })]),
    toCloud: { ...noSources.toCloud, services: () => services },
    claims: { ownerOf: (_kind, _project, id) => (id === 's1' ? orders : undefined) },
  });
  const samples = async () => {
    const page = await made.pages['/metrics/usage']?.();
    return [...parseExposition(page?.text ?? '').values()].flatMap((family) => family.samples);
  };
  const labels = { namespace: 'shop', name: 'orders', environment: 'PROD' };
  expect(await samples()).toEqual([
    { name: 'managed_db_service_cpu_usage_cores', labels, value: 0.5 },
    { name: 'managed_db_service_memory_usage_bytes', labels, value: 3.6e9 },
    { name: 'managed_db_service_storage_usage_bytes', labels, value: 5e9 },
    { name: 'managed_db_service_usage_ratio', labels: { ...labels, resource: 'cpu' }, value: 0.25 },
    {
      name: 'managed_db_service_usage_ratio',
      labels: { ...labels, resource: 'memory' },
      value: 0.9,
    },
  ]);
  services.pop();
  expect(await samples()).toEqual([]);
});
