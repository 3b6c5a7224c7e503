import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startControlPlane } from '../../control-plane/control-plane.ts';
import { kubectl } from '../../control-plane/kubectl.ts';
import { peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** In each state in which an object is deleted, no resource is left behind, and no resource is deleted that should stay. (docs/safety.md, Deleting) */

const remove = (world: World, what: string) => world.kubectl(['delete', '--wait=false', what]);
const cloud = (apiKey: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'cloud' },
  stringData: { apiKey },
});
const isEmpty = (world: World) =>
  world.project.everCreated.every(({ deletedAt }) => deletedAt !== undefined);

test('a service that is deleted while the cloud creates it disappears', async () => {
  await using world = await startWorld({ latencyMs: 600_000 });
  await world.apply(service('orders'));
  await until('it to be made', async () =>
    ['QUEUED', 'CONFIGURING'].includes((await world.service('orders'))?.status?.state ?? ''),
  );
  await remove(world, 'managedservice/orders');
  await until('the DELETE', () => world.project.commits.get('deleteService') === 1);
  expect(world.project.commits.get('createService')).toBe(1);
});

test('a service that is deleted while the cloud resizes it disappears', async () => {
  // Two seconds of this test: a state that is over in a blink is missed on a busy machine.
  await using world = await startWorld({ latencyMs: 120_000 });
  await readyService(world);
  await world.apply(service('orders', { memoryGbs: 8, cpuMillis: 2000 }));
  await world.untilReason('service', 'orders', 'Resizing');
  await remove(world, 'managedservice/orders');
  await world.untilGone('service', 'orders');
  expect(isEmpty(world)).toBe(true);
});

test('an object that is deleted while its key is rejected stays, says why, and disappears once the key is valid', async () => {
  await using world = await startWorld();
  await world.apply(
    cloud(world.project.apiKey),
    service('orders', { credentialsRef: { name: 'cloud' } }),
  );
  await world.untilReady('service', 'orders');
  await world.apply(cloud('no-such-key'));
  await world.untilReason('service', 'orders', 'Unauthorized');
  await remove(world, 'managedservice/orders');
  await until(
    'it to be noticed',
    async () => (await world.service('orders'))?.metadata.deletionTimestamp !== undefined,
  );
  expect(await world.untilReason('service', 'orders', 'Unauthorized')).toContain('"cloud"');
  await world.apply(cloud(world.project.apiKey));
  await world.untilGone('service', 'orders');
  expect(isEmpty(world)).toBe(true);
});

test('an object that is deleted during a rate limit waits for Retry-After, and disappears', async () => {
  await using world = await startWorld();
  await readyService(world);
  world.project.faults.add({
    kind: 'rateLimit',
    operation: 'deleteService',
    retryAfterSeconds: 30,
    times: 1,
  });
  await remove(world, 'managedservice/orders');
  await world.untilReason('service', 'orders', 'RateLimited');
  await world.untilGone('service', 'orders');
  expect(world.project.calls.get('deleteService')).toBe(2);
});

test.each([
  ['Delete', {}],
  ['Retain', { deletionPolicy: 'Retain' }],
] as const)(
  'an object that is deleted with policy %s while a create is open first resolves the create',
  async (word, spec) => {
    await using world = await startWorld({ speed: 120 });
    world.project.faults.add({ kind: 'errorBefore', operation: 'listServices', status: 503 });
    world.project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
    await world.apply(service('orders', spec));
    await until('the create', () => world.project.everCreated.length === 1);
    await remove(world, 'managedservice/orders');
    await until(
      'it to be noticed',
      async () => (await world.service('orders'))?.metadata.deletionTimestamp !== undefined,
    );
    const lists = world.project.calls.get('listServices') ?? 0;
    await until(
      'it to be looked for in vain',
      () => (world.project.calls.get('listServices') ?? 0) > lists + 1,
    );
    expect(await world.service('orders')).toBeDefined();
    world.project.faults.clear();
    await world.untilGone('service', 'orders');
    expect([isEmpty(world), world.project.calls.get('updateServicePassword')]).toEqual([
      word === 'Delete',
      undefined,
    ]);
  },
);

test('a peering with an unanswered request is deleted with its VPC', async () => {
  await using world = await startWorld({ speed: 120 });
  await world.applyUntilReady(vpc('prod'));
  world.project.faults.add({ kind: 'replyLost', operation: 'createPeering', times: 1 });
  await world.apply(vpc('prod', { peerings: [peering] }));
  await until('the peering', () => world.project.stores.peering.size === 1);
  await remove(world, 'mvpc/prod');
  await world.untilGone('vpc', 'prod');
  const left = [...world.project.stores.peering.values()].filter(
    ({ timeline }) => timeline.at(world.clock.now()) !== undefined,
  );
  expect([left, isEmpty(world)]).toEqual([[], true]);
});

test('a replica set whose service has no object any more can be deleted', async () => {
  await using world = await startWorld();
  await world.apply(service('orders', { deletionPolicy: 'Retain' }), replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
  await remove(world, 'rrset/reads');
  await world.untilGone('replicaSet', 'reads');
  expect(world.project.commits.get('deleteReplicaSet')).toBe(1);
  expect(world.project.commits.get('deleteService')).toBeUndefined();
});

test(
  'while a CustomResourceDefinition is being deleted, nothing is deleted in the cloud; Retain releases the objects',
  { timeout: 120_000 },
  async () => {
    await using world = await startWorld({ start: false });
    await using plane = await startControlPlane({
      crds: fileURLToPath(new URL('../../../crds', import.meta.url)),
    });
    const own = (args: readonly string[], input?: string) =>
      kubectl(plane.handle, ['-n', 'default', ...args], input === undefined ? {} : { input });
    await world.startedOperator({ cluster: plane.handle, settings: { namespaces: ['default'] } });
    expect(await own(['apply', '-f', '-'], JSON.stringify(service('orders')))).toMatchObject({
      code: 0,
    });
    const ready = async () =>
      (
        await own([
          'get',
          'managedservice',
          'orders',
          '-o',
          'jsonpath={.status.conditions[1].reason}',
        ])
      ).stdout;
    await until('it to be there', async () => (await ready()) === 'Available', ready);
    expect(
      await own(['delete', 'crd', 'managedservices.managed-db.io', '--wait=false']),
    ).toMatchObject({ code: 0 });
    await until(
      'the deletion to be held',
      async () => (await ready()) === 'DeletionBlocked',
      ready,
    );
    const message = (
      await own([
        'get',
        'managedservice',
        'orders',
        '-o',
        'jsonpath={.status.conditions[1].message}',
      ])
    ).stdout;
    expect(message).toContain('CustomResourceDefinition');
    await own([
      'patch',
      'managedservice',
      'orders',
      '--type=merge',
      '-p',
      '{"spec":{"deletionPolicy":"Retain"}}',
    ]);
    await until(
      'the CRD to be gone',
      async () => (await own(['get', 'crd', 'managedservices.managed-db.io'])).code !== 0,
    );
    expect(world.project.calls.get('deleteService')).toBeUndefined();
  },
);
