import { expect, test } from 'vitest';
import { annotations, cloudResourceFinalizer } from '../../../src/resources/annotations.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { entriesOf } from '../../support/entries-of.ts';
import { dropEntry } from '../../support/ledger.ts';
import { replicaSet, service, vpc } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { replace } from '../../support/replace.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Who loses or forges what binds an object to its resource creates nothing and deletes nothing. (docs/safety.md, The ledger) */

test('objects that were replaced after the ledger lost their entries create nothing, and say which resource each had', async () => {
  await using world = await startWorld();
  const kinds = ['vpc', 'service', 'replicaSet'] as const;
  const manifests = [vpc('orders'), service('orders'), replicaSet('orders', 'orders', { connectionSecret: { name: 'reads' } })];
  for (const manifest of manifests) await world.applyUntilReady(manifest);
  const ids = new Map<string, string>();
  for (const kind of kinds) ids.set(kind, (await recordOf(world, await world[kind]('orders'))).id ?? 'none');
  await whileStopped(world, async () => {
    for (const { metadata } of await entriesOf(world)) await dropEntry(world, metadata);
    for (const manifest of manifests) await replace(world, manifest);
  });
  for (const kind of kinds) expect(await world.untilReason(kind, 'orders', 'NotBound')).toContain(ids.get(kind));
  for (const kind of kinds) await world.sync(kind, 'orders');
  expect([world.project.everCreated.length, callsOf(world, 'updateServicePassword'), await entriesOf(world)]).toEqual([3, 0, []]);
});

/** A copy of `orders` by an administrator, with its annotations and finalizer. */
async function copy(world: World): Promise<void> {
  const pointer = (await world.service('orders'))?.metadata.annotations?.[annotations.ledger] ?? '';
  const made = service('copy', {}, { [annotations.ledger]: pointer });
  await world.apply({ ...made, metadata: { ...made.metadata, finalizers: [cloudResourceFinalizer] } });
}

test.each([
  ['while its original lives', false],
  ['after its original was retained and deleted', true],
])('a copy with the annotations of another object is not bound, and its deletion deletes nothing, %s', async (_, isRetained) => {
  await using world = await startWorld();
  const id = await readyService(world, { deletionPolicy: 'Retain' });
  await copy(world);
  await world.untilReason('service', 'copy', 'NotBound');
  if (isRetained) await world.remove('service', 'orders');
  await world.sync('service', 'copy');
  await world.untilReason('service', 'copy', 'NotBound');
  await world.remove('service', 'copy');
  expect([callsOf(world, 'deleteService'), callsOf(world, 'createService')]).toEqual([0, 1]);
  expect((await entriesOf(world)).map(({ content }) => content?.id)).toEqual([id]);
});
