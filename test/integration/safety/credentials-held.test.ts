import { expect, test } from 'vitest';
import { letPass } from '../../support/let-pass.ts';
import { secret, service } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { requests } from '../../support/requests.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';
import { whileStopped } from '../../support/while-stopped.ts';

/** An API key is held for as long as something in the cloud could not be deleted without it, and no longer. */

/** The counts of all events about the deletion of this Secret. */
const timesTold = async (world: World, name: string) => {
  const about = `--field-selector=involvedObject.kind=Secret,involvedObject.name=${name},reason=DeletionBlocked`;
  return (await world.kubectl(['get', 'events', about, '-o', 'jsonpath={.items[*].count}'])).stdout;
};
const removeKey = (world: World) => world.kubectl(['delete', 'secret', 'cloud', '--timeout=15s']);

test.concurrent('a deleted key that is still needed says which object holds it, once, and is gone after that object', async () => {
  await using world = await startWorld();
  await world.apply(secret('cloud', { apiKey: world.project.apiKey }));
  await readyService(world, { credentialsRef: { name: 'cloud' } });
  await world.kubectl(['delete', 'secret', 'cloud', '--wait=false']);
  expect(await world.untilEvent('cloud', 'DeletionBlocked')).toContain('ManagedService/orders');
  await letPass(world, 60_000);
  expect(await timesTold(world, 'cloud')).toBe('1');
  await world.remove('service', 'orders');
  await until('the key to go', async () => (await world.secret('cloud')) === undefined);
});

test.concurrent('a key whose Secret lost its label is released after the last object', async () => {
  await using world = await startWorld();
  await world.apply(secret('cloud', { apiKey: world.project.apiKey }));
  await readyService(world, { credentialsRef: { name: 'cloud' } });
  await whileStopped(world, async () => {
    await world.kubectl(['label', 'secret', 'cloud', 'managed-db.io/credentials-']);
    await world.delete('service', 'orders');
  });
  await world.untilGone('service', 'orders');
  expect(await removeKey(world)).toMatchObject({ code: 0 });
});

test.concurrent('a create that was refused in a project is sent to a second project when the key belongs to the second', async () => {
  await using world = await startWorld();
  const other = world.simulator.addProject();
  await world.apply(
    secret('cloud', { apiKey: world.project.apiKey }),
    secret('other', { apiKey: other.apiKey }),
  );
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createService',
    status: 422,
    body: { message: 'quota' },
  });
  await world.apply(service('orders', { credentialsRef: { name: 'cloud' } }));
  await world.untilReason('service', 'orders', 'Rejected');
  await world.applyUntilReady(service('orders', { credentialsRef: { name: 'other' } }));
  expect([world.project.everCreated.length, other.everCreated.length]).toEqual([0, 1]);
  expect(await removeKey(world)).toMatchObject({ code: 0 });
});

test.concurrent('in a terminating namespace, an object without its key names the Secret whose key worked, and that key ends the deletion', async () => {
  await using world = await startWorld();
  await world.apply(secret('cloud', { apiKey: world.project.apiKey }));
  await readyService(world, { credentialsRef: { name: 'cloud' } });
  await world.patch('service', 'orders', { spec: { credentialsRef: { name: 'key' } } });
  expect(await world.untilReason('service', 'orders', 'WaitingForCredentials')).toContain(
    'kubectl create secret generic key',
  );
  await world.kubectl(['delete', 'namespace', world.namespace, '--wait=false']);
  const remedy = 'set spec.credentialsRef.name back to "cloud"';
  await until('the message to name the Secret', async () => {
    const conditions = (await world.service('orders'))?.status?.conditions ?? [];
    return conditions.some(({ message }) => message.includes(remedy)) ? true : undefined;
  });
  const change = [
    'patch',
    'msvc',
    'orders',
    '--type=merge',
    '-p',
    '{"spec":{"credentialsRef":{"name":"cloud"}}}',
  ];
  expect(await world.kubectl(change)).toMatchObject({ code: 0 });
  await until(
    'the namespace to go',
    async () => (await world.kubectl(['get', 'namespace', world.namespace])).code !== 0,
  );
  expect(world.project.everCreated.filter(({ deletedAt }) => deletedAt === undefined)).toEqual([]);
});

test.concurrent('the Secret of a key is released once the key of another Secret is proven', async () => {
  await using world = await startWorld();
  await world.apply(secret('cloud', { apiKey: world.project.apiKey }));
  await readyService(world, { credentialsRef: { name: 'cloud' } });
  await world.patch('service', 'orders', { spec: { credentialsRef: { name: 'next' } } });
  await world.untilReason('service', 'orders', 'WaitingForCredentials');
  await world.kubectl(['delete', 'secret', 'cloud', '--wait=false']);
  expect(await world.untilEvent('cloud', 'DeletionBlocked')).toContain(
    'ManagedService/orders (WaitingForCredentials)',
  );
  await world.apply(secret('next', { apiKey: world.project.apiKey }));
  await world.untilReady('service', 'orders');
  await until('the first key to go', async () => (await world.secret('cloud')) === undefined);
});

test.concurrent('a key with which nothing was created can be deleted', async () => {
  await using world = await startWorld();
  await world.apply(secret('cloud', { apiKey: world.project.apiKey }));
  await world.apply(
    service('orders', { credentialsRef: { name: 'cloud' }, vpcRef: { name: 'nowhere' } }),
  );
  await world.untilReason('service', 'orders', 'WaitingForReference');
  expect(await removeKey(world)).toMatchObject({ code: 0 });
});

test.concurrent('while the objects of a key are deleted one by one, no list is requested before the last', async () => {
  await using world = await startWorld({ start: false });
  const counted = requests();
  await world.startedOperator({ intercept: counted.intercept });
  await world.apply(secret('cloud', { apiKey: world.project.apiKey }));
  const names = Array.from({ length: 6 }, (_, n) => `s${n}`);
  await world.apply(...names.map((name) => service(name, { credentialsRef: { name: 'cloud' } })));
  for (const name of names) await world.untilReady('service', name);
  counted.reset();
  for (const name of names.slice(1)) await world.remove('service', name);
  await letPass(world, 60_000);
  expect(counted.counts()['LIST managedservices']).toBeUndefined();
  await world.remove('service', 's0');
  expect(await removeKey(world)).toMatchObject({ code: 0 });
  expect(counted.counts()['LIST managedservices']).toBeGreaterThan(0);
});
