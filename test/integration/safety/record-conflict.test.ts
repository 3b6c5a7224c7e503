import { expect, test } from 'vitest';
import { callsOf } from '../../support/cloud-calls.ts';
import { service } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** The advice of RecordConflict, followed to the letter, ends it. (docs/safety.md, What an object knows) */

const places = {
  'status, edited while the operator runs,': async (world: World, kept: string) => {
    const own = await readyService(world);
    await patchStatus(world, { id: kept });
    return own;
  },
  'a status that was restored while a create was open': async (world: World, kept: string) => {
    world.project.faults.add({ kind: 'errorBefore', operation: 'listServices', status: 503 });
    world.project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
    await world.apply(service('orders'));
    const own = await until('the create', () => world.project.everCreated[1]?.id);
    await world.untilReason('service', 'orders', 'ResolvingCreate');
    await world.stopOperators();
    await patchStatus(world, { id: kept, projectId: world.project.id });
    world.project.faults.clear();
    await world.startOperator();
    return own;
  },
  'the connection Secret': async (world: World, kept: string) => {
    const own = await readyService(world);
    await world.kubectl(['annotate', '--overwrite', 'secret', 'orders-db', `managed-db.io/id=${kept}`]);
    return own;
  },
} as const;

test.each(
  Object.entries(places).flatMap(([place, contradict]) =>
    (['the record', 'the other'] as const).map((right) => ({ place, contradict, right })),
  ),
)('where $place says another id than the record, and $right is right, the advice ends it', async ({ contradict, right }) => {
  await using world = await startWorld();
  await world.createInCloud('services', { name: 'kept', cpu_millis: '1000', memory_gbs: '4' });
  const kept = world.project.everCreated[0]?.id ?? '';
  const own = await contradict(world, kept);
  const decided = right === 'the record' ? own : kept;
  for (const command of commandsFor(decided, await world.untilReason('service', 'orders', 'RecordConflict'))) {
    expect(await world.kubectl(command)).toMatchObject({ code: 0 });
  }
  await until('the record', async () => recordOf(await world.service('orders')).id === decided);
  await world.untilReady('service', 'orders');
  expect([(await world.service('orders'))?.status?.id, world.project.everCreated.map(({ id, deletedAt }) => [id, deletedAt])]).toEqual([
    decided,
    [kept, own].map((id) => [id, undefined]),
  ]);
  expect(callsOf(world, 'deleteService')).toBe(0);
});

function patchStatus(world: World, status: object) {
  return world.kubectl(['patch', 'managedservice', 'orders', '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]);
}

/** The arguments of the commands that a message advises for one of the ids. */
function commandsFor(id: string, message: string): readonly (readonly string[])[] {
  const advice = message.slice(message.indexOf(`if ${id} is right: `)).split('; ')[0] ?? '';
  return [...advice.matchAll(/kubectl (.*?)(?= \(needs| and kubectl|$)/gu)].map(([, words = '']) =>
    [...words.matchAll(/'[^']*'|\S+/gu)].map(([word]) => word.replaceAll("'", '')),
  );
}
