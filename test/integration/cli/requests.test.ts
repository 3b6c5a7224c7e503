import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { managedDb } from '../../support/managed-db.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWorld } from '../../support/world.ts';

const service = {
  apiVersion: 'managed-db.io/v1alpha1',
  kind: 'ManagedService',
  metadata: { name: 'orders' },
  spec: { cpuMillis: 1000, memoryGbs: 4 },
};

const named = (name: string, more: object = {}) => ({
  ...service,
  metadata: { name },
  spec: { ...service.spec, name, ...more },
});

const listed = z.object({
  items: z.array(
    z.object({
      relation: z.string(),
      resource: z.object({ id: z.string(), name: z.string().optional(), projectId: z.string() }),
    }),
  ),
});

test('suspend and resume wait for the answer of the operator, and sync has it look again', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(service);
  const run = async (request: string) => {
    const { code, stdout } = await managedDb(world, [
      request,
      'msvc/orders',
      '-n',
      world.namespace,
      '--timeout',
      '20',
    ]);
    return [code, stdout];
  };
  expect(await run('suspend')).toEqual([0, expect.stringContaining('Suspended')]);
  expect(await world.service('orders')).toMatchObject({ spec: { suspend: true } });
  expect(await run('resume')).toEqual([0, expect.stringContaining('Available')]);
  const lists = world.project.calls.get('listServices') ?? 0;
  expect(await run('sync')).toEqual([0, expect.stringContaining('Available')]);
  expect(world.project.calls.get('listServices')).toBeGreaterThan(lists);
});

test('a request that no operator answers ends with an error after the time limit', async () => {
  await using world = await startWorld({ start: false });
  await world.apply(service);
  const ended = await managedDb(world, [
    'sync',
    'msvc/orders',
    '-n',
    world.namespace,
    '--timeout',
    '1',
  ]);
  expect([ended.code, ended.stdout, ended.stderr]).toEqual([
    1,
    '',
    expect.stringContaining('the operator did not answer in 1 s'),
  ]);
});

test('the inventory distinguishes resources that the cluster manages, does not manage, retains or has lost', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(named('orders'));
  await world.applyUntilReady(named('kept', { deletionPolicy: 'Retain' }));
  await world.applyUntilReady(named('gone'));
  await world.remove('service', 'kept');
  await world.createInCloud('services', { name: 'by-hand' });
  const id = (await world.service('gone'))?.status?.id ?? '';
  world.project.stores.service.delete(id);
  const { stdout, code } = await managedDb(world, ['inventory', '-o', 'json']);
  expect(code).toBe(0);
  const { items } = listed.parse(JSON.parse(stdout));
  const own = items.filter(({ resource }) => resource.projectId === world.project.id);
  expect(own.map(({ relation, resource }) => [relation, resource.name ?? resource.id])).toEqual([
    ['unmanaged', 'by-hand'],
    ['lost', id],
    ['retained', 'kept'],
    ['managed', 'orders'],
  ]);
});

test('the inventory names the object whose open create may have made a service, and import leaves the service out', async () => {
  await using world = await startWorld();
  world.project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
  await world.apply(named('chosen'));
  await world.untilReason('service', 'chosen', 'ResolvingCreate');
  const { stdout, code } = await managedDb(world, ['inventory']);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^claimed +msvc +\S+ +chosen +.*\/chosen$/mu),
  ]);
  expect(stdout).not.toContain('unmanaged');

  await using folder = await temporaryFolder();
  const out = join(folder.path, 'out');
  const place = ['-n', world.namespace, '--output-dir', out];
  const imported = await managedDb(world, ['import', ...place]);
  const [id] = world.project.stores.service.keys();
  expect(imported).toEqual({
    code: 1,
    stdout: '',
    stderr: `Error: msvc ${id}: not imported: msvc/chosen -n ${world.namespace} may own it: its open create may have made the resource; the status of the object, or of a new object of its name, says the next action\n`,
  });
  expect(await readdir(out)).toEqual([]);
});

test.for([
  [['plan'], /nothing to plan/u],
  [['plan', 'orders'], /"orders": must be KIND\/NAME/u],
  [['plan', 'msvcs/orders'], /"msvcs": is no kind of the operator \(mvpc, msvc, rrset\)/u],
  [['why'], /no object: give KIND\/NAME, -n NAMESPACE/u],
  [['sync', 'msvc/orders', '--timeout', 'soon'], /must be a time such as 10s or 2m/u],
  [['why', '-n', 'nowhere'], /namespace nowhere does not exist: check -n NAMESPACE/u],
  [['plan', '-n', 'nowhere'], /namespace nowhere does not exist: check -n NAMESPACE/u],
  [['approve', '-n', 'nowhere'], /namespace nowhere does not exist: check -n NAMESPACE/u],
  [['inventory', '-n', 'nowhere'], /namespace nowhere does not exist: check -n NAMESPACE/u],
  [['why', 'msvc/nope'], /msvc\/nope .*: not found/u],
  [['plan', '--delete', 'msvc/nope'], /msvc\/nope .*: not found/u],
  [['import', '--output-dir', '/'], /is not empty/u],
  [['plan', '-f', '/no/such/file.yaml'], /does not exist/u],
] as const)('%s ends with exit code 1 and a line that says what to do', async ([args, line]) => {
  await using world = await startWorld({ start: false });
  const { code, stdout, stderr } = await managedDb(world, args);
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(line)]);
});

test('a plan of a manifest in a namespace that the operator does not look after says so', async () => {
  await using world = await startWorld({ start: false });
  const manifest = { ...service, metadata: { name: 'orders', namespace: 'default' } };
  const { code, stderr } = await managedDb(world, ['plan', '-f', '-'], {
    input: JSON.stringify(manifest),
  });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('namespace default: the operator does not look after it'),
  ]);
});

test('a plan with a key that the cloud refuses is an error, since the cloud was not read', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(service);
  const refused = { ...world, project: { ...world.project, apiKey: 'refused' } };
  const { code, stderr } = await managedDb(refused, ['plan', 'msvc/orders', '-n', world.namespace]);
  const line =
    'the cloud was not read: the cloud does not accept the key of your variable MANAGED_DB_API_KEY: correct it';
  expect([code, stderr.replaceAll(/\n +/gu, ' ')]).toEqual([1, expect.stringContaining(line)]);
});

test('a plan of a server-side apply removes a field that leaves the manifest of its manager', async () => {
  await using world = await startWorld();
  const pooled = { ...service, spec: { ...service.spec, powerState: 'Stopped' } };
  const apply = ['apply', '--server-side', '--field-manager=flux', '-f', '-'];
  await world.kubectl(
    apply,
    JSON.stringify({
      ...service,
      spec: { ...service.spec, environment: 'DEV', connectionSecret: { name: 'orders-app' } },
    }),
  );
  await world.untilSynced('service', 'orders');
  const args = [
    'plan',
    '-n',
    world.namespace,
    '-f',
    '-',
    '--server-side',
    '--field-manager',
    'flux',
  ];
  const { code, stdout } = await managedDb(world, args, { input: JSON.stringify(pooled) });
  expect([code, stdout]).toEqual([
    2,
    expect.stringContaining('remove the connection Secret orders-app'),
  ]);
});

test('a plan reports each refused manifest, plans the others, and ends with exit code 1', async () => {
  await using world = await startWorld({ start: false });
  const specified = (name: string, spec: object) => ({ ...service, metadata: { name }, spec });
  const items = [
    specified('good', service.spec),
    specified('bad', { ...service.spec, environment: 'STAGING' }),
    specified('better', service.spec),
  ];
  const args = ['plan', '-n', world.namespace, '-f', '-'];
  // Without the first mark, kubectl 1.31 takes the input for JSON alone.
  const input = items.map((each) => `---\n${JSON.stringify(each)}\n`).join('');
  const { code, stdout, stderr } = await managedDb(world, args, { input });
  expect(stdout).toContain('Plan: 2 to create, 0 to change');
  expect(stderr).toContain('Error: ManagedService bad is not in this plan');
  expect(stderr).toContain('Unsupported value: "STAGING"');
  expect(code).toBe(1);
});
