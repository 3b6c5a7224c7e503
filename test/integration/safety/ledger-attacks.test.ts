import { expect, test } from 'vitest';
import { annotations, cloudResourceFinalizer } from '../../../src/resources/annotations.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { entriesOf } from '../../support/entries-of.ts';
import { changeEntries, createEntry, dropEntry } from '../../support/ledger.ts';
import { loseObject } from '../../support/lose-object.ts';
import { replicaSet, service, vpc } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { replace } from '../../support/replace.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World } from '../../support/world.ts';

/** A lost or forged binding of an object to its resource creates nothing and deletes nothing. (docs/safety.md, The ledger) */

test.concurrent('objects that were replaced after the ledger lost their entries create nothing, say which resource each had, and have it again once the entries are restored', async () => {
  await using world = await startWorld();
  const kinds = ['vpc', 'service', 'replicaSet'] as const;
  const manifests = [
    vpc('orders'),
    service('orders'),
    replicaSet('orders', 'orders', { connectionSecret: { name: 'reads' } }),
  ];
  for (const manifest of manifests) await world.applyUntilReady(manifest);
  const ids = new Map<string, string>();
  for (const kind of kinds)
    ids.set(kind, (await recordOf(world, await world[kind]('orders'))).id ?? 'none');
  const entries = await entriesOf(world);
  await whileStopped(world, async () => {
    for (const { metadata } of entries) await dropEntry(world, metadata);
    for (const manifest of manifests) await replace(world, manifest);
  });
  for (const kind of kinds)
    expect(await world.untilReason(kind, 'orders', 'NotBound')).toContain(ids.get(kind));
  for (const kind of kinds) await world.sync(kind, 'orders');
  expect([
    world.project.everCreated.length,
    callsOf(world, 'updateServicePassword'),
    await entriesOf(world),
  ]).toEqual([3, 0, []]);
  for (const entry of entries) await createEntry(world, entry);
  for (const kind of kinds) {
    await world.untilReady(kind, 'orders');
    expect((await recordOf(world, await world[kind]('orders'))).id).toBe(ids.get(kind));
  }
  expect([world.project.everCreated.length, callsOf(world, 'updateServicePassword')]).toEqual([
    3, 0,
  ]);
});

test.concurrent.each([
  ['while its original lives', false],
  ['after its original was retained and deleted', true],
])(
  'a copy in any namespace with the annotations of another object is not bound, and its deletion deletes nothing, %s',
  async (_, isRetained) => {
    await using world = await startWorld({ start: false });
    await using other = await startWorld({ start: false });
    await world.startedOperator({ settings: { namespaces: [world.namespace, other.namespace] } });
    const id = await readyService(world, { deletionPolicy: 'Retain' });
    const pointer =
      (await world.service('orders'))?.metadata.annotations?.[annotations.ledger] ?? '';
    const copies = [
      [world, 'copy'],
      [other, 'orders'],
    ] as const;
    for (const [where, name] of copies) {
      const made = service(name, {}, { [annotations.ledger]: pointer });
      await where.apply({
        ...made,
        metadata: { ...made.metadata, finalizers: [cloudResourceFinalizer] },
      });
      expect(await where.untilReason('service', name, 'NotBound')).toContain(
        `${annotations.ledger} was copied from ${where === world ? 'ManagedService orders' : 'a ManagedService of another namespace'}: remove it for`,
      );
    }
    if (isRetained) await world.remove('service', 'orders');
    for (const [where, name] of copies) {
      await where.sync('service', name);
      expect(await where.untilReason('service', name, 'NotBound')).toContain(
        isRetained ? `names the entry of another object (${pointer})` : 'was copied from',
      );
      await where.remove('service', name);
    }
    expect([callsOf(world, 'deleteService'), callsOf(world, 'createService')]).toEqual([0, 1]);
    expect((await entriesOf(world)).map(({ content }) => content?.id)).toEqual([id]);
  },
);

test.concurrent('in another cluster that has the ledger, objects from a backup and from Git create nothing until it accepts the first cluster', async () => {
  await using world = await startWorld();
  const ids = new Map([
    ['orders', await readyService(world)],
    ['billing', await readyService(world, {}, 'billing')],
  ]);
  const pointer = (await world.service('orders'))?.metadata.annotations?.[annotations.ledger] ?? '';
  const objects = [await world.service('orders'), await world.service('billing')];
  await world.stopOperators();
  await changeEntries(world, objects, { clusterUid: 'production' });
  for (const name of ids.keys()) await loseObject(world, name);
  await world.apply(service('orders', {}, { [annotations.ledger]: pointer }), service('billing'));
  await world.startedOperator();
  for (const name of ids.keys()) await world.untilReason('service', name, 'OwnedElsewhere');
  for (const name of ids.keys()) await world.sync('service', name);
  expect(callsOf(world, 'createService')).toBe(2);
  await world.stopOperators();
  await world.startedOperator({
    settings: { options: { ...defaultOptions, acceptedClusters: ['production'] } },
  });
  for (const [name, id] of ids) {
    await world.untilReady('service', name);
    expect((await recordOf(world, await world.service(name))).id).toBe(id);
  }
  expect([callsOf(world, 'createService'), callsOf(world, 'updateServicePassword')]).toEqual([
    2, 0,
  ]);
});

test.concurrent('two objects with entries about a single service are not bound, and the deleted object leaves the service to the second', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await readyService(world, {}, 'twin');
  await whileStopped(world, async () =>
    changeEntries(world, [await world.service('twin')], { id }),
  );
  for (const name of ['orders', 'twin'])
    expect(await world.untilReason('service', name, 'NotBound')).toContain(
      `service ${id} belongs to`,
    );
  await world.remove('service', 'twin');
  await world.untilReady('service', 'orders');
  expect([
    callsOf(world, 'deleteService'),
    (await recordOf(world, await world.service('orders'))).id,
  ]).toEqual([0, id]);
});

test.concurrent('two objects with entries about one service that are deleted at once both leave it in the cloud', async () => {
  await using world = await startWorld({ settings: { workers: 1 } });
  const id = await readyService(world);
  await readyService(world, {}, 'twin');
  await whileStopped(world, async () =>
    changeEntries(world, [await world.service('twin')], { id }),
  );
  for (const name of ['orders', 'twin']) await world.untilReason('service', name, 'NotBound');
  await world.delete('service', 'orders');
  await world.delete('service', 'twin');
  for (const name of ['orders', 'twin']) await world.untilGone('service', name);
  expect(callsOf(world, 'deleteService')).toBe(0);
  expect(world.project.everCreated.find((each) => each.id === id)?.deletedAt).toBeUndefined();
});

test.concurrent('an object that is applied again asks about its retained service, and has its password and Secret once it adopts it', async () => {
  await using world = await startWorld();
  const id = await readyService(world, { deletionPolicy: 'Retain' });
  const [secret, entry] = [await world.secret('orders-db'), await world.entry('orders')];
  await world.remove('service', 'orders');
  await world.apply(service('orders'));
  expect(await world.untilReason('service', 'orders', 'NotBound')).toContain(id);
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/external-id': id } },
  });
  await world.untilReady('service', 'orders');
  expect([await world.secret('orders-db'), (await world.entry('orders'))?.data]).toEqual([
    secret,
    entry?.data,
  ]);
  expect([
    callsOf(world, 'createService'),
    callsOf(world, 'updateServicePassword'),
    (await world.service('orders'))?.status?.id,
  ]).toEqual([1, 0, id]);
});

test.concurrent.each([
  ['NotBound', (world: World) => dropEntry(world, 'orders'), 'managed-db.io/external-id='],
  [
    'OwnedElsewhere',
    async (world: World) =>
      changeEntries(world, [await world.service('orders')], { clusterUid: 'production' }),
    '--accept-objects-of-cluster production',
  ],
])(
  'the deletion of an object that is %s warns once, with the resource, its project and the command',
  async (reason, lose, command) => {
    await using world = await startWorld();
    const id = await readyService(world);
    await whileStopped(world, () => lose(world));
    await world.untilReason('service', 'orders', reason);
    await world.remove('service', 'orders');
    const message = await world.untilEvent('orders', 'Abandoned');
    expect(message).toContain(`service ${id} in project ${world.project.id} `);
    expect(message).toContain(command);
    const { stdout } = await world.kubectl([
      'get',
      'events',
      '--field-selector',
      'reason=Abandoned,type=Warning',
      '-o',
      'name',
    ]);
    expect([stdout.trim().split('\n').length, callsOf(world, 'deleteService')]).toEqual([1, 0]);
  },
);
