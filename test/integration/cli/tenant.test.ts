import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { kubeconfigFor, kubeconfigText } from '../../control-plane/kubeconfig.ts';
import { serviceAccountToken } from '../../control-plane/kubectl.ts';
import { managedDb } from '../../support/managed-db.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWorld, type World } from '../../support/world.ts';

const service = (name: string, more: object = {}, labels: Record<string, string> = {}) => ({
  apiVersion: 'managed-db.io/v1alpha1',
  kind: 'ManagedService',
  metadata: { name, labels },
  spec: { cpuMillis: 1000, memoryGbs: 4, environment: 'DEV', ...more },
});

/** A ServiceAccount with these ClusterRoles in the namespace of the world. */
async function tenantOf(world: World, name: string, ...roles: readonly string[]) {
  const { namespace } = world;
  await world.kubectl(['create', 'serviceaccount', name]);
  for (const role of roles) {
    const subject = `--serviceaccount=${namespace}:${name}`;
    const bind = ['create', 'rolebinding', `${name}-${role}`, `--clusterrole=${role}`, subject];
    await world.kubectl(bind);
  }
  const folder = await temporaryFolder();
  const kubeconfig = join(folder.path, 'kubeconfig');
  const handle = inject('controlPlane');
  const token = await serviceAccountToken(handle, namespace, name);
  await writeFile(kubeconfig, kubeconfigText(kubeconfigFor(handle, { token })), { mode: 0o600 });
  return {
    run: (args: readonly string[], input?: object) =>
      managedDb(world, args, {
        kubeconfig,
        isScoped: false,
        ...(input && { input: JSON.stringify(input) }),
      }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test('a tenant plans and explains the objects of its namespace without the ledger and without kube-system', async () => {
  await using world = await startWorld();
  const { namespace } = world;
  await world.applyUntilReady(service('orders', { password: { rotation: 'first' } }));
  await using tenant = await tenantOf(world, 'alice', 'edit', 'managed-db-plan');
  const commits = [...world.project.commits];

  const all = await tenant.run(['plan', '-n', namespace]);
  expect([all.code, all.stdout]).toEqual([
    0,
    'Plan: 0 to create, 0 to change, 0 to delete, 1 unchanged.\n',
  ]);
  expect(all.stderr).toContain(
    'Note: you may not read the ledger, so this plan judges each object',
  );

  const size = { cpuMillis: 2000, memoryGbs: 8 };
  const items = [
    service('orders', { ...size, password: { rotation: 'second' } }),
    service('fresh'),
  ];
  const list = { apiVersion: 'v1', kind: 'List', items };
  const planned = await tenant.run(['plan', '-n', namespace, '-f', '-'], list);
  expect(planned.stdout).toContain('resize 1000m/4GB -> 2000m/8GB');
  expect(planned.stdout).toContain('set a new password');
  expect(planned.stdout).toContain('1 spec   create the service: 1000m/4GB');
  expect(planned.stdout).toContain('note: not if an earlier object of this name left its resource');
  expect(planned.stdout).toContain('Plan: 1 to create, 1 to change, 0 to delete, 0 unchanged.');
  expect(planned.code).toBe(2);

  const deleted = await tenant.run(['plan', '-n', namespace, '--delete', 'msvc/orders']);
  expect([deleted.code, deleted.stdout]).toEqual([2, expect.stringContaining('DELETES DATA')]);

  const why = await tenant.run(['why', '-n', namespace]);
  expect([why.code, why.stdout]).toEqual([0, expect.stringContaining('0 of 1 object')]);
  const one = await tenant.run(['why', 'msvc/orders', '-n', namespace]);
  expect([one.code, one.stderr]).toEqual([0, '']);
  expect([...world.project.commits]).toEqual(commits);

  // Without the ledger, the inventory claims nothing: a resource of an object would look unmanaged.
  const inventory = await tenant.run(['inventory', '-n', namespace]);
  expect([inventory.code, inventory.stdout]).toEqual([1, '']);
  expect(inventory.stderr).toContain('ask a cluster administrator for this right');

  const everywhere = await tenant.run(['plan', '-A']);
  expect([everywhere.code, everywhere.stderr]).toEqual([
    1,
    'Error: you may not list managedvpcs in all namespaces: give -n NAMESPACE instead of -A\n',
  ]);
}, 300_000);

test('a plan without the ledger does not claim to create a service whose create may be open', async () => {
  await using world = await startWorld();
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createService',
    status: 422,
    times: 99,
  });
  await world.apply(service('orders'));
  await world.untilReason('service', 'orders', 'Rejected');
  await using tenant = await tenantOf(world, 'alice', 'managed-db-plan');
  const { code, stdout, stderr } = await tenant.run(['plan', '-n', world.namespace]);
  expect(stdout).toContain('unknown: its ledger entry decides, and you may not read it');
  expect(stdout).toContain('Plan: 0 to create, 0 to change, 0 to delete, 0 unchanged, 1 unknown.');
  expect(stderr).toContain('Error: msvc/orders');
  expect(code).toBe(1);
});

test('without the role, plan and why name the missing right and the command that grants it', async () => {
  await using world = await startWorld({ start: false });
  const { namespace } = world;
  await using stranger = await tenantOf(world, 'bob');
  const line = `Error: you may not list managedvpcs in namespace ${namespace}; an administrator grants it: kubectl create rolebinding managed-db-plan -n ${namespace} --clusterrole=managed-db-plan --user=NAME\n`;
  for (const args of [
    ['plan', '-n', namespace],
    ['plan', 'msvc/orders', '-n', namespace],
    ['why', '-n', namespace],
    ['why', 'msvc/orders', '-n', namespace],
  ]) {
    const { code, stdout, stderr } = await stranger.run(args);
    expect([code, stdout, stderr]).toEqual([1, '', line]);
  }
}, 180_000);

test('a plan with --prune shows the objects with the labels that no manifest contains as deletions', async () => {
  await using world = await startWorld();
  const shop = { app: 'shop' };
  await world.applyUntilReady(service('orders', {}, shop));
  await world.applyUntilReady(service('renamed', {}, shop));
  await world.applyUntilReady(service('other', {}, { app: 'other' }));
  const args = ['plan', '-n', world.namespace, '-f', '-', '--fail-on', 'destructive'];
  const run = (...more: readonly string[]) =>
    managedDb(world, [...args, ...more], { input: JSON.stringify(service('orders', {}, shop)) });
  expect(await run()).toMatchObject({ code: 0 });
  const { code, stdout } = await run('--prune', '-l', 'app=shop');
  expect(stdout).toContain('- msvc/renamed');
  expect(stdout).toContain('delete the service with its data  ! DELETES DATA');
  expect(stdout).toContain('Plan: 0 to create, 0 to change, 1 to delete, 1 unchanged.');
  expect(stdout).toContain('Impact: 1 x DELETES DATA.');
  expect(code).toBe(2);
});
