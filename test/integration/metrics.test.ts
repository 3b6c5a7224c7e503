import { expect, test } from 'vitest';
import type { Operator } from '../../src/operator/operator.ts';
import { force } from '../../src/simulator/store.ts';
import { closedWindow } from '../support/closed-window.ts';
import { parseExposition, type Family } from '../support/exposition.ts';
import { peering, replicaSet, service, vpc } from '../support/manifests.ts';
import { allQueries, metricNamesIn, watchedForGrowth } from '../support/metric-queries.ts';
import { ofOurs, ofUsage, outsideOf, unserved } from '../support/served-metrics.ts';
import { readyService } from '../support/ready-service.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

const settings = { health: { host: '127.0.0.1', port: 0 } };

async function scrape({
  healthPort,
}: Operator): Promise<{ readonly text: string; readonly families: ReadonlyMap<string, Family> }> {
  const reply = await fetch(`http://127.0.0.1:${healthPort}/metrics`);
  const text = await reply.text();
  return { text, families: parseExposition(text) };
}

async function usageAt({ healthPort }: Operator) {
  const text = await (await fetch(`http://127.0.0.1:${healthPort}/metrics/usage`)).text();
  return [...parseExposition(text)].flatMap(([name, { samples }]) =>
    samples.map(({ labels, value }) => ({ name, labels, value })),
  );
}

/** Waits for a sample with these labels and a value that will do. */
async function untilServed(
  operator: Operator,
  name: string,
  labels: Readonly<Record<string, string>>,
  isRight: (value: number) => boolean,
): Promise<void> {
  await until(
    `${name} ${JSON.stringify(labels)}`,
    async () => {
      const samples = [...(await scrape(operator)).families.values()].flatMap(
        (family) => family.samples,
      );
      return samples.some(
        (sample) =>
          sample.name === name &&
          Object.entries(labels).every(([label, value]) => sample.labels[label] === value) &&
          isRight(sample.value),
      );
    },
    async () => (await scrape(operator)).families.get(name),
  );
}

/** All that an operator may live through, each as it looks while it lasts. */
async function live(world: World, operator: Operator): Promise<void> {
  await world.apply(
    vpc('prod', { peerings: [peering] }),
    service('orders', { vpcRef: { name: 'prod' } }),
    replicaSet('orders-reads', 'orders'),
  );
  await world.untilReady('replicaSet', 'orders-reads');
  await untilServed(
    operator,
    'managed_db_cloud_snapshot_age_seconds',
    { list: 'listPeerings' },
    (seconds) => seconds >= 0,
  );
  await world.patch('replicaSet', 'orders-reads', {
    spec: { cpuMillis: 2000, memoryGbs: 8, changeWindows: [closedWindow(world)] },
  });
  await untilServed(
    operator,
    'managed_db_oldest_held_change_age_seconds',
    { kind: 'ReplicaSet', reason: 'WaitingForWindow' },
    (seconds) => seconds >= 0,
  );
  // Under a chosen name, only a person can identify the resource of a lost answer.
  world.project.faults.add({
    kind: 'replyLost',
    operation: 'createService',
    name: 'chosen',
    times: 1,
  });
  await world.apply(service('open', { name: 'chosen' }));
  await world.untilReason('service', 'open', 'AmbiguousCreate');
  const id = await readyService(world, {}, 'lost');
  force(world.project, { kind: 'service', id, status: undefined });
  await world.untilReason('service', 'lost', 'Lost');
  await readyService(world, { deletionProtection: false }, 'gone');
  world.project.faults.add({
    kind: 'rateLimit',
    operation: 'deleteService',
    retryAfterSeconds: 1,
    times: 1,
  });
  world.project.faults.add({ kind: 'errorBefore', operation: 'deleteService', status: 503 });
  await world.kubectl(['delete', '--wait=false', 'msvc', 'gone']);
  await untilServed(
    operator,
    'managed_db_cloud_calls_total',
    { operation: 'deleteService', outcome: 'server', code: '503' },
    (count) => count > 0,
  );
  await world.kubectl([
    'patch',
    'msvc',
    'gone',
    '--type=merge',
    '-p',
    '{"metadata":{"finalizers":null}}',
  ]);
  await untilServed(
    operator,
    'managed_db_abandoned_total',
    { kind: 'ManagedService' },
    (count) => count === 1,
  );
}

test('after a story with all features, every metric that is defined or queried is served, with bounded labels', async () => {
  await using world = await startWorld({ start: false, endsRestless: 'a deletion fails for good' });
  await mayKeepLeases(world);
  const operator = await world.startedOperator({
    settings: { ...settings, leaderElection: election(world) },
  });
  expect(unserved(await watchedForGrowth(), (await scrape(operator)).families)).toEqual([]);
  await live(world, operator);
  await untilServed(
    operator,
    'managed_db_objects',
    { kind: 'ManagedService', ready: 'True', reason: 'Available' },
    (count) => count === 1,
  );
  await untilServed(
    operator,
    'managed_db_objects',
    { kind: 'ManagedService', ready: 'False', reason: 'Lost' },
    (count) => count === 1,
  );
  await untilServed(
    operator,
    'managed_db_oldest_unsynced_age_seconds',
    { reason: 'Lost' },
    (seconds) => seconds >= 0,
  );
  await untilServed(
    operator,
    'managed_db_lost_objects',
    { kind: 'ManagedService', environment: 'DEV' },
    (count) => count === 1,
  );
  await untilServed(
    operator,
    'managed_db_stalled_objects',
    { kind: 'ManagedService', environment: '' },
    (count) => count === 1,
  );
  await untilServed(
    operator,
    'managed_db_open_creates',
    { kind: 'ManagedService' },
    (count) => count === 1,
  );
  await untilServed(
    operator,
    'managed_db_oldest_open_create_age_seconds',
    { kind: 'ManagedService' },
    (seconds) => seconds > 120,
  );
  await untilServed(
    operator,
    'managed_db_cloud_snapshot_age_seconds',
    { list: 'listServices' },
    (seconds) => seconds >= 0 && seconds < 300,
  );
  await untilServed(operator, 'leader_election_master_status', {}, (value) => value === 1);
  await untilServed(
    operator,
    'workqueue_depth',
    { name: 'ManagedService', controller: 'ManagedService' },
    (depth) => depth < 10,
  );
  await untilServed(
    operator,
    'rest_client_requests_total',
    { code: '200', method: 'PATCH' },
    (count) => count > 0,
  );

  const { text, families } = await scrape(operator);
  const samples = new Set(
    [...families.values()].flatMap((family) => family.samples.map(({ name }) => name)),
  );
  const missing = [...ofOurs.values()]
    .map(({ name, type }) => (type === 'histogram' ? `${name}_bucket` : name))
    .filter((name) => !samples.has(name));
  expect(missing).toEqual([]);
  const asked = (await allQueries()).flatMap(({ expr }) => [...metricNamesIn(expr)]);
  expect(asked.filter((name) => !samples.has(name) && !ofUsage.includes(name))).toEqual([]);
  expect(
    [...families.keys()].filter((name) => !ofOurs.has(name) && !/^(?:process|nodejs)_/u.test(name)),
  ).toEqual([]);
  expect(outsideOf(families)).toEqual([]);
  const ids = world.project.everCreated.map((each) => each.id);
  expect(ids.length).toBeGreaterThan(3);
  for (const secret of [
    world.namespace,
    world.project.id,
    world.project.apiKey,
    'chosen',
    'orders-reads',
    ...ids,
  ])
    expect(text).not.toContain(secret);
});

test('a standby replica serves metrics of itself, but none of objects', async () => {
  await using world = await startWorld();
  await readyService(world);
  const standby = await world.startedOperator({ settings, leadership: { held: false } });
  await untilServed(
    standby,
    'rest_client_requests_total',
    { code: '200', method: 'GET' },
    (count) => count > 0,
  );
  const { families } = await scrape(standby);
  for (const name of [
    'managed_db_objects',
    'managed_db_lost_objects',
    'managed_db_stalled_objects',
    'managed_db_open_creates',
  ])
    expect(families.get(name)?.samples).toEqual([]);
  expect(families.get('managed_db_operator_build_info')?.samples).toHaveLength(1);
});

test('the usage of each database is served apart, with the names of its object, and by the leader alone', async () => {
  // A list a minute: three seconds here.
  await using world = await startWorld({ start: false, speed: 20 });
  const leader = await world.startedOperator({ settings: { ...settings, usageMetrics: true } });
  await readyService(world, { cpuMillis: 2000, memoryGbs: 8, environment: 'PROD' });
  const id = await readyService(world, {}, 'stopped');
  await world.createInCloud('services', { name: 'of-no-object' });
  await world.apply(service('stopped', { powerState: 'Stopped' }));
  await world.untilReason('service', 'stopped', 'Stopped');
  expect(world.project.everCreated.map((each) => each.id)).toContain(id);
  await until('the usage of the only database that works', async () => {
    const names = (await usageAt(leader)).map(({ labels }) => labels['name']);
    return names.length > 0 && names.every((name) => name === 'orders');
  });
  const labels = { namespace: world.namespace, name: 'orders', environment: 'PROD' };
  const usage = await usageAt(leader);
  expect(usage.map(({ name, labels: of }) => ({ name, labels: of }))).toEqual([
    { name: 'managed_db_service_cpu_usage_cores', labels },
    { name: 'managed_db_service_memory_usage_bytes', labels },
    { name: 'managed_db_service_storage_usage_bytes', labels },
    { name: 'managed_db_service_usage_ratio', labels: { ...labels, resource: 'cpu' } },
    { name: 'managed_db_service_usage_ratio', labels: { ...labels, resource: 'memory' } },
  ]);
  const [cpu, memory, , cpuRatio, memoryRatio] = usage.map(({ value }) => value);
  expect([cpuRatio, memoryRatio]).toEqual([(cpu ?? 0) / 2, (memory ?? 0) / 8e9]);
  await until('the figures of a newer list', async () => (await usageAt(leader))[0]?.value !== cpu);
  const standby = await world.startedOperator({
    settings: { ...settings, usageMetrics: true },
    leadership: { held: false },
  });
  expect(await usageAt(standby)).toEqual([]);
});

/** Other tests may be about the Lease that the operator has rights to. */
async function mayKeepLeases(world: World): Promise<void> {
  const role = [
    'create',
    'role',
    'leases',
    '--verb=get,create,update',
    '--resource=leases.coordination.k8s.io',
  ];
  const binding = [
    'create',
    'rolebinding',
    'leases',
    '--role=leases',
    '--serviceaccount=managed-db-system:managed-db-operator',
  ];
  expect([await world.kubectl(role), await world.kubectl(binding)]).toMatchObject([
    { code: 0 },
    { code: 0 },
  ]);
}

function election(world: World) {
  return {
    namespace: world.namespace,
    name: 'managed-db-operator',
    identity: 'one',
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2_000,
  };
}
