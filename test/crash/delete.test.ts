import { expect, test } from 'vitest';
import { secretsWithData } from '../../src/resources/connection-secret.ts';
import { untilNoEntries } from '../support/entries-of.ts';
import { peering, replicaSet, service, vpc } from '../support/manifests.ts';
import { until } from '../support/until.ts';
import { startWorld } from '../support/world.ts';
import { operatorThatDies } from './fence.ts';
import { differences, tellWithEveryHarm, type Story } from './story.ts';

const deletion: Story = {
  async before(world) {
    await world.apply(
      vpc('prod', { peerings: [peering] }),
      service('orders', { vpcRef: { name: 'prod' } }),
    );
    await world.untilReady('service', 'orders');
    await world.applyUntilReady(replicaSet('reads', 'orders'));
    await world.untilReady('vpc', 'prod');
  },
  async told(world) {
    // The removals are sequential: otherwise the number of observations of each resource depends on chance.
    await world.remove('replicaSet', 'reads');
    await world.remove('service', 'orders');
    await world.remove('vpc', 'prod');
    const secrets = () => world.kubernetes.list(secretsWithData, { namespace: world.namespace });
    await until('all Secrets to go', async () => (await secrets()).items.length === 0);
    await untilNoEntries(world);
  },
  problems(world) {
    const left = world.project.everCreated.filter(({ deletedAt }) => deletedAt === undefined);
    return Promise.resolve(
      differences([
        ['what is left in the cloud', left.map(({ kind }) => kind), []],
        ['what was ever created', world.project.everCreated.length, 4],
      ]),
    );
  },
};

test(
  'a crash at any call of a deletion leaves nothing behind, in the cloud and in Kubernetes',
  { timeout: 600_000 },
  async () => {
    const { points, problems } = await tellWithEveryHarm(deletion);
    expect(problems).toEqual({});
    const deletes = [
      'DELETE services/*/replicaSets/* #1',
      'DELETE services/* #1',
      'DELETE vpcs/*/peerings/* #1',
      'DELETE vpcs/* #1',
    ];
    expect(points).toEqual(expect.arrayContaining(deletes));
  },
);

test.concurrent.each([
  ['vpc', 'prod', 'DELETE vpcs/* #1'],
  ['vpc', 'prod', 'DELETE vpcs/*/peerings/* #1'],
  ['service', 'orders', 'DELETE services/* #1'],
  ['replicaSet', 'reads', 'DELETE services/*/replicaSets/* #1'],
] as const)(
  'after a crash during the deletion of a %s, the next process releases %s within a minute of policy time (%s)',
  async (kind, name, call) => {
    await using world = await startWorld({ speed: 10, latencyMs: 0, start: false });
    const dying = await operatorThatDies(world, { call, harm: 'replyLost' });
    await deletion.before?.(world);
    if (kind !== 'replicaSet') await world.remove('replicaSet', 'reads');
    if (kind === 'vpc') await world.remove('service', 'orders');
    await world.sync(kind, name); // by a new list
    await world.delete(kind, name);
    await dying.died;
    const begun = world.clock.now();
    await world.startedOperator();
    await world.untilGone(kind, name);
    expect(world.clock.now() - begun).toBeLessThan(60_000);
  },
);
