import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { kubeconfigFor, kubeconfigText } from '../control-plane/kubeconfig.ts';
import { service } from '../support/manifests.ts';
import { operatorProcess } from '../support/operator-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { recordOf } from '../support/read-record.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';

/** A process with the operator's own rights, in the namespace of this test. */
async function startProcess(world: World, folder: string) {
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(
    kubeconfig,
    kubeconfigText(kubeconfigFor(inject('controlPlane'), { token: inject('operatorToken') })),
    { mode: 0o600 },
  );
  const settings = [
    '--cloud-url',
    world.simulator.url,
    '--namespaces',
    world.namespace,
    '--operator-credentials-namespaces',
    '*',
  ];
  return operatorProcess(
    [
      ...settings,
      '--kubeconfig',
      kubeconfig,
      '--leader-elect=false',
      '--health-address',
      '127.0.0.1:0',
      '--log-level',
      'trace',
    ],
    {
      MANAGED_DB_API_KEY: world.project.apiKey,
    },
  );
}

test('an operator that is killed between a POST and its answer restarts with one service and a working password', async () => {
  await using world = await startWorld({ start: false, speed: 1, latencyMs: 200 });
  await using folder = await temporaryFolder();
  world.project.faults.add({
    kind: 'delayReply',
    operation: 'createService',
    delayMs: 60_000,
    times: 1,
  });
  await world.apply(service('orders'));

  await using first = await startProcess(world, folder.path);
  await until(
    'the service in the cloud',
    () => world.project.commits.get('createService') === 1,
    () => [first.stdout(), first.stderr()],
  );
  first.kill('SIGKILL');
  expect(await first.ended).toBe('SIGKILL');
  expect(await world.secret('orders-db')).toBeUndefined();

  await using second = await startProcess(world, folder.path);
  await world.untilReady('service', 'orders');
  expect(world.project.everCreated.length).toBe(1);
  const id = (await world.service('orders'))?.status?.id;
  const secret = await world.secret('orders-db');
  expect(secret?.['password']).toBe(world.project.stores.service.get(id ?? '')?.password);
  expect(second.stdout() + second.stderr() + first.stdout()).not.toContain(secret?.['password']);
});

test('an operator that is stopped between a POST and its answer still stores the answer', async () => {
  await using world = await startWorld({ start: false, speed: 1, latencyMs: 200 });
  await using folder = await temporaryFolder();
  world.project.faults.add({
    kind: 'delayReply',
    operation: 'createService',
    delayMs: 1_500,
    times: 1,
  });
  await world.apply(service('orders'));
  await using operator = await startProcess(world, folder.path);
  await until(
    'the service in the cloud',
    () => world.project.commits.get('createService') === 1,
    () => operator.stdout(),
  );
  operator.kill('SIGTERM');
  expect(await operator.ended).toBe(0);
  const [created] = world.project.everCreated;
  expect((await world.secret('orders-db'))?.['password']).toBe(
    world.project.stores.service.get(created?.id ?? '')?.password,
  );
  expect((await recordOf(world, await world.service('orders'))).id).toBe(created?.id);
});

test('an operator that is stopped finishes its work and logs so', async () => {
  await using world = await startWorld({ start: false, speed: 1, latencyMs: 100 });
  await using folder = await temporaryFolder();
  await using operator = await startProcess(world, folder.path);
  await world.applyUntilReady(service('orders'));
  const askedAt = performance.now();
  operator.kill('SIGTERM');
  expect(await operator.ended).toBe(0);
  expect(performance.now() - askedAt).toBeLessThan(20_000);
  const last = operator.stdout().trim().split('\n').at(-1) ?? '';
  expect(JSON.parse(last)).toMatchObject({ level: 'info', msg: 'stopped' });
});
