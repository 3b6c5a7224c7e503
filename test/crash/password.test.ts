import { expect, test } from 'vitest';
import { service } from '../support/manifests.ts';
import { until } from '../support/until.ts';
import { tellWithEveryHarm, type Story } from './story.ts';

const rotation: Story = {
  async before(world) {
    await world.applyUntilReady(service('orders', { password: { rotation: 'one' } }));
  },
  async told(world) {
    const { password: before } = (await world.secret('orders-db')) ?? {};
    await world.apply(service('orders', { password: { rotation: 'two' }, connectionSecret: { name: 'elsewhere' } }));
    await until('another password', async () => {
      const password = (await world.secret('elsewhere'))?.['password'];
      return password !== undefined && password !== before;
    });
    await world.untilReady('service', 'orders');
    await until('the Secret of the old name to go', async () => (await world.secret('orders-db')) === undefined);
    await until('the pending password to go', async () => (await world.secret('orders-db-pending')) === undefined);
  },
  async problems(world) {
    const id = (await world.service('orders'))?.status?.id ?? '';
    const secret = await world.secret('elsewhere');
    return secret?.['password'] === world.project.stores.service.get(id)?.password ? [] : ['the password does not work'];
  },
};

test("a crash at any call of a rotation or a Secret's move leaves the password that the cloud has", { timeout: 300_000 }, async () => {
  const { points, problems } = await tellWithEveryHarm(rotation);
  expect(problems).toEqual({});
  expect(points).toContain('POST services/*/updatePassword #1');
});
