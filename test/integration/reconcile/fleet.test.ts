import { expect, test } from 'vitest';
import { syncedOf } from '../../../src/resources/condition.ts';
import type { ManagedObject } from '../../../src/resources/managed-object.ts';
import { fork, peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, worldKinds, worldTypes, type World } from '../../support/world.ts';
import { isWeekly } from '../../support/weekly.ts';

const credentials = (apiKey: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'cloud' },
  stringData: { apiKey },
});
const own = { credentialsRef: { name: 'cloud' } };

/** Twenty objects of all kinds that hang on each other, with the credentials that they use. */
function fleet(apiKey: string): readonly object[] {
  return [
    credentials(apiKey),
    ...[0, 1, 2, 3].map((n) =>
      vpc(`v${n}`, { ...own, cidr: `10.${n}.0.0/16`, peerings: n % 2 === 0 ? [peering] : [] }),
    ),
    ...[0, 1, 2, 3, 4, 5, 6].map((n) =>
      service(`s${n}`, { ...own, vpcRef: { name: `v${n % 4}` } }),
    ),
    ...[0, 1, 2].map((n) => fork(`f${n}`, `s${n}`, own)),
    ...[0, 1, 2, 3, 4, 5].map((n) => replicaSet(`r${n}`, `s${n}`, own)),
  ];
}

async function applyFleet(world: World, apiKey: string): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items: fleet(apiKey) };
  expect(await world.kubectl(['apply', '-f', '-'], JSON.stringify(list))).toMatchObject({
    code: 0,
  });
}

async function allReady(world: World): Promise<void> {
  const read = () => reasons(world);
  await until(
    'all twenty to be available',
    async () => (await read()).filter((reason) => reason === 'Available').length === 20,
    read,
  );
}

/** The reason of `Synced` of each object. */
async function reasons(world: World): Promise<readonly string[]> {
  const { namespace } = world;
  const lists = await Promise.all(
    worldKinds.map((kind) => world.kubernetes.list<ManagedObject>(worldTypes[kind], { namespace })),
  );
  return lists.flatMap(({ items }) => items.map((item) => syncedOf(item)?.reason ?? ''));
}

test(
  'a namespace of twenty objects is deleted completely, with its credentials last',
  { timeout: 120_000 },
  async () => {
    await using world = await startWorld({ speed: 120 });
    const project = world.simulator.addProject({ clock: world.clock, latencyMs: 2_000 });
    await applyFleet(world, project.apiKey);
    await allReady(world);
    expect(
      await world.kubectl(['delete', 'namespace', world.namespace, '--timeout=80s']),
    ).toMatchObject({ code: 0 });
    expect(project.everCreated.filter(({ deletedAt }) => deletedAt === undefined)).toEqual([]);
    expect(project.everCreated.length).toBe(4 + 2 + 7 + 3 + 6);
  },
);

// In each run, recreated-namespaces.test.ts deletes a namespace while DELETEs fail.
test.runIf(isWeekly)(
  'during an outage of the cloud a deleted namespace waits, and each object says why; afterwards it is deleted',
  { timeout: 120_000 },
  async () => {
    await using world = await startWorld({ speed: 120 });
    const project = world.simulator.addProject({ clock: world.clock, latencyMs: 2_000 });
    await applyFleet(world, project.apiKey);
    await allReady(world);
    project.faults.add({ kind: 'errorBefore', operation: '*', status: 503 });
    await world.kubectl(['delete', 'namespace', world.namespace, '--wait=false']);
    const messages = () => reasons(world);
    const waiting = new Set(['CloudUnavailable', 'DeletionBlocked']);
    await until(
      'each of them to say why',
      async () => {
        const said = await messages();
        return said.length === 20 && said.every((reason) => waiting.has(reason));
      },
      messages,
    );
    expect(project.everCreated.filter(({ deletedAt }) => deletedAt !== undefined)).toEqual([]);
    project.faults.clear();
    await until(
      'an empty cloud',
      () => project.everCreated.every(({ deletedAt }) => deletedAt !== undefined),
      messages,
    );
    await until(
      'the namespace to go',
      async () => (await world.kubectl(['get', 'namespace', world.namespace])).code !== 0,
    );
  },
);

test(
  'without changes nothing is written, and the cloud gets only polls, over a hundred of them',
  { timeout: 120_000 },
  async () => {
    await using world = await startWorld({ speed: 600 });
    const project = world.simulator.addProject({ clock: world.clock, latencyMs: 1_000 });
    await applyFleet(world, project.apiKey);
    await allReady(world);
    const versions = async () =>
      (
        await world.kubectl([
          'get',
          'managed-db,secrets,events',
          '-o',
          'jsonpath={range .items[*]}{.kind}/{.metadata.name}={.metadata.resourceVersion} {end}',
        ])
      ).stdout;
    const polls = () => project.calls.get('listServices') ?? 0;
    // Events may still be in flight when the last object is Ready.
    let before = '';
    await until('the last words', async () => {
      const now = await versions();
      const isSame = now === before;
      before = now;
      return isSame;
    });
    const commits = JSON.stringify([...project.commits]);
    const calls = new Map(project.calls);
    const begun = polls();
    await until('a hundred polls', () => polls() >= begun + 100, polls);
    expect(await versions()).toBe(before);
    expect(JSON.stringify([...project.commits])).toBe(commits);
    const others = [...project.calls].filter(
      ([operation, count]) => !operation.startsWith('list') && count !== calls.get(operation),
    );
    expect(others).toEqual([]);
  },
);

test('a deleted namespace keeps a service that the cloud alone calls PROD, and the ledger keeps its password, until a person decides', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await whileStopped(world, async () => {
    // No object says so yet: the policy lets the namespace go.
    await world.createInCloud(`services/${id}/setEnvironment`, { environment: 'PROD' });
    expect(
      await world.kubectl(['delete', 'namespace', world.namespace, '--wait=false']),
    ).toMatchObject({ code: 0 });
    await until(
      'the Secret to be deleted with it',
      async () => (await world.secret('orders-db')) === undefined,
    );
    // Once the operator has written PROD into the status, the policy refuses the deletion of the object.
    await until(
      'the deletion of the object',
      async () => (await world.service('orders'))?.metadata.deletionTimestamp !== undefined,
    );
  });
  expect(await world.untilReason('service', 'orders', 'DeletionProtected')).toContain(
    'set spec.deletionProtection to false to delete it',
  );
  await world.sync('service', 'orders');
  expect([
    (await world.entry('orders'))?.data['password'],
    world.project.commits.get('deleteService'),
  ]).toEqual([world.project.stores.service.get(id)?.password, undefined]);
  expect(world.log.filter((line) => line.includes('spec.connectionSecret'))).toEqual([]);
  await world.patch('service', 'orders', { spec: { deletionProtection: false } });
  expect(
    await world.kubectl(['wait', '--for=delete', '--timeout=40s', `namespace/${world.namespace}`]),
  ).toMatchObject({ code: 0 });
  expect(world.project.everCreated.filter(({ deletedAt }) => deletedAt === undefined)).toEqual([]);
});

test('a failing API key never slows down the objects of another key', async () => {
  await using world = await startWorld();
  const sick = world.simulator.addProject({ clock: world.clock, latencyMs: 1_000 });
  sick.faults.add({ kind: 'delay', operation: '*', delayMs: 20_000 });
  const many = Array.from({ length: 20 }, (_, n) => service(`sick${n}`, own));
  const list = { apiVersion: 'v1', kind: 'List', items: [credentials(sick.apiKey), ...many] };
  expect(await world.kubectl(['apply', '-f', '-'], JSON.stringify(list))).toMatchObject({
    code: 0,
  });
  await until('the calls to hang', () => (sick.calls.get('getCredentialsInfo') ?? 0) > 0);
  await world.applyUntilReady(service('healthy'));
  expect(sick.everCreated).toEqual([]);
});

test('in a burst of creates in a namespace, the first database is reported Ready long before the last create', async () => {
  await using world = await startWorld({
    start: false,
    settings: { rateLimit: { perSecond: 0.3, burst: 1 }, workers: 4 },
  });
  const names = Array.from({ length: 60 }, (_, index) => `db-${index}`);
  await world.apply(...names.map((name) => service(name)));
  await world.startedOperator();
  const created = await until('a service to be Ready', async () =>
    (await reasons(world)).includes('Available') ? world.project.everCreated.length : undefined,
  );
  expect(created).toBeLessThan(names.length / 4);
});
