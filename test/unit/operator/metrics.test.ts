import { Registry } from '@prometheus-io/client';
import { expect, test } from 'vitest';
import { counter, gauge, histogram } from '../../../src/operator/metrics/definition.ts';
import { instruments } from '../../../src/operator/metrics/instruments.ts';
import { operatorMetrics } from '../../../src/operator/metrics/operator-metrics.ts';
import { parseExposition } from '../../support/exposition.ts';
import { watchedForGrowth } from '../../support/metric-queries.ts';
import { ofOurs, outsideOf, unserved } from '../../support/served-metrics.ts';
import { ledgerCache } from '../../support/ledger-cache.ts';
import { ledgerEntry } from '../../support/ledger-entry.ts';
import { acting, idle, noSources } from '../../support/metric-sources.ts';
import { serviceObject } from '../../support/situation.ts';

const version = { version: '1.2.3', revision: 'abc', node: '26.0.0' };

async function told(metrics: ReturnType<typeof operatorMetrics>) {
  const { contentType, text } = await metrics.pages['/metrics']();
  expect(contentType).toContain('text/plain');
  const families = parseExposition(text);
  return {
    families,
    value: (name: string, labels: Readonly<Record<string, string>> = {}) =>
      [...families.values()]
        .flatMap(({ samples }) => samples)
        .find(
          (sample) =>
            sample.name === name &&
            Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
        )?.value,
  };
}

test('each counted event is exposed with its labels, in the unit of the metric name', async () => {
  const metrics = operatorMetrics(version, { usage: true });
  metrics.cloudCall({
    operation: 'createService',
    outcome: 'conflict',
    status: 409,
    durationMs: 2_500,
    waitedMs: 500,
  });
  metrics.cloudCall({
    operation: 'createService',
    outcome: 'network',
    durationMs: 100,
    waitedMs: 0,
  });
  metrics.throttled('read', 250);
  metrics.visit('ManagedService', 1_500, false);
  metrics.visit('ManagedService', 20, true);
  metrics.request({
    method: 'PATCH',
    host: 'api:6443',
    status: 422,
    durationMs: 40,
    isWatch: false,
  });
  metrics.request({
    method: 'GET',
    host: 'api:6443',
    status: 200,
    durationMs: 9_000,
    isWatch: true,
  });
  metrics.request({
    method: 'GET',
    host: 'api:6443',
    status: undefined,
    durationMs: 3_000,
    isWatch: false,
  });
  metrics.queue('ManagedVpc').added();
  metrics.queue('ManagedVpc').taken(30);
  metrics.queue('ManagedVpc').done(4_000);
  metrics.retry('credentials');
  metrics.abandoned('ManagedVpc');
  const { value } = await told(metrics);
  expect(value('managed_db_operator_build_info', version)).toBe(1);
  expect(
    value('managed_db_cloud_calls_total', {
      operation: 'createService',
      outcome: 'conflict',
      code: '409',
    }),
  ).toBe(1);
  expect(
    value('managed_db_cloud_calls_total', {
      operation: 'createService',
      outcome: 'network',
      code: '<error>',
    }),
  ).toBe(1);
  expect(
    value('managed_db_cloud_call_duration_seconds_sum', { operation: 'createService' }),
  ).toBeCloseTo(2.1);
  expect(value('managed_db_cloud_throttle_seconds_total', { priority: 'read' })).toBe(0.25);
  expect(
    value('managed_db_reconcile_duration_seconds_sum', { kind: 'ManagedService', result: 'done' }),
  ).toBe(1.5);
  expect(
    value('managed_db_reconcile_duration_seconds_count', {
      kind: 'ManagedService',
      result: 'error',
    }),
  ).toBe(1);
  expect(
    value('rest_client_requests_total', { code: '422', method: 'PATCH', host: 'api:6443' }),
  ).toBe(1);
  expect(value('rest_client_requests_total', { code: '200', method: 'GET' })).toBe(1);
  expect(value('rest_client_requests_total', { code: '<error>', method: 'GET' })).toBe(1);
  expect(value('rest_client_request_duration_seconds_sum', { verb: 'GET' })).toBe(3);
  expect(value('workqueue_adds_total', { name: 'ManagedVpc', controller: 'ManagedVpc' })).toBe(1);
  expect(value('workqueue_queue_duration_seconds_sum', { name: 'ManagedVpc' })).toBe(0.03);
  expect(value('workqueue_work_duration_seconds_sum', { name: 'ManagedVpc' })).toBe(4);
  expect(value('workqueue_retries_total', { name: 'credentials' })).toBe(1);
  expect(value('managed_db_abandoned_total', { kind: 'ManagedVpc' })).toBe(1);
});

test('each metric that an alert watches for growth begins at 0 for each label value', async () => {
  const metrics = operatorMetrics(version, { usage: true });
  metrics.request({ method: 'GET', host: 'api:6443', status: 200, durationMs: 40, isWatch: false }); // which API server it is
  const watched = await watchedForGrowth();
  expect(watched.map(({ name }) => name)).toContain('managed_db_abandoned_total');
  const { families, value } = await told(metrics);
  expect(unserved(watched, families)).toEqual([]);
  expect(outsideOf(families)).toEqual([]);
  const counted = [...families.values()]
    .filter(({ name, type }) => ofOurs.has(name) && type === 'counter')
    .flatMap(({ samples }) => samples);
  expect(counted.filter((sample) => sample.value !== 0)).toEqual([
    expect.objectContaining({ name: 'rest_client_requests_total' }),
  ]);
  expect(value('workqueue_retries_total', { name: 'credentials' })).toBe(0);
});

test('sampled metrics are computed at each scrape, and absent in a process that does not lead', async () => {
  const metrics = operatorMetrics(version, { usage: true });
  const queue = { name: 'ManagedService', queued: 3, workingMs: [1_000, 500] };
  const others = {
    ...noSources,
    lease: 'managed-db-operator',
    caches: ledgerCache([serviceObject()], [ledgerEntry()]),
    clock: { now: () => 10_000 },
  };
  const lists = [
    ['listServices', 8_000],
    ['listServices', 3_000],
    ['listServices', 5_000],
  ] as const;
  metrics.sample({
    ...others,
    runtime: { ...acting, missingLists: ['a', 'b'], controllers: [queue] },
    toCloud: { ...noSources.toCloud, asOf: () => lists },
  });
  const before = await told(metrics);
  expect(before.value('workqueue_depth', { name: 'ManagedService' })).toBe(3);
  expect(before.value('managed_db_operator_missing_lists')).toBe(2);
  expect(before.value('leader_election_master_status', { name: 'managed-db-operator' })).toBe(1);
  expect(before.value('workqueue_unfinished_work_seconds', { name: 'ManagedService' })).toBe(1.5);
  expect(
    before.value('workqueue_longest_running_processor_seconds', { name: 'ManagedService' }),
  ).toBe(1);
  expect(before.value('managed_db_cloud_snapshot_age_seconds', { list: 'listServices' })).toBe(7);
  expect(
    before.value('managed_db_objects', {
      kind: 'ManagedService',
      ready: 'Unknown',
      reason: 'Pending',
    }),
  ).toBe(1);
  expect(before.value('managed_db_lost_objects', { kind: 'ManagedVpc' })).toBe(0);
  expect(before.value('managed_db_watched_objects', { kind: 'ManagedService' })).toBe(1);
  expect(
    before.value('managed_db_ledger_entries', { kind: 'ManagedService', state: 'bound' }),
  ).toBe(1);
  metrics.sample({
    ...others,
    runtime: { ...idle, controllers: [{ ...queue, queued: 0, workingMs: [] }] },
  });
  const after = await told(metrics);
  expect(after.value('workqueue_depth', { name: 'ManagedService' })).toBe(0);
  expect(after.value('leader_election_master_status', { name: 'managed-db-operator' })).toBe(0);
  expect(
    after.value('workqueue_longest_running_processor_seconds', { name: 'ManagedService' }),
  ).toBe(0);
  const ofObjects = [
    'managed_db_watched_objects',
    'managed_db_objects',
    'managed_db_lost_objects',
    'managed_db_open_creates',
    'managed_db_ledger_entries',
  ];
  for (const name of [...ofObjects, 'managed_db_cloud_snapshot_age_seconds'])
    expect(after.value(name)).toBeUndefined();
});

test('a label value that its definition does not list is exposed as "other"', async () => {
  const registry = new Registry();
  const made = instruments(registry);
  const evil = 'id-4711"\n\\';
  for (const definition of ofOurs.values()) {
    const labels = Object.fromEntries(
      Object.entries(definition.labels).map(([name, label]) => [
        name,
        'setting' in label ? 'of the process' : evil,
      ]),
    );
    const { name, help, labels: allowed } = definition;
    if (definition.type === 'counter') made.counter(counter(name, help, allowed))(labels);
    else if (definition.type === 'gauge') made.gauge(gauge(name, help, allowed)).set(labels, 1);
    else
      made.histogram(histogram(name, help, allowed, { buckets: definition.buckets ?? [] }))(
        labels,
        1,
      );
  }
  const families = parseExposition(await registry.metrics());
  expect(new Set(families.keys())).toEqual(new Set(ofOurs.keys()));
  expect(outsideOf(families)).toEqual([]);
  expect(families.get('managed_db_objects')?.samples).toEqual([
    {
      name: 'managed_db_objects',
      labels: { kind: 'other', ready: 'other', reason: 'other', environment: 'other' },
      value: 1,
    },
  ]);
});

test('a process can expose at most 18,000 series', () => {
  const series = [...ofOurs.values()].map(({ labels, buckets = [] }) => {
    const values = Object.entries(labels)
      // Twice the same name.
      .filter(([label]) => label !== 'controller')
      .map(([, label]) => ('setting' in label ? 1 : label.values.length));
    const parts = buckets.length === 0 ? 1 : buckets.length + 3;
    return values.reduce((product, count) => product * count, parts);
  });
  // Nearly all of it is calls to the cloud by operation, outcome and code, of which most never meet.
  expect(series.reduce((sum, count) => sum + count, 0)).toBeLessThan(18_000);
});

test('a scrape before the first list is answered', async () => {
  const metrics = operatorMetrics(version, { usage: true });
  metrics.sample(noSources);
  const { families } = await told(metrics);
  expect(families.has('process_resident_memory_bytes')).toBe(true);
  expect(families.get('managed_db_operator_memory_limit_bytes')?.samples[0]?.value).toBeGreaterThan(
    2 ** 20,
  );
});
