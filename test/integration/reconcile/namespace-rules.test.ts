import { streamsLists } from '../../support/older-kubernetes.ts';
import type { Dispatcher } from 'undici';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import * as z from 'zod';
import { syncedOf } from '../../../src/resources/condition.ts';
import { resourceKey, type ResourceType } from '../../../src/runtime/index.ts';
import { closedWindow } from '../../support/closed-window.ts';
import { managedDb } from '../../support/managed-db.ts';
import { replicaSet, service } from '../../support/manifests.ts';
import { kubeconfigFor, kubeconfigText } from '../../control-plane/kubeconfig.ts';
import { serviceAccountToken } from '../../control-plane/kubectl.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { startWorld, worldTypes, type World } from '../../support/world.ts';
import { accountWith } from '../../attack/rights/account.ts';
import { operatorGrants, type Grant } from '../../attack/rights/grants.ts';

const windows = 'managed-db.io/change-windows';
const approval = 'managed-db.io/change-approval';
const namespaces: ResourceType<unknown> = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  parse: (value) => value,
};

/** Sets annotations of the world's Namespace; null removes an annotation. */
function annotate(world: World, annotations: Readonly<Record<string, string | null>>) {
  const key = resourceKey(undefined, world.namespace);
  return world.kubernetes.patch(namespaces, key, { metadata: { annotations } });
}

/** The kubeconfig of a ServiceAccount. */
async function kubeconfigOf(namespace: string, name: string) {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'kubeconfig');
  const handle = inject('controlPlane');
  const token = await serviceAccountToken(handle, namespace, name);
  await writeFile(path, kubeconfigText(kubeconfigFor(handle, { token })), { mode: 0o600 });
  return { path, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const visit = z.object({ object: z.string(), facts: z.object({ rules: z.unknown() }) });

/** The objects whose visits read these rules, from this line of the log on. */
function visitedWith(world: World, text: string, from = 0): ReadonlySet<string> {
  const lines = world.log.slice(from).filter((line) => line.includes(text));
  return new Set(
    lines.flatMap((line) => {
      const parsed = visit.safeParse(JSON.parse(line));
      const isRead = parsed.success && JSON.stringify(parsed.data.facts.rules).includes(text);
      return isRead ? [parsed.data.object] : [];
    }),
  );
}

test('a window of the Namespace holds a resize, an unreadable window and a missing approval hold it with the reason, and without a rule it starts', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(service('orders'));
  const window = closedWindow(world);
  await annotate(world, { [windows]: window });
  await until('a visit with the window', () => visitedWith(world, window).size === 1);
  await world.patch('service', 'orders', { spec: { cpuMillis: 2000, memoryGbs: 8 } });
  expect(await world.untilReason('service', 'orders', 'WaitingForWindow')).toContain(
    'resizeService 1000m/4GB -> 2000m/8GB',
  );
  await annotate(world, { [windows]: 'Sat 25:00-26:00 UTC' });
  await until('the reason', async () =>
    syncedOf((await world.service('orders')) ?? {})?.message.includes(
      `${windows} of Namespace ${world.namespace}: "Sat 25:00-26:00 UTC"`,
    ),
  );
  await annotate(world, { [windows]: null, [approval]: 'Required' });
  expect(await world.untilReason('service', 'orders', 'WaitingForApproval')).toContain(
    'resizeService 1000m/4GB -> 2000m/8GB',
  );
  expect(world.project.calls.get('resizeService')).toBeUndefined();
  await annotate(world, { [approval]: null });
  await world.untilSynced('service', 'orders');
  expect(world.project.commits.get('resizeService')).toBe(1);
});

test('a person approves a held resize with the command; the operator removes the approval, and drift asks again', async () => {
  await using world = await startWorld();
  const { namespace } = world;
  await world.applyUntilReady(service('orders', { deletionProtection: false }));
  await annotate(world, { [approval]: 'Required' });
  await until('a visit with the rule', () => visitedWith(world, 'Required').size === 1);
  await world.patch('service', 'orders', { spec: { cpuMillis: 2000, memoryGbs: 8 } });
  const command = `managed-db approve msvc/orders -n ${namespace}`;
  expect(await world.untilReason('service', 'orders', 'WaitingForApproval')).toContain(
    `resizeService 1000m/4GB -> 2000m/8GB waits for an approval: ${command}`,
  );
  const approve = ['approve', 'msvc/orders', '-n', namespace];
  expect(await managedDb(world, approve)).toMatchObject({
    code: 1,
    stdout: `msvc/orders -n ${namespace}: resizeService 1000m/4GB -> 2000m/8GB\n`,
    stderr: expect.stringContaining('add --yes') as unknown,
  });
  expect(await managedDb(world, [...approve, '-l', 'team=shop'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(
      '-l and -A select objects by themselves: remove KIND/NAME and -f FILE',
    ) as unknown,
  });
  await world.kubectl(['create', 'serviceaccount', 'alice']);
  const subject = `--serviceaccount=${namespace}:alice`;
  await world.kubectl(['create', 'rolebinding', 'alice', '--clusterrole=edit', subject]);
  await using alice = await kubeconfigOf(namespace, 'alice');
  const refused = await managedDb(world, [...approve, '--yes'], { kubeconfig: alice.path });
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('you lack the verb approve; an administrator') as unknown,
  });
  expect(world.project.calls.get('resizeService')).toBeUndefined();
  expect(await managedDb(world, [...approve, '--yes'])).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining(`msvc/orders -n ${namespace}: approved\n`) as unknown,
  });
  await world.untilSynced('service', 'orders');
  expect(world.project.commits.get('resizeService')).toBe(1);
  const annotations = (await world.service('orders'))?.metadata.annotations ?? {};
  expect(Object.keys(annotations)).not.toContain('approval.managed-db.io/resizeService');
  const id = (await world.service('orders'))?.status?.id ?? '';
  await world.createInCloud(`services/${id}/resize`, { cpu_millis: '1000', memory_gbs: '4' });
  await world.untilReason('service', 'orders', 'WaitingForApproval');
  expect(await managedDb(world, ['approve', '-n', namespace, '--revoke'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('no approval is there') as unknown,
  });
}, 120_000);

test('a GitOps tool that writes a used approval again causes a single removal, and no loop', async () => {
  // The resize takes long enough for several removals.
  await using world = await startWorld({ latencyMs: 180_000 });
  await world.applyUntilReady(service('orders', { deletionProtection: false }));
  await annotate(world, { [approval]: 'Required' });
  await until('a visit with the rule', () => visitedWith(world, 'Required').size === 1);
  await world.patch('service', 'orders', { spec: { cpuMillis: 2000, memoryGbs: 8 } });
  await world.untilReason('service', 'orders', 'WaitingForApproval');
  const name = 'approval.managed-db.io/resizeService';
  const annotations = { [name]: '1000m/4GB -> 2000m/8GB' };
  let writes = 0;
  await until('the resize', async () => {
    const object = await world.service('orders');
    if (object?.metadata.annotations?.[name] === undefined) {
      writes += 1;
      await world.patch('service', 'orders', { metadata: { annotations } });
    }
    return object?.status?.size === '2000m/8GB' && syncedOf(object)?.status === 'True';
  });
  expect(writes).toBeLessThanOrEqual(2);
  expect(world.project.commits.get('resizeService')).toBe(1);
}, 120_000);

test('changeWindows: a closed window holds a resize; when the field is removed, the resize is made', async () => {
  await using world = await startWorld();
  const changeWindows = [closedWindow(world)];
  await world.apply(
    service('orders', { changeWindows }),
    replicaSet('reads', 'orders', { changeWindows }),
  );
  await world.untilReady('replicaSet', 'reads');
  const larger = { spec: { cpuMillis: 2000, memoryGbs: 8 } };
  await world.patch('service', 'orders', larger);
  await world.patch('replicaSet', 'reads', larger);
  await world.untilReason('service', 'orders', 'WaitingForWindow');
  await world.untilReason('replicaSet', 'reads', 'WaitingForWindow');
  expect(world.project.calls.get('resizeService')).toBeUndefined();
  const withoutField = { spec: { changeWindows: null } };
  await world.patch('service', 'orders', withoutField);
  await world.untilSynced('service', 'orders');
  await world.patch('replicaSet', 'reads', withoutField);
  await world.untilSynced('replicaSet', 'reads');
});

test('a rule for two hundred imported databases writes to no object and calls the cloud for none', async () => {
  await using world = await startWorld({ ...sharedProject, speed: 20 });
  const names = Array.from({ length: 200 }, (_, nth) => `legacy-${nth}`);
  for (const name of names)
    await world.createInCloud('services', { name, cpu_millis: '1000', memory_gbs: '4' });
  for (const [nth, name] of names.entries()) {
    const id = world.project.everCreated[nth]?.id ?? '';
    await world.apply(service(name, {}, { 'managed-db.io/external-id': id }));
  }
  const { namespace } = world;
  const all = async () => (await world.kubernetes.list(worldTypes.service, { namespace })).items;
  const versions = async () => (await all()).map(({ metadata }) => metadata.resourceVersion);
  await until(
    'all of them to be imported',
    async () => (await all()).every((each) => syncedOf(each)?.reason === 'Available'),
    async () => (await all()).map((each) => syncedOf(each)?.reason),
  );
  // Some statuses may still be in flight when the last object is imported.
  let before = await versions();
  await until('the last writes', async () => {
    const now = await versions();
    const isSame = now.join() === before.join();
    before = now;
    return isSame;
  });
  const commits = JSON.stringify([...world.project.commits]);
  const calls = new Map(world.project.calls);
  const begun = world.log.length;
  const window = closedWindow(world);
  await annotate(world, { [windows]: window });
  await until(
    'a visit of each',
    () => visitedWith(world, window, begun).size === 200,
    () => visitedWith(world, window, begun).size,
  );
  expect(await versions()).toEqual(before);
  expect(JSON.stringify([...world.project.commits])).toBe(commits);
  const others = [...world.project.calls].filter(
    ([operation, count]) => !operation.startsWith('list') && count !== calls.get(operation),
  );
  expect(others).toEqual([]);
  const lists = (world.project.calls.get('listServices') ?? 0) - (calls.get('listServices') ?? 0);
  expect(lists).toBeLessThan(10);
}, 240_000);

const right = (verb: string, name: string): Grant => ({
  role: 'ClusterRole',
  group: '',
  resource: 'namespaces',
  verb,
  name,
});

// An API server that cannot stream its lists gets a LIST, too.
test.runIf(streamsLists)(
  'an operator for a single namespace needs a right to that Namespace alone, and asks for its rules in two requests',
  async () => {
    await using world = await startWorld({ start: false });
    const { namespace } = world;
    const token = await accountWith(
      world,
      [
        ...(await operatorGrants()).filter(({ resource }) => resource !== 'namespaces'),
        right('get', 'kube-system'),
        ...['get', 'list', 'watch'].map((verb) => right(verb, namespace)),
      ],
      undefined,
    );
    const asked: string[] = [];
    const intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
      if (options.path === '/api/v1/namespaces') {
        const { fieldSelector, watch } = options.query ?? {};
        asked.push(`${watch === undefined ? 'list' : 'watch'} ${String(fieldSelector)}`);
      }
      return dispatch(options, handler);
    };
    const leaderElection = {
      name: 'managed-db-operator',
      namespace,
      identity: 'first',
      leaseDurationMs: 60_000,
      renewDeadlineMs: 40_000,
      retryPeriodMs: 20_000,
    };
    const settings = { leaderElection };
    const operator = await world.startOperator({ token, settings, intercept });
    await operator.started;
    await world.applyUntilReady(service('orders'));
    const window = closedWindow(world);
    await annotate(world, { [windows]: window });
    await until('a visit with the window', () => visitedWith(world, window).size === 1);
    expect(asked.toSorted()).toEqual([
      `list metadata.name=${namespace}`,
      `watch metadata.name=${namespace}`,
    ]);
  },
);
