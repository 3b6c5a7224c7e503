import { test } from 'vitest';
import { replicaSet, secret, service } from '../../support/manifests.ts';
import { untilSecret } from '../../support/until-secret.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Where the password comes from. */

async function ready(world: World, spec: object = {}): Promise<void> {
  await world.apply(service('orders', spec), replicaSet('reads', 'orders'));
  await world.untilReady('service', 'orders');
  await world.untilReady('replicaSet', 'reads');
}

test.concurrent('password.secretRef: another key or Secret sets another password; when it is removed, the last password stays', async ({
  expect,
}) => {
  await using world = await startWorld();
  await world.apply(
    secret('first', { password: 'hunter2-one', old: 'hunter2-two' }),
    secret('second', { password: 'hunter2-three' }),
  );
  const asked = async (secretRef: object, password: string) => {
    await ready(world, { password: { secretRef } });
    await untilSecret(world, 'orders-db', { password });
    await untilSecret(world, 'reads-replicas-db', { password });
  };
  await asked({ name: 'first' }, 'hunter2-one');
  await asked({ name: 'first', key: 'old' }, 'hunter2-two');
  await asked({ name: 'first' }, 'hunter2-one');
  await asked({ name: 'second' }, 'hunter2-three');
  await ready(world);
  await world.kubectl(['delete', 'secret', 'first', 'second', '--timeout=20s']);
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'reconcile.managed-db.io/requestedAt': 'now' } },
  });
  await until(
    'the answer',
    async () => (await world.service('orders'))?.status?.lastHandledReconcileAt === 'now',
  );
  expect((await world.secret('orders-db'))?.['password']).toBe('hunter2-three');
  expect(world.project.commits.get('updateServicePassword')).toBe(4);
});

test.concurrent('password.rotation: a refused one is shown, the old password stays valid, and the next text rotates', async ({
  expect,
}) => {
  await using world = await startWorld();
  await ready(world);
  const password = (await world.secret('orders-db'))?.['password'] ?? '';
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'updateServicePassword',
    status: 422,
    body: { message: 'not now' },
  });
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  expect(await world.untilReason('service', 'orders', 'Rejected')).toContain(
    'the cloud refused to set the password of the service',
  );
  await untilSecret(world, 'orders-db', { password });
  world.project.faults.clear();
  await ready(world, { password: { rotation: 'two' } });
  const id = (await world.service('orders'))?.status?.id ?? '';
  const next = world.project.stores.service.get(id)?.password ?? '';
  expect(next).not.toBe(password);
  await untilSecret(world, 'orders-db', { password: next });
});

test.concurrent('password: a refused password, or a missing Secret, does not hold up other changes', async ({
  expect,
}) => {
  await using world = await startWorld();
  await ready(world);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'updateServicePassword',
    status: 422,
    body: { message: 'not now' },
  });
  await world.apply(
    service('orders', {
      password: { rotation: 'one' },
      environment: 'PROD',
      deletionProtection: false,
    }),
  );
  await until(
    'the environment',
    () => world.project.commits.get('setServiceEnvironment') === 1,
    () => world.service('orders'),
  );
  await world.apply(
    service('orders', {
      password: { secretRef: { name: 'nowhere' } },
      connectionPooler: { enabled: true },
    }),
  );
  await until(
    'the pooler',
    () => world.project.commits.get('enableServicePooler') === 1,
    () => world.service('orders'),
  );
  expect(world.project.commits.get('updateServicePassword')).toBeUndefined();
});
