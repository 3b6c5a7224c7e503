import { expect, test } from 'vitest';
import { service } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const withKey = (apiKey: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'cloud' },
  stringData: { apiKey },
});
const own = { credentialsRef: { name: 'cloud' } };

async function finalizers(world: World): Promise<string> {
  return (await world.kubectl(['get', 'secret', 'cloud', '-o', 'jsonpath={.metadata.finalizers}']))
    .stdout;
}

test('a missing Secret, a Secret without a key and a wrong key have different messages, and the next apply ends each', async () => {
  await using world = await startWorld();
  const project = world.simulator.addProject({ clock: world.clock, latencyMs: 1_000 });
  await world.apply(service('orders', own));
  expect(await world.untilReason('service', 'orders', 'WaitingForCredentials')).toContain(
    '"cloud" not found',
  );
  await world.apply({ ...withKey(''), stringData: { other: 'x' } });
  await until('the message about the key', async () =>
    (await world.untilReason('service', 'orders', 'WaitingForCredentials')).includes(
      'has no key apiKey',
    ),
  );
  await world.apply(withKey('sk-wrong'));
  expect(await world.untilReason('service', 'orders', 'Unauthorized')).toContain(
    'put a valid API key there',
  );
  await world.apply(withKey(project.apiKey));
  await world.untilReady('service', 'orders');
  expect(project.everCreated.length).toBe(1);
  expect(world.project.everCreated.length).toBe(0);
  expect(world.log.join('')).not.toContain('sk-wrong');
});

test('a credentials Secret is held while a resource that was made with it needs it, and can be deleted afterwards', async () => {
  await using world = await startWorld();
  const project = world.simulator.addProject({ clock: world.clock, latencyMs: 1_000 });
  await world.apply(withKey(project.apiKey), service('orders', own));
  await world.untilReady('service', 'orders');
  expect(await finalizers(world)).toContain('managed-db.io/credentials');
  await world.kubectl(['delete', '--wait=false', 'secret/cloud', 'msvc/orders']);
  await world.untilGone('service', 'orders');
  expect(project.everCreated.every(({ deletedAt }) => deletedAt !== undefined)).toBe(true);
  await until(
    'the Secret to go',
    async () => (await world.kubectl(['get', 'secret', 'cloud'])).code !== 0,
    () => finalizers(world),
  );
});

test('with a key of another project, nothing is called and nothing is deleted', async () => {
  await using world = await startWorld();
  const first = world.simulator.addProject({ clock: world.clock, latencyMs: 1_000 });
  const second = world.simulator.addProject({ clock: world.clock, latencyMs: 1_000 });
  await world.apply(withKey(first.apiKey), service('orders', own));
  await world.untilReady('service', 'orders');
  await world.apply(withKey(second.apiKey));
  expect(await world.untilReason('service', 'orders', 'ForeignProject')).toContain(first.id);
  await world.delete('service', 'orders');
  await world.apply(withKey(first.apiKey));
  await world.untilGone('service', 'orders');
  expect(
    [...second.calls.keys()].filter(
      (operation) => operation !== 'getCredentialsInfo' && !operation.startsWith('list'),
    ),
  ).toEqual([]);
  expect(first.everCreated.every(({ deletedAt }) => deletedAt !== undefined)).toBe(true);
});

test("an object in a namespace that may not use the operator's key says what to do", async () => {
  await using world = await startWorld({ settings: { operatorCredentialsNamespaces: [] } });
  await world.apply(service('orders'));
  expect(await world.untilReason('service', 'orders', 'WaitingForCredentials')).toContain(
    'spec.credentialsRef',
  );
  expect(world.project.calls.size).toBe(0);
});

test('a revoked key stalls its objects, and one probe a minute finds out when it is valid again', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(service('orders'));
  world.project.faults.add({ kind: 'errorBefore', operation: '*', status: 401 });
  await world.apply(service('more'));
  await until('the words about the key', async () =>
    (await world.untilReason('service', 'more', 'Unauthorized')).includes(
      'ask the administrator of the operator',
    ),
  );
  world.project.faults.clear();
  await world.untilReady('service', 'more');
  await world.untilReady('service', 'orders');
  expect(world.project.everCreated.length).toBe(2);
});
