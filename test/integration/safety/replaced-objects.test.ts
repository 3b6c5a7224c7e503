import { expect, test } from 'vitest';
import { annotations, cloudResourceFinalizer } from '../../../src/resources/annotations.ts';
import { fork, peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { callsOf, commitsOf } from '../../support/cloud-calls.ts';
import { heldReply } from '../../support/held-reply.ts';
import { readyService } from '../../support/ready-service.ts';
import { replace } from '../../support/replace.ts';
import { until } from '../../support/until.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World, type WorldKind } from '../../support/world.ts';

/**
 * `kubectl replace` removes all annotations and finalizers. The ledger knows the resource, so the operator
 * restores both. (docs/safety.md, The ledger)
 */

const ofKinds = [
  ['vpc', vpc('orders')],
  ['service', service('orders')],
  ['replicaSet', replicaSet('orders', 'parent')],
] as const;

/** An object that is ready, and no operator runs. */
async function readyAndAlone(
  world: World,
  kind: WorldKind,
  manifest: ReturnType<typeof vpc | typeof service | typeof replicaSet>,
) {
  if (kind === 'replicaSet') await readyService(world, {}, 'parent');
  await world.applyUntilReady(manifest);
  await world.stopOperators();
}

const typed = (world: World, command: 'replace' | 'delete', manifest: object) =>
  world.kubectl(
    [command, ...(command === 'delete' ? ['--wait=false'] : []), '-f', '-'],
    JSON.stringify(manifest),
  );

test.each(ofKinds)(
  'a policy refuses to replace a %s without its finalizer, also while it is being deleted, and its deletion waits for the cloud',
  async (kind, manifest) => {
    await using world = await startWorld();
    await readyAndAlone(world, kind, manifest);
    expect((await typed(world, 'replace', manifest)).stderr).toContain('keep the finalizer');
    expect(await typed(world, 'delete', manifest)).toMatchObject({ code: 0 });
    expect((await typed(world, 'replace', manifest)).stderr).toContain('keep the finalizer');
    await world.startedOperator();
    await world.untilGone(kind, 'orders');
    expect(world.project.everCreated.at(-1)?.deletedAt).toBeDefined();
  },
);

test.each(ofKinds)(
  'a %s that is replaced and deleted at once stays until its resource is gone from the cloud',
  async (kind, manifest) => {
    await using world = await startWorld();
    await readyAndAlone(world, kind, manifest);
    await replace(world, manifest);
    expect((await typed(world, 'delete', manifest)).stderr).toContain('try again in a moment');
    await world.startedOperator();
    await until(
      'the deletion to be accepted',
      async () => (await typed(world, 'delete', manifest)).code === 0,
    );
    await world.untilGone(kind, 'orders');
    expect(world.project.everCreated.at(-1)?.deletedAt).toBeDefined();
  },
);

test('a namespace that is deleted right after a replace goes with its services, once an operator runs', async () => {
  await using world = await startWorld();
  await readyAndAlone(world, 'service', service('orders'));
  await replace(world, service('orders'));
  await world.kubectl(['delete', 'namespace', world.namespace, '--wait=false']);
  const refused = [
    'wait',
    '--for=condition=NamespaceDeletionContentFailure',
    `namespace/${world.namespace}`,
    '--timeout=20s',
  ];
  expect(await world.kubectl(refused)).toMatchObject({ code: 0 });
  await world.startedOperator();
  await world.untilGone('service', 'orders');
  expect(world.project.everCreated[0]?.deletedAt).toBeDefined();
  expect(
    await world.kubectl(['wait', '--for=delete', `namespace/${world.namespace}`, '--timeout=60s']),
  ).toMatchObject({ code: 0 });
});

/** Waits until the operator has restored the metadata that `kubectl replace` removed. */
const untilHeld = (world: World, kind: WorldKind) =>
  until('finalizer and pointer', async () => {
    const { finalizers = [], annotations: texts = {} } =
      (await world[kind]('orders'))?.metadata ?? {};
    return finalizers.includes(cloudResourceFinalizer) && texts[annotations.ledger] !== undefined;
  });

test('a suspended object that is replaced gets finalizer and pointer back, so that its deletion waits', async () => {
  await using world = await startWorld();
  await readyService(world);
  const manifest = service('orders', { suspend: true });
  await world.apply(manifest);
  await world.untilReason('service', 'orders', 'Suspended');
  await replace(world, manifest);
  await untilHeld(world, 'service');
  await world.delete('service', 'orders');
  expect(await world.untilReason('service', 'orders', 'DeletionBlocked')).toContain(
    'spec.suspend is true',
  );
  expect(world.project.everCreated[0]?.deletedAt).toBeUndefined();
});

/** Applies an object whose create is not answered, and replaces it before any list can be read. */
async function replaceUnanswered(
  world: World,
  kind: WorldKind,
  manifest: object,
  operation: string,
  list: string,
): Promise<void> {
  const others = world.project.everCreated.length;
  world.project.faults.add({ kind: 'replyLost', operation, times: 1 });
  world.project.faults.add({ kind: 'errorBefore', operation: list, status: 503 });
  await world.apply(manifest);
  await until('the create', () => world.project.everCreated.length === others + 1);
  await world.untilReason(kind, 'orders', 'ResolvingCreate');
  await replace(world, manifest);
  await untilHeld(world, kind);
}

test.each([
  ['VPC', 'vpc', vpc('orders'), 'createVpc', 'listVpcs', 0],
  ['service', 'service', service('orders'), 'createService', 'listServices', 0],
  ['fork', 'service', fork('orders', 'parent'), 'forkService', 'listServices', 1],
  [
    'replica set',
    'replicaSet',
    replicaSet('orders', 'parent'),
    'createReplicaSet',
    'listServices',
    1,
  ],
] as const)(
  'a %s that is replaced while its create has no answer is not created twice',
  async (_, kind, manifest, operation, list, parents) => {
    await using world = await startWorld();
    if (parents > 0) await readyService(world, {}, 'parent');
    await replaceUnanswered(world, kind, manifest, operation, list);
    world.project.faults.clear();
    await world.untilReady(kind, 'orders');
    expect(world.project.everCreated.length).toBe(parents + 1);
  },
);

test('a service that is replaced while its create waits for an answer gets its finalizer back at once, so that its deletion waits', async () => {
  await using world = await startWorld({ start: false });
  const reply = heldReply(({ method, path }) => method === 'POST' && path.endsWith('/services'));
  await world.startedOperator({ intercept: reply.intercept });
  await world.apply(service('orders'));
  await reply.answered;
  expect((await typed(world, 'replace', service('orders'))).stderr).toContain('keep the finalizer');
  await replace(world, service('orders'));
  await untilHeld(world, 'service');
  await world.delete('service', 'orders');
  reply.release();
  await world.untilGone('service', 'orders');
  expect(world.project.everCreated).toMatchObject([{ deletedAt: expect.any(String) as unknown }]);
});

test('an unanswered peering is not requested twice after its VPC object is replaced', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(vpc('prod'));
  world.project.faults.add({ kind: 'replyLost', operation: 'createPeering', times: 1 });
  await world.apply(vpc('prod', { peerings: [peering] }));
  await until('the peering', () => world.project.everCreated.length === 2);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'listPeerings',
    status: 503,
    times: 20,
  });
  await replace(world, vpc('prod', { peerings: [peering] }));
  await world.untilReady('vpc', 'prod');
  expect(world.project.everCreated.length).toBe(2);
  expect((await world.vpc('prod'))?.status?.peerings).toMatchObject([
    { ...peering, managed: false },
  ]);
  await world.applyUntilReady(vpc('prod'));
  expect(callsOf(world, 'deletePeering')).toBe(0);
});

test('a peering or VPC that the manifest no longer names after a replace while no operator runs is deleted or detached', async () => {
  await using world = await startWorld();
  await world.apply(
    vpc('prod', { peerings: [peering] }),
    service('orders', { vpcRef: { name: 'prod' } }),
  );
  await world.untilReady('vpc', 'prod');
  await world.untilReady('service', 'orders');
  await until(
    'the attachment',
    async () => (await world.service('orders'))?.status?.vpcId !== undefined,
  );
  await whileStopped(world, async () => {
    await replace(world, vpc('prod'));
    await replace(world, service('orders'));
  });
  await until('the peering to go', () => world.project.commits.get('deletePeering') === 1);
  await until(
    'the service to be detached',
    () => world.project.commits.get('detachServiceFromVpc') === 1,
  );
  await world.untilReady('vpc', 'prod');
  await world.untilReady('service', 'orders');
  expect((await world.service('orders'))?.status).toMatchObject({
    id: (await recordOf(world, await world.service('orders'))).id,
  });
});

test('a service that is replaced keeps its password, and another Secret name in the new manifest gets it', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const manifest = service('orders', { connectionSecret: { name: 'new-db' } });
  await whileStopped(world, () => replace(world, manifest));
  await untilHeld(world, 'service');
  await world.untilReady('service', 'orders');
  expect([
    await world.secret('orders-db'),
    (await world.secret('new-db'))?.['password'],
    commitsOf(world, 'updateServicePassword'),
  ]).toEqual([undefined, world.project.stores.service.get(id)?.password, 0]);
});
