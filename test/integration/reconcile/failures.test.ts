import { expect, test } from 'vitest';
import { operations as rows } from '../../../src/cloud/wire/all.ts';
import type { FaultInput } from '../../../src/simulator/faults.ts';
import { commitsOf } from '../../support/cloud-calls.ts';
import { fork, peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { everyChange } from '../../support/service-values.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const operations = Object.entries(rows).map(([operation, { effect }]) => ({ operation, effect }));
const changing = operations
  .filter(({ effect }) => effect !== 'read')
  .map(({ operation }) => operation);
const all = operations.map(({ operation }) => operation);

/** A whole life: everything is made, changed in every way, and deleted. */
async function live(world: World): Promise<void> {
  const open = { deletionProtection: false };
  await world.apply(
    vpc('prod', { peerings: [peering] }),
    service('orders', { ...open, vpcRef: { name: 'prod' } }),
    fork('drill', 'orders', open),
  );
  await world.apply(replicaSet('reads', 'orders', open));
  await world.untilReady('vpc', 'prod');
  for (const name of ['orders', 'drill']) await world.untilReady('service', name);
  await world.untilReady('replicaSet', 'reads');
  const changes = {
    cpuMillis: 2000,
    memoryGbs: 8,
    environment: 'PROD',
    connectionPooler: { enabled: true },
  };
  await world.apply(
    vpc('prod', { name: 'two' }),
    service('orders', { ...everyChange, password: { rotation: 'x' }, ...open }),
    replicaSet('reads', 'orders', { ...open, ...changes }),
  );
  await world.untilReady('vpc', 'prod');
  await world.untilReady('service', 'orders');
  await world.untilReady('replicaSet', 'reads');
  await world.apply(
    service('orders', { ...open, connectionPooler: { enabled: false }, powerState: 'Stopped' }),
    replicaSet('reads', 'orders', { ...open, ...changes, connectionPooler: { enabled: false } }),
  );
  await world.untilReady('replicaSet', 'reads');
  await until(
    'the service to be stopped',
    async () =>
      (await world.untilReason('service', 'orders', 'Stopped')) ===
      'the service is stopped, as asked',
  );
  await world.apply(service('orders', { ...open, powerState: 'Running' }));
  await world.untilReason('service', 'orders', 'Available');
  const id = (await world.service('orders'))?.status?.id ?? '';
  expect((await world.secret('orders-db'))?.['password']).toBe(
    world.project.stores.service.get(id)?.password,
  );
  await world.delete('vpc', 'prod');
  await world.delete('service', 'orders');
  await world.delete('service', 'drill');
  await world.delete('replicaSet', 'reads');
  for (const name of ['orders', 'drill']) await world.untilGone('service', name);
  await world.untilGone('replicaSet', 'reads');
  await world.untilGone('vpc', 'prod');
}

/**
 * @param passwords the number of passwords that the operator sends to the cloud: the password of the
 * rotation, again after an uninformative answer, and a password for each service that lost its first password
 * with the answer to its create
 */
type Failure = readonly [what: string, fault: (operation: string) => FaultInput, passwords: number];

/** test/simulation also has each failure at a single call. */
const failures: readonly Failure[] = [
  ['429', (operation) => ({ kind: 'rateLimit', operation, retryAfterSeconds: 1, times: 1 }), 1],
  [
    '500, and it is done',
    (operation) => ({ kind: 'errorAfter', operation, status: 500, times: 1 }),
    4,
  ],
  ['a reply in HTML', (operation) => ({ kind: 'malformed', operation, as: 'html', times: 1 }), 3],
];

test.each(failures)(
  'each operation fails once with %s, and a whole life still succeeds',
  { timeout: 120_000 },
  async (_, fault, passwords) => {
    await using world = await startWorld({ speed: 600, latencyMs: 1_000 });
    for (const operation of all) world.project.faults.add(fault(operation));
    await live(world);
    expect(world.project.everCreated.map(({ kind }) => kind).toSorted()).toEqual([
      'peering',
      'replicaSet',
      'service',
      'service',
      'vpc',
    ]);
    expect(world.project.everCreated.filter(({ deletedAt }) => deletedAt === undefined)).toEqual(
      [],
    );
    // Nothing is carried out twice: there are two services to delete, and a size that is changed and changed back.
    // A peering whose request had no answer has no owner, and is removed with its VPC.
    const deletePeering = passwords === 1 ? 1 : 0;
    const others = {
      resizeService: 2,
      deleteService: 2,
      updateServicePassword: passwords,
      deletePeering,
    };
    const once = Object.fromEntries(changing.map((operation) => [operation, 1]));
    expect(
      Object.fromEntries(changing.map((operation) => [operation, commitsOf(world, operation)])),
    ).toEqual({ ...once, ...others });
  },
);

test(
  'each operation is answered with 404 once, and no resource is lost, doubled or left behind',
  { timeout: 120_000 },
  async () => {
    await using world = await startWorld({ speed: 600, latencyMs: 1_000 });
    for (const operation of changing)
      world.project.faults.add({ kind: 'errorBefore', operation, status: 404, times: 1 });
    await live(world);
    expect(world.project.everCreated.length).toBe(5);
    expect(world.project.everCreated.filter(({ deletedAt }) => deletedAt === undefined)).toEqual(
      [],
    );
  },
);
