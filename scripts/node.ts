import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodePrograms } from '../test/control-plane/binaries.ts';
import { whileLocked } from '../test/control-plane/build-lock.ts';
import { terminalProgress } from '../test/control-plane/progress.ts';
import { cache, logs, state } from '../test/node/cache.ts';
import { makeGroups, removeGroups } from '../test/node/cgroups.ts';
import { unpackPackages } from '../test/node/packages.ts';
import { attempt } from '../test/node/run.ts';
import { argumentsOf } from './arguments.ts';

// Builds the image by the Dockerfile, and runs the operator's Pods on a real node: kubelet, kube-proxy, scheduler and containerd. All of it is
// in namespaces of its own, which end with this process. It writes to the cache alone.
//
//     npm run test:node -- [-t NAME]

const { values } = argumentsOf('npm run test:node -- [-t NAME]', {
  testNamePattern: { type: 'string', short: 't' },
});
const missing = await whatIsMissing();
if (missing !== undefined) {
  process.stderr.write(`npm run test:node needs ${missing}\n`);
  process.exit(1);
}
// The rest of a process that is killed goes with the node's files.
const temporary = join(state, 'tmp');
const progress = terminalProgress(process.stderr);
await mkdir(cache, { recursive: true });
await whileLocked(
  `${cache}.lock`,
  (holder) => progress.update(`waiting for process ${holder}, which runs these tests`),
  async () => {
    const [folders] = await Promise.all([nodePrograms(progress), unpackPackages(progress)]);
    await removeState();
    await Promise.all([temporary, logs].map(async (folder) => mkdir(folder, { recursive: true })));
    await makeGroups();
    try {
      process.exitCode = await inNamespaces(folders);
    } finally {
      await removeGroups();
      await removeState();
    }
  },
);

async function whatIsMissing(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'Linux: a kubelet runs nowhere else.';
  if (process.getuid?.() !== 0)
    return 'root, for namespaces and control groups: sudo --preserve-env=PATH npm run test:node';
  if (process.env['npm_execpath'] === undefined) return 'npm: start it with npm run test:node.';
  const programs = ['apt-get', 'dpkg-deb', 'unshare', 'setpriv', 'ip', 'openssl', 'git', 'ldd'];
  const absent: string[] = [];
  for (const name of programs)
    if ((await attempt('sh', ['-c', 'command -v "$1"', 'sh', name])).code !== 0) absent.push(name);
  if (absent.length > 0) return `${absent.join(', ')}: install them and try again.`;
  const own = ['--mount', '--pid', '--net', '--fork', '--propagation', 'private', 'true'];
  const { code } = await attempt('unshare', own);
  return code === 0 ? undefined : 'the right to make namespaces: a container lacks it (unshare).';
}

/** The end of `unshare`, which setpriv ties to the end of this process, ends all processes inside. */
async function inNamespaces(folders: readonly string[]): Promise<number> {
  const inside = fileURLToPath(new URL('../test/node/inside.ts', import.meta.url));
  const filter = values.testNamePattern === undefined ? [] : ['-t', values.testNamePattern];
  const own = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  // The shell collects the processes whose parents ended.
  const first = ['sh', '-c', '"$@"; exit $?', 'sh', process.execPath, inside, ...filter];
  const child = spawn(
    'setpriv',
    ['--pdeathsig', 'KILL', 'unshare', ...own, '--propagation', 'private', ...first],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        TMPDIR: temporary,
        PATH: [...folders, dirname(process.execPath), process.env['PATH']].join(delimiter),
      },
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => child.kill('SIGKILL'));
  await once(child, 'close');
  return child.exitCode ?? 1;
}

async function removeState(): Promise<void> {
  await rm(state, { recursive: true, force: true, maxRetries: 20 });
}
