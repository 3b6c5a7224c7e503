import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { expect, inject, test } from 'vitest';
import { force } from '../../../src/simulator/store.ts';
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
  await follow(decided, await world.untilReason('service', 'orders', 'RecordConflict'));
  await until('the record', async () => recordOf(await world.service('orders')).id === decided);
  await world.untilReady('service', 'orders');
  expect([(await world.service('orders'))?.status?.id, world.project.everCreated.map(({ id, deletedAt }) => [id, deletedAt])]).toEqual([
    decided,
    [kept, own].map((id) => [id, undefined]),
  ]);
  expect(callsOf(world, 'deleteService')).toBe(0);
});

test.each(['what the create made', 'the third'] as const)(
  'where status names a third id while a recreation is open, and %s is right, the advice ends it',
  async (right) => {
    await using world = await startWorld({ start: false });
    const atSecondCreate = () => {
      world.project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
      world.project.faults.add({ kind: 'errorBefore', operation: 'listServices', status: 503 });
    };
    let creates = 0;
    await world.startOperator({
      intercept: (dispatch) => (options, handler) => {
        if (options.method === 'POST' && options.path.endsWith('/services') && ++creates === 2) atSecondCreate();
        return dispatch(options, handler);
      },
    });
    await world.createInCloud('services', { name: 'kept', cpu_millis: '1000', memory_gbs: '4' });
    const kept = world.project.everCreated[0]?.id ?? '';
    const lost = await readyService(world);
    force(world.project, { kind: 'service', id: lost, status: undefined });
    await world.untilReason('service', 'orders', 'Lost');
    await world.kubectl(['annotate', 'managedservice', 'orders', `managed-db.io/allow-recreate=${lost}`]);
    const made = await until('the create', () => world.project.everCreated[2]?.id);
    await world.untilReason('service', 'orders', 'ResolvingCreate');
    await patchStatus(world, { id: kept });
    const message = await world.untilReason('service', 'orders', 'RecordConflict');
    await follow(lost, message);
    world.project.faults.clear();
    await until('the record', async () => recordOf(await world.service('orders')).id === made);
    await world.untilReady('service', 'orders');
    const decided = right === 'the third' ? kept : made;
    if (decided === kept) {
      await follow(kept, message);
      await follow(kept, await world.untilReason('service', 'orders', 'RecordConflict'));
    }
    await until('the decided one', async () => recordOf(await world.service('orders')).id === decided);
    await world.untilReady('service', 'orders');
    expect([(await world.service('orders'))?.status?.id, world.project.everCreated.length, callsOf(world, 'deleteService')]).toEqual([
      decided,
      3,
      0,
    ]);
  },
);

test('the record of another object on a living one is a contradiction that says whose it is, keeps the object, and ends by its advice', async () => {
  await using world = await startWorld();
  const own = await readyService(world);
  const others = await readyService(world, {}, 'second');
  const { annotations } = (await world.service('second'))?.metadata ?? {};
  const record = annotations?.['managed-db.io/record'];
  expect(await world.kubectl(['annotate', '--overwrite', 'managedservice', 'orders', `managed-db.io/record=${record}`])).toMatchObject({
    code: 0,
  });
  const message = await world.untilReason('service', 'orders', 'RecordConflict');
  expect(message).toContain(`service ${others} belongs to ManagedService ${world.namespace}/second; `);
  await follow(own, message);
  await until('the record', async () => recordOf(await world.service('orders')).id === own);
  for (const name of ['orders', 'second']) await world.untilReady('service', name);
  expect(await world.kubectl(['annotate', '--overwrite', 'managedservice', 'orders', `managed-db.io/record=${record}`])).toMatchObject({
    code: 0,
  });
  await world.untilReason('service', 'orders', 'RecordConflict');
  await world.kubectl(['delete', '--wait=false', 'managedservice', 'orders']);
  await world.sync('service', 'orders');
  await world.untilReason('service', 'orders', 'RecordConflict');
  expect([recordOf(await world.service('second')).id, callsOf(world, 'deleteService'), world.project.everCreated.length]).toEqual([
    others,
    0,
    2,
  ]);
});

/** Runs a line of a message as a person would. @returns its exit code */
async function inShell(line: string): Promise<number | null> {
  const { kubectlPath, kubeconfigPath } = inject('controlPlane');
  const env = { ...process.env, KUBECONFIG: kubeconfigPath, PATH: `${dirname(kubectlPath)}:${process.env['PATH'] ?? ''}` };
  const child = spawn('sh', ['-c', line], { env });
  await once(child, 'close');
  return child.exitCode;
}

function patchStatus(world: World, status: object) {
  return world.kubectl(['patch', 'managedservice', 'orders', '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]);
}

/** Does what a message advises for one of the ids: what is said of that id, or else of all. Each line is run as it stands there. */
async function follow(id: string, message: string): Promise<void> {
  const parts = message.split('; ');
  const ofId = parts.filter((part) => part.includes(`if ${id} is right`));
  const advice = ofId.length > 0 ? ofId : parts.filter((part) => part.includes('is found out first'));
  const lines = advice.map((part) => /: (?<line>kubectl .*)$/u.exec(part)?.groups?.['line'] ?? 'false');
  expect(lines, `the message: ${message}`).not.toEqual([]);
  for (const line of lines) expect(await inShell(line)).toBe(0);
}
