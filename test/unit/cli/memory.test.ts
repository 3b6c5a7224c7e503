import { execFile, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { containerMemory, heapFlags, memoryGuard, refusalIn } from '../../../src/cli/memory.ts';
import { crowdedApiServer } from '../../support/crowded-api-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const mebibyte = 2 ** 20;
const build = fileURLToPath(new URL('../../../scripts/build.ts', import.meta.url));

/** Runs `why -A` as in the image. `peakKib` is the peak of its memory. */
async function why(folder: string, objects: number) {
  await using server = await crowdedApiServer(objects);
  const kubeconfig = join(folder, 'kubeconfig');
  const report = join(folder, 'report.mjs');
  const peak = join(folder, 'peak');
  await writeFile(kubeconfig, kubeconfigOf(server.url));
  await writeFile(
    report,
    `import { readFileSync, writeFileSync } from 'node:fs';
process.on('exit', () => writeFileSync(${JSON.stringify(peak)}, readFileSync('/proc/self/status')));`,
  );
  const program = join(folder, 'dist/managed-db.js');
  const child = spawn(process.execPath, [...heapFlags, '--import', report, program, 'why', '-A'], {
    env: { PATH: process.env['PATH'], KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await ended;
  expect({ stderr, code }).toEqual({ stderr: '', code: 2 });
  const kib = /^VmHWM:\s+(?<kib>\d+) kB$/mu.exec(await readFile(peak, 'utf8'))?.groups?.['kib'];
  return { stdout, peakKib: Number(kib), largestPage: server.largestPage() };
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'crowded', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'crowded', user: {} }],
    contexts: [{ name: 'crowded', context: { cluster: 'crowded', user: 'crowded' } }],
    'current-context': 'crowded',
  });
}

test.runIf(process.platform === 'linux')(
  'why -A of 5000 objects runs with the heap of a container, and needs hardly more memory than for 1000 objects',
  { timeout: 120_000 },
  async () => {
    await using folder = await temporaryFolder();
    await promisify(execFile)(process.execPath, [build, join(folder.path, 'dist')]);
    const few = await why(folder.path, 1_000);
    const many = await why(folder.path, 5_000);
    expect(few.stdout).toContain('50 of 1000 objects not as specified.');
    expect(many.stdout).toContain('250 of 5000 objects not as specified.');
    expect(many.peakKib / few.peakKib).toBeLessThan(1.3);
    expect(many.largestPage).toBeLessThanOrEqual(100);
  },
);

const cgroups = [
  [
    'version 2 with a limit',
    {
      'memory.max': '268435456\n',
      'memory.current': '200000000\n',
      'memory.stat': 'anon 1\nactive_file 9\ninactive_file 1564544\n',
    },
    { limit: 268_435_456, free: 70_000_000 },
  ],
  ['version 2 without a limit', { 'memory.max': 'max\n', 'memory.current': '1\n' }, undefined],
  [
    'version 1 with a limit',
    {
      'memory/memory.limit_in_bytes': '268435456\n',
      'memory/memory.usage_in_bytes': '268435456\n',
      'memory/memory.stat': 'inactive_file 5\ntotal_inactive_file 1000\n',
    },
    { limit: 268_435_456, free: 1_000 },
  ],
  [
    'version 1 without a limit',
    {
      'memory/memory.limit_in_bytes': '9223372036854771712\n',
      'memory/memory.usage_in_bytes': '1\n',
    },
    undefined,
  ],
  ['no cgroup', {}, undefined],
] as const;

test.for(cgroups)('the memory of the container is read from %s', async ([, files, memory]) => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'memory'));
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder.path, name), content);
  expect(containerMemory(folder.path)).toEqual(memory);
});

test('the program refuses to start in a container with too little memory, and says where it runs', () => {
  const limit = 256 * mebibyte;
  expect(refusalIn({ limit, free: 64 * mebibyte })).toBeUndefined();
  expect(refusalIn({ limit, free: 40 * mebibyte })).toBe(
    'managed-db needs 64 MiB of memory, and this container has 40 MiB left: run managed-db on your machine, with a kubeconfig',
  );
});

test('a command in a container refuses to keep more objects than the memory and the heap have room for', () => {
  const memory = { limit: 256 * mebibyte, free: 100 * mebibyte };
  const guard = memoryGuard(memory, 48 * mebibyte);
  for (let page = 0; page < 10; page += 1) guard.keep(100);
  expect(() => guard.keep(100)).toThrow(
    'managed-db needs 51 MiB of memory for 1100 objects or more, and this container has 48 MiB left',
  );
  expect(() => memoryGuard(undefined).keep(1_000_000)).not.toThrow();
});
