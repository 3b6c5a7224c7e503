import { expect, test } from 'vitest';
import { cloudResourceFinalizer } from '../../../src/resources/annotations.ts';
import { resourceTypes } from '../../../src/resources/managed-object.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';
import { isWeekly } from '../../support/weekly.ts';

/**
 * A namespace is deleted and recreated, with the same manifests, while the cloud refuses each deletion. The
 * recreated namespace gets its own databases, and no deletion of the old namespace touches them.
 * (docs/safety.md, Deleting)
 */

const deletions = ['deleteReplicaSet', 'deleteService', 'deletePeering', 'deleteVpc'] as const;
/** The first service has a name from the operator, the second has a chosen name. */
const manifests = [
  vpc('prod', { peerings: [peering] }),
  service('orders', { vpcRef: { name: 'prod' } }),
  service('named', { name: 'named' }),
  replicaSet('reads', 'orders'),
];

async function apply(world: World): Promise<void> {
  await world.apply(...manifests);
}

async function untilAllReady(world: World): Promise<void> {
  await world.untilReady('vpc', 'prod');
  for (const name of ['orders', 'named']) await world.untilReady('service', name);
  await world.untilReady('replicaSet', 'reads');
}

function refuseDeletions(world: World, status: number): void {
  const body = { code: 'refused', message: 'not now' };
  for (const operation of deletions)
    world.project.faults.add({ kind: 'errorBefore', operation, status, body });
}

/** Whether each resource ever created still exists, in the order of creation. */
function exist(world: World): readonly boolean[] {
  return world.project.everCreated.map(({ deletedAt }) => deletedAt === undefined);
}

async function makeAgain(world: World): Promise<void> {
  const { namespace } = world;
  await until(
    'the namespace to go',
    async () => (await world.kubectl(['get', 'namespace', namespace])).code !== 0,
  );
  expect(await world.kubectl(['create', 'namespace', namespace])).toMatchObject({ code: 0 });
  await apply(world);
}

async function passwordsAgree(world: World): Promise<readonly boolean[]> {
  const agree = async (name: string) => {
    const id = (await recordOf(world, await world.service(name))).id ?? '';
    return (
      (await world.secret(`${name}-db`))?.['password'] ===
      world.project.stores.service.get(id)?.password
    );
  };
  return [await agree('orders'), await agree('named')];
}

// Each run has a single status: the operator treats both as a DELETE without effect.
test.each(isWeekly ? [409, 500] : [500])(
  'while DELETEs are answered with %i a namespace stays, and made again after that it has databases of its own',
  { timeout: 120_000 },
  async (status) => {
    await using world = await startWorld();
    await apply(world);
    await untilAllReady(world);
    const first = world.project.everCreated.length;
    refuseDeletions(world, status);
    await world.kubectl(['delete', 'namespace', world.namespace, '--wait=false']);
    await until(
      'DELETEs',
      () => callsOf(world, 'deleteReplicaSet') > 1 && callsOf(world, 'deleteService') > 1,
    );
    // The same manifests have no effect yet.
    await world.kubectl(
      ['apply', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }),
    );
    await letPass(world, 60_000);
    expect(exist(world)).toEqual(Array.from({ length: first }, () => true));
    world.project.faults.clear();
    await makeAgain(world);
    await untilAllReady(world);
    await letPass(world, 60_000);
    expect(exist(world)).toEqual([
      ...Array.from({ length: first }, () => false),
      ...Array.from({ length: first }, () => true),
    ]);
    expect(await passwordsAgree(world)).toEqual([true, true]);
  },
);

test(
  'while DELETEs are answered with 500 a namespace whose finalizers a user takes off leaves what it had, and the next one touches nothing of it',
  { timeout: 120_000 },
  async () => {
    await using world = await startWorld();
    await apply(world);
    await untilAllReady(world);
    const first = world.project.everCreated.length;
    const idOf = async (kind: 'vpc' | 'service' | 'replicaSet', name: string) =>
      (await recordOf(world, await world[kind](name))).id ?? 'none';
    const [prod, orders, named] = [
      await idOf('vpc', 'prod'),
      await idOf('service', 'orders'),
      await idOf('service', 'named'),
    ];
    const reads = await idOf('replicaSet', 'reads');
    const plurals = {
      vpc: 'managedvpcs',
      service: 'managedservices',
      replicaSet: 'readreplicasets',
    } as const;
    refuseDeletions(world, 500);
    await world.kubectl(['delete', 'namespace', world.namespace, '--wait=false']);
    await until(
      'DELETEs',
      () => callsOf(world, 'deleteReplicaSet') > 1 && callsOf(world, 'deleteService') > 1,
    );
    const kinds = [
      'secrets',
      ...Object.values(resourceTypes).map(({ plural }) => plural),
    ].toReversed();
    await until('nothing to be left', async () => {
      const { stdout } = await world.kubectl(['get', kinds.join(','), '-o', 'name']);
      const left = stdout.split('\n').filter(Boolean);
      for (const name of left)
        await world.kubectl([
          'patch',
          name,
          '--type=merge',
          '-p',
          '{"metadata":{"finalizers":null}}',
        ]);
      return left.length === 0;
    });
    await makeAgain(world);
    // No DELETE was answered, so that each may still be there.
    const asked = [
      ['vpc', 'prod', prod],
      ['service', 'named', named],
      ['service', 'orders', orders],
      ['replicaSet', 'reads', reads],
    ] as const;
    for (const [kind, name, id] of asked) {
      expect(await world.untilReason(kind, name, 'NotBound')).toContain(id);
      await world.kubectl(['annotate', plurals[kind], name, `managed-db.io/create-anyway=${id}`]);
    }
    await untilAllReady(world);
    world.project.faults.clear();
    await letPass(world, 120_000);
    await untilAllReady(world);
    // A user decides about the first services: the operator has reported them.
    expect(exist(world)).toEqual(Array.from({ length: 2 * first }, () => true));
    expect(await passwordsAgree(world)).toEqual([true, true]);
    const isTold = (id: string) =>
      world.log.some((line) => line.includes('is gone without its deletion') && line.includes(id));
    const untold = world.project.everCreated
      .slice(0, first)
      .filter(({ id, kind }) => kind !== 'peering' && !isTold(id));
    expect(untold).toEqual([]);
  },
);

test('an object of a namespace that was finalised by force stays until the namespace is back, and then goes with its last words', async () => {
  await using world = await startWorld();
  const { namespace } = world;
  await readyService(world);
  refuseDeletions(world, 503);
  await world.kubectl(['delete', 'namespace', namespace, '--wait=false']);
  await until('the DELETE', () => callsOf(world, 'deleteService') > 0);
  const finalised = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
    spec: { finalizers: [] },
  });
  const command = ['replace', '--raw', `/api/v1/namespaces/${namespace}/finalize`, '-f', '-'];
  expect(await world.kubectl(command, finalised)).toMatchObject({ code: 0 });
  await until(
    'the namespace to go',
    async () => (await world.kubectl(['get', 'namespace', namespace])).code !== 0,
  );
  world.project.faults.clear();
  await until('the deletion in the cloud', () => !exist(world).includes(true));
  await letPass(world, 60_000);
  // The API server refuses every write to it with a 404, which is about the namespace.
  expect((await world.service('orders'))?.metadata.finalizers).toEqual([cloudResourceFinalizer]);
  expect(await world.kubectl(['create', 'namespace', namespace])).toMatchObject({ code: 0 });
  await world.untilGone('service', 'orders');
  expect(world.log.filter((line) => line.includes('Abandoned'))).toEqual([]);
});
