import { expect, test } from 'vitest';
import { force } from '../../../src/simulator/store.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { fork, peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld } from '../../support/world.ts';

/** A copy of a whole cluster has the same uids, so every claim in it holds: in a drill the operator may only look. */

test('an operator that only observes changes nothing in the cloud, whatever specs, marks and annotations say', async () => {
  await using world = await startWorld();
  await world.apply(
    vpc('prod', { peerings: [peering] }),
    service('doomed'),
    service('going'),
    service('lost'),
  );
  const id = await readyService(world, { vpcRef: { name: 'prod' } });
  await world.apply(replicaSet('reads', 'orders'));
  for (const name of ['doomed', 'going', 'lost']) await world.untilReady('service', name);
  await world.untilReady('replicaSet', 'reads');
  // The state of a possible backup: a started deletion, an unstarted deletion, an allowed recreation, and
  // pending changes of all kinds.
  world.project.faults.add({ kind: 'errorBefore', operation: 'deleteService', status: 503 });
  await world.delete('service', 'doomed');
  await until('the deletion to be begun', () => callsOf(world, 'deleteService') > 0);
  await world.stopOperators();
  world.project.faults.clear();
  await world.delete('service', 'going');
  const lostId = (await world.service('lost'))?.status?.id ?? '';
  force(world.project, { kind: 'service', id: lostId, status: undefined });
  await world.apply(
    service('lost', {}, { 'managed-db.io/allow-recreate': lostId }),
    service('orders', {
      cpuMillis: 2000,
      environment: 'PROD',
      password: { rotation: 'now' },
      connectionPooler: { enabled: true },
    }),
    vpc('prod', { name: 'renamed' }),
    replicaSet('reads', 'orders', { cpuMillis: 2000 }),
    service('fresh'),
    fork('drill', 'orders'),
  );
  const [commits, made] = [
    Object.fromEntries(world.project.commits),
    world.project.everCreated.length,
  ];
  await world.startedOperator({
    settings: { options: { ...defaultOptions, managementPolicy: 'Observe' } },
  });
  const words = 'the operator runs with --management-policy Observe';
  expect(await world.untilReason('service', 'orders', 'Observed')).toContain(words);
  expect(await world.untilReason('vpc', 'prod', 'Observed')).toContain(words);
  expect(await world.untilReason('replicaSet', 'reads', 'Observed')).toContain('cpuMillis');
  for (const name of ['lost', 'fresh', 'drill'])
    expect(await world.untilReason('service', name, 'AdoptionFailed')).toContain(words);
  expect((await world.service('orders'))?.status).toMatchObject({ id, onDelete: 'Retain' });
  await world.untilGone('service', 'doomed');
  await world.untilGone('service', 'going');
  for (const name of ['lost', 'fresh', 'drill', 'orders']) await world.remove('service', name);
  await world.remove('replicaSet', 'reads');
  await world.remove('vpc', 'prod');
  expect([Object.fromEntries(world.project.commits), world.project.everCreated.length]).toEqual([
    commits,
    made,
  ]);
  expect(
    world.project.everCreated
      .filter(({ deletedAt }) => deletedAt !== undefined)
      .map((each) => each.id),
  ).toEqual([lostId]);
});

test.each([
  ['retains by default', { deletionPolicy: 'Retain' }],
  ['only observes', { managementPolicy: 'Observe' }],
] as const)(
  'a database stays if its object was deleted after an operator that %s, and before another without this setting',
  async (_, setting) => {
    await using world = await startWorld({ start: false });
    await world.startedOperator();
    const id = await readyService(world);
    await world.stopOperators();
    await world.startedOperator({ settings: { options: { ...defaultOptions, ...setting } } });
    await until(
      'the promise',
      async () => (await world.service('orders'))?.status?.onDelete === 'Retain',
    );
    await world.stopOperators();
    await world.delete('service', 'orders');
    await world.startedOperator();
    await world.untilGone('service', 'orders');
    expect(callsOf(world, 'deleteService')).toBe(0);
    expect(world.project.stores.service.get(id)).toBeDefined();
  },
);
