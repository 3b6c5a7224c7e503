import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import * as z from 'zod';
import { kubeconfigFor, kubeconfigText } from '../control-plane/kubeconfig.ts';
import { service } from '../support/manifests.ts';
import { operatorProcess } from '../support/operator-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { startWorld } from '../support/world.ts';

const build = fileURLToPath(new URL('../../scripts/build.ts', import.meta.url));

/** The bundle of all tests here. */
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  await promisify(execFile)(process.execPath, [build, '--revision', 'abc1234', folder.path]);
  await writeFile(join(folder.path, 'package.json'), '{"type": "module"}');
});
afterAll(() => folder[Symbol.asyncDispose]());

test('the bundle reports its revision, and older Node versions can parse its entry', async () => {
  const entry = join(folder.path, 'main.js');
  await using told = operatorProcess(['--version'], {}, entry);
  expect([await told.ended, told.stdout()]).toEqual([
    0,
    expect.stringContaining('(abc1234, Node '),
  ]);
  const text = await readFile(entry, 'utf8');
  expect([...text.matchAll(/\bfrom\s*['"]([^'"]+)['"]/gu)].map(([, name]) => name)).toEqual([
    'node:module',
  ]);
  const compiledFor = async (target: string) =>
    (await transform(text, { format: 'esm', target, minify: true })).code;
  expect(await compiledFor('node14')).toBe(await compiledFor('esnext'));
});

test('the bundle comes with the licences of the packages in it', async () => {
  const notices = await readFile(join(folder.path, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  const maps = (await readdir(folder.path)).filter((each) => each.endsWith('.map'));
  const texts = await Promise.all(maps.map((each) => readFile(join(folder.path, each), 'utf8')));
  const paths = texts.flatMap(
    (text) => z.object({ sources: z.array(z.string()) }).parse(JSON.parse(text)).sources,
  );
  const bundled = new Set(
    paths.flatMap((path) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//u.exec(path)?.[1] ?? []),
  );
  expect([...bundled]).toEqual(
    expect.arrayContaining(['undici', 'fastify', 'zod', '@kubernetes/client-node']),
  );
  expect([...bundled].filter((name) => !notices.includes(`\n${name} `))).toEqual([]);
  expect(
    notices.match(/^(?:The above copyright notice|TERMS AND CONDITIONS)/gmu)?.length,
  ).toBeGreaterThan(0);
});

test('the bundle loads neither HTTP/2 nor the fetch of Node, and its stack traces have names', async () => {
  const name =
    (await readdir(folder.path)).find((each) => /^run-operator.*\.js$/u.test(each)) ?? '';
  const loaded = `await import('./${name}'); process.stdout.write(process.moduleLoadList.join('\\n'))`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', loaded],
    { cwd: folder.path },
  );
  expect(stdout.split('\n').filter((each) => /http2|deps\/undici/u.test(each))).toEqual([]);
  const texts = (await readdir(folder.path))
    .filter((each) => each.endsWith('.js'))
    .map((each) => readFile(join(folder.path, each), 'utf8'));
  expect((await Promise.all(texts)).join('\n')).toMatch(/async function reconcile\(/u);
});

test('the bundle of the image runs without node_modules', async () => {
  await using world = await startWorld({ start: false, speed: 1, latencyMs: 100 });
  const kubeconfig = join(folder.path, 'kubeconfig');
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
  await using operator = operatorProcess(
    [
      ...settings,
      '--kubeconfig',
      kubeconfig,
      '--leader-elect=false',
      '--health-address',
      '127.0.0.1:0',
    ],
    { MANAGED_DB_API_KEY: world.project.apiKey },
    join(folder.path, 'main.js'),
  );
  await until(
    'the operator to work',
    () => operator.stdout().includes('the operator works'),
    () => [operator.stdout(), operator.stderr()],
  );
  await world.applyUntilReady(service('orders'));
  operator.kill('SIGTERM');
  expect(await operator.ended).toBe(0);
  expect(operator.stderr()).toBe('');
});
