import { expect, test } from 'vitest';
import { scale } from '../attack/scale.ts';
import { agreed, cloudPassword } from '../support/passwords-of.ts';
import { entriesOf } from '../support/entries-of.ts';
import { secret, service } from '../support/manifests.ts';
import { readyService } from '../support/ready-service.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';
import { differences, tellWithEveryHarm, type Story } from './story.ts';

const idOf = async (world: World) => (await world.service('orders'))?.status?.id ?? '';

/**
 * The cloud, the ledger and the Secret of the present name have the same password, and no other password is in
 * flight.
 */
async function problemsOf(world: World, name: string): Promise<readonly string[]> {
  const id = await idOf(world);
  const password = cloudPassword(world, id);
  const entries = await entriesOf(world);
  return differences([
    ['the password in the Secret', (await world.secret(name))?.['password'], password],
    ['passwords in the ledger', entries.map(({ data }) => data), [{ password }]],
    ['the password in flight', entries.map(({ content }) => content?.next ?? null), [null]],
    ['services', world.project.everCreated.length, 1],
  ]);
}

const rotation: Story = {
  async before(world) {
    await world.applyUntilReady(service('orders', { password: { rotation: 'one' } }));
  },
  async told(world) {
    const id = await idOf(world);
    const before = cloudPassword(world, id);
    await world.apply(
      service('orders', { password: { rotation: 'two' }, connectionSecret: { name: 'elsewhere' } }),
    );
    await agreed(world, id, before, 'elsewhere');
    await world.untilReady('service', 'orders');
    await until(
      'the Secret of the old name to go',
      async () => (await world.secret('orders-db')) === undefined,
    );
  },
  problems: (world) => problemsOf(world, 'elsewhere'),
};

const chosen: Story = {
  async before(world) {
    await readyService(world);
    await world.apply(secret('mine', { password: 'hunter2-hunter2' }));
  },
  async told(world) {
    const id = await idOf(world);
    await world.apply(service('orders', { password: { secretRef: { name: 'mine' } } }));
    await agreed(world, id, cloudPassword(world, id));
    await world.untilReady('service', 'orders');
  },
  async problems(world) {
    const sent = differences([
      ['the password in the cloud', cloudPassword(world, await idOf(world)), 'hunter2-hunter2'],
    ]);
    return [...sent, ...(await problemsOf(world, 'orders-db'))];
  },
};

/** The id is known to the administrator alone once the object is gone. */
const adopted: Story = {
  async before(world) {
    await readyService(world, { deletionPolicy: 'Retain' });
    await world.remove('service', 'orders');
  },
  async told(world) {
    const [retained] = world.project.everCreated;
    await world.applyUntilReady(
      service('orders', {}, { 'managed-db.io/external-id': retained?.id ?? '' }),
    );
    await until(
      'the entry of the earlier object to go',
      async () => (await entriesOf(world)).length === 1,
    );
  },
  async problems(world) {
    const calls = differences([
      ['new passwords', world.project.commits.get('updateServicePassword') ?? 0, 0],
    ]);
    return [...calls, ...(await problemsOf(world, 'orders-db'))];
  },
};

test(
  'a crash at any call of a rotation and a rename of the Secret leaves the password that the cloud has',
  { timeout: 600_000 },
  async () => {
    const { points, problems } = await tellWithEveryHarm(rotation);
    expect(problems).toEqual({});
    expect(points).toContain('POST services/*/updatePassword #1');
  },
);

test.runIf(scale.isWhole)(
  "a crash at any call that sets a user's password leaves this password in the cloud and in the Secret",
  { timeout: 600_000 },
  async () => {
    const { points, problems } = await tellWithEveryHarm(chosen);
    expect(problems).toEqual({});
    expect(points).toContain('POST services/*/updatePassword #1');
  },
);

test.runIf(scale.isWhole)(
  'a crash at any call of the adoption of a retained service leaves its password known',
  { timeout: 600_000 },
  async () => {
    const { points, problems } = await tellWithEveryHarm(adopted);
    expect(problems).toEqual({});
    expect(points).toContain('DELETE secrets/managedservice-* #1');
  },
);
