import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { secretsWithData } from '../../src/resources/connection-secret.ts';
import { managedServices } from '../../src/resources/managed-service.ts';
import { resourceKey } from '../../src/runtime/index.ts';
import { kubeconfigFor, kubeconfigText } from '../control-plane/kubeconfig.ts';
import { inParallel } from '../support/in-parallel.ts';
import { service } from '../support/manifests.ts';
import { operatorProcess, type OperatorProcess } from '../support/operator-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWorld, type World } from '../support/world.ts';
import { scale } from './scale.ts';

/** Much at once. Heavy, and only true when nothing else runs: `npm run test:attack -- --load 100 load`; the number is a percentage of the sizes below. */

const part = (scale.load ?? 0) / 100;
const many = (count: number) => Math.max(Math.round(count * part), 1);
const onlyWhenAsked = { skip: scale.load === undefined, timeout: 1_800_000 };
const atOnce = 24;
const build = fileURLToPath(new URL('../../scripts/build.ts', import.meta.url));
/** The memory limit of the container in the chart (resources.limits.memory). */
const memoryLimitMiB = 256;
/** The part of it that the image gives to the heap of V8. */
const heapMiB = Math.floor(memoryLimitMiB * 0.6);

/** The operator as in the image, in its own process. */
async function startBundle(
  world: World,
  folder: string,
  namespaces: readonly string[],
  ...settings: readonly string[]
): Promise<OperatorProcess> {
  await promisify(execFile)(process.execPath, [build, folder]);
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(
    kubeconfig,
    kubeconfigText(kubeconfigFor(inject('controlPlane'), { token: inject('operatorToken') })),
    { mode: 0o600 },
  );
  const where = [
    '--cloud-url',
    world.simulator.url,
    '--namespaces',
    namespaces.join(','),
    '--operator-credentials-namespaces',
    '*',
  ];
  return operatorProcess(
    [
      ...where,
      '--kubeconfig',
      kubeconfig,
      '--leader-elect=false',
      '--health-address',
      '127.0.0.1:0',
      ...settings,
    ],
    {
      MANAGED_DB_API_KEY: world.project.apiKey,
      NODE_OPTIONS: `--max-old-space-size=${heapMiB} --max-semi-space-size=4`,
    },
    join(folder, 'main.js'),
  );
}

/** The peak memory and the present memory of the process. */
async function memoryOf({
  pid,
}: OperatorProcess): Promise<{ readonly mostMiB: number; readonly nowMiB: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const inMiB = (field: string) =>
    Number(new RegExp(`${field}:\\s+(\\d+) kB`, 'u').exec(status)?.[1] ?? Number.NaN) / 1_024;
  return { mostMiB: Math.round(inMiB('VmHWM')), nowMiB: Math.round(inMiB('VmRSS')) };
}

const listsOf = (world: World) =>
  [...world.project.calls]
    .filter(([name]) => name.startsWith('list'))
    .reduce((sum, [, count]) => sum + count, 0);

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const secretOf = (name: string, labels: Readonly<Record<string, string>>, value: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, labels },
  stringData: { apiKey: value },
});

async function within(
  what: string,
  seconds: number,
  isSo: () => Promise<boolean>,
  describe: () => unknown,
): Promise<number> {
  const begun = performance.now();
  while (!(await isSo())) {
    if (performance.now() - begun > seconds * 1_000)
      throw new Error(`${what}: not within ${seconds} s: ${JSON.stringify(await describe())}`);
    await promisify(setTimeout)(200);
  }
  return (performance.now() - begun) / 1_000;
}

test(
  'services that are deleted all at once are gone as soon as they were made, and cost few lists',
  onlyWhenAsked,
  async () => {
    await using world = await startWorld({
      start: false,
      speed: 1,
      latencyMs: 1_000,
      deleteLatencyMs: 0,
    });
    await using folder = await temporaryFolder();
    await using operator = await startBundle(
      world,
      folder.path,
      [world.namespace],
      '--rate-limit',
      '100000',
      '--rate-burst',
      '100000',
      '--log-level',
      'warn',
    );
    const count = many(1_000);
    const names = Array.from({ length: count }, (_, index) => `orders-${index}`);
    const all = async () =>
      (await world.kubernetes.list(managedServices, { namespace: world.namespace })).items;
    // A poll must cost the API server less than the work.
    const isEmpty = async () =>
      (await world.kubernetes.list(managedServices, { namespace: world.namespace, limit: 1 })).items
        .length === 0;
    const states = async () => {
      const told = (await all()).map(({ status }) =>
        status?.conditions?.find(({ type }) => type === 'Synced'),
      );
      return Object.entries(
        Object.groupBy(
          told,
          (each) => `${each?.reason}: ${each?.message.replaceAll(/[a-z0-9]{10}/gu, '*')}`,
        ),
      ).map(([words, group]) => [words, group?.length]);
    };
    const begun = performance.now();
    await inParallel(names, atOnce, (name) => world.apply(service(name)));
    await within(
      'all ready',
      600,
      async () =>
        (await all()).every(({ status }) =>
          status?.conditions?.some(({ type, status: is }) => type === 'Synced' && is === 'True'),
        ),
      states,
    );
    const createSeconds = (performance.now() - begun) / 1_000;

    const listsBefore = listsOf(world);
    const getsBefore = world.project.calls.get('getService') ?? 0;
    const deletedAt = performance.now();
    await world.kubectl([
      'delete',
      '--raw',
      `/apis/managed-db.io/v1alpha1/namespaces/${world.namespace}/managedservices`,
    ]);
    const requestSeconds = (performance.now() - deletedAt) / 1_000;
    await within('all gone', 600, isEmpty, states);
    const deleteSeconds = (performance.now() - deletedAt) / 1_000;
    const lists = (listsOf(world) - listsBefore) / deleteSeconds;
    const gets = (world.project.calls.get('getService') ?? 0) - getsBefore;
    const memory = await memoryOf(operator);
    console.log({
      count,
      createSeconds,
      requestSeconds,
      deleteSeconds,
      listsPerSecond: lists,
      gets,
      memory,
    });
    expect(world.project.everCreated.filter(({ deletedAt: at }) => at === undefined)).toEqual([]);
    expect(operator.stdout()).not.toContain('UnexpectedReply');
    expect.soft(lists).toBeLessThanOrEqual(3);
    expect.soft(deleteSeconds).toBeLessThanOrEqual(createSeconds);
  },
);

test(
  'what one tenant piles up keeps no other waiting, and the process within its memory',
  onlyWhenAsked,
  async () => {
    await using world = await startWorld({ start: false, speed: 1, latencyMs: 1_000 });
    await using crowd = await startWorld({ start: false, speed: 1 });
    await using folder = await temporaryFolder();
    await using operator = await startBundle(
      world,
      folder.path,
      [world.namespace, crowd.namespace],
      '--log-level',
      'warn',
    );
    await world.applyUntilReady(service('orders'));
    const idle = await memoryOf(operator);

    const big = 'x'.repeat(900_000);
    const put = (body: object) => crowd.kubernetes.create(secretsWithData, crowd.namespace, body);
    await inParallel(numbers(many(300)), 4, (index) =>
      put(secretOf(`big-${index}`, { 'managed-db.io/connection': 'true' }, big)),
    );
    await inParallel(numbers(many(300)), atOnce, (index) =>
      put(secretOf(`key-${index}`, {}, `wrong-key-${index}`)),
    );
    // The objects name a wrong key, a missing VPC or a refused region; none of them can become Ready.
    world.project.faults.add({
      kind: 'errorBefore',
      operation: 'createService',
      status: 400,
      body: { message: 'no such region' },
    });
    const hopeless = (index: number) =>
      [
        service(`none-${index}`, { credentialsRef: { name: `key-${index % many(300)}` } }),
        service(`none-${index}`, { vpcRef: { name: 'nowhere' } }),
        service(`none-${index}`, { regionCode: 'nowhere' }),
      ][index % 3] ?? service(`none-${index}`);
    await inParallel(numbers(many(2_000)), atOnce, (index) => crowd.apply(hopeless(index)));
    const piled = await memoryOf(operator);

    const seconds: number[] = [];
    for (const cpuMillis of [2000, 3000, 4000, 5000, 6000]) {
      const before = world.project.calls.get('resizeService') ?? 0;
      await world.apply(service('orders', { cpuMillis, memoryGbs: cpuMillis / 250 }));
      seconds.push(
        await within(
          'an edit in the cloud',
          120,
          () => Promise.resolve((world.project.calls.get('resizeService') ?? 0) > before),
          () => world.service('orders'),
        ),
      );
      await world.untilReady('service', 'orders');
    }
    const late = await memoryOf(operator);
    console.log({ idle, piled, late, seconds });
    const alive = await Promise.race([
      operator.ended,
      promisify(setTimeout)(100).then(() => 'alive'),
    ]);
    expect(alive).toBe('alive');
    expect.soft(Math.max(...seconds)).toBeLessThanOrEqual(2);
    expect.soft(late.mostMiB).toBeLessThan(memoryLimitMiB);
    // Nothing of it stays with the API server.
    await crowd.kubectl(['delete', 'secrets', '--all', '--wait=false']);
    await inParallel(numbers(many(2_000)), atOnce, (index) =>
      crowd.kubernetes.delete(managedServices, resourceKey(crowd.namespace, `none-${index}`)),
    );
  },
);
