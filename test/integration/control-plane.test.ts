import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import type { ControlPlaneHandle } from '../control-plane/control-plane.ts';
import { startControlPlane } from '../control-plane/control-plane.ts';
import { kubeconfigFor, kubeconfigText } from '../control-plane/kubeconfig.ts';
import { kubectl, serviceAccountToken } from '../control-plane/kubectl.ts';

const shared = inject('controlPlane');

async function run(handle: ControlPlaneHandle, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await kubectl(handle, args);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'control-plane-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** `npm run control-plane` in a process group of its own, with an empty cache unless the environment names one. */
function startKeepUp(environment: Record<string, string>) {
  const script = fileURLToPath(new URL('../control-plane/keep-up.ts', import.meta.url));
  const keeper = spawn(process.execPath, [script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, ...environment },
  });
  onTestFinished(() => void keeper.kill('SIGKILL'));
  return keeper;
}

/** Runs it to its end. */
async function keepUp(environment: Record<string, string>): Promise<{ code: number | null; stderr: string }> {
  const keeper = startKeepUp({ XDG_CACHE_HOME: await temporaryFolder(), KUBEBUILDER_ASSETS: '', ...environment });
  const [stderr] = await Promise.all([text(keeper.stderr), once(keeper, 'close')]);
  return { code: keeper.exitCode, stderr };
}

/** Starts it, and waits until its control plane is up. */
async function keptUp() {
  const keeper = startKeepUp({});
  for await (const line of createInterface(keeper.stdout)) {
    const kubeconfigPath = /^export KUBECONFIG='(.+)'$/.exec(line)?.[1];
    if (kubeconfigPath) return { keeper, folder: dirname(kubeconfigPath) };
  }
  throw new Error('keep-up ended without printing a kubeconfig');
}

/** A folder with a program `go`; its sixth argument is the folder to build into. */
async function fakeGo(script: string): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'go'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

const buildsProgramsThatFail = `[ $1 = version ] && exit
mkdir "$6" && cd "$6" && sleep 2
for name in server kube-apiserver kube-controller-manager kubectl helm; do
  printf '#!/bin/sh\\necho broken on purpose\\nexit 1\\n' > $name; chmod +x $name
done`;

/** The command lines of all processes of this machine, or of those that name `folder`. */
async function commandLines(folder = ''): Promise<string> {
  const ps = spawn('ps', ['-eo', 'args', '-ww']);
  const lines = (await text(ps.stdout)).split('\n');
  return lines.filter((line) => line.includes(folder)).join('\n');
}

test('the garbage collector removes what an absent owner left behind', async () => {
  const namespace = 'control-plane-garbage';
  await run(shared, 'create', 'namespace', namespace);
  await run(shared, 'create', 'configmap', 'owner', '--namespace', namespace);
  const uid = await run(shared, 'get', 'configmap', 'owner', '--namespace', namespace, '-o', 'jsonpath={.metadata.uid}');
  await run(shared, 'create', 'secret', 'generic', 'owned', '--namespace', namespace);
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid };
  await run(shared, 'patch', 'secret', 'owned', '--namespace', namespace, '-p', JSON.stringify({ metadata: { ownerReferences: [owner] } }));
  await run(shared, 'delete', 'configmap', 'owner', '--namespace', namespace);
  const gone = await kubectl(shared, ['wait', '--for=delete', 'secret/owned', '--namespace', namespace, '--timeout=30s']);
  expect(gone).toMatchObject({ code: 0 });
});

test('a deleted namespace goes away with all that is in it', async () => {
  const namespace = 'control-plane-namespace';
  await run(shared, 'create', 'namespace', namespace);
  await run(shared, 'create', 'configmap', 'inside', '--namespace', namespace);
  expect(await kubectl(shared, ['delete', 'namespace', namespace, '--timeout=30s'])).toMatchObject({ code: 0 });
});

test('the token of a ServiceAccount may do what RBAC grants it, and no more', async () => {
  const namespace = 'control-plane-rbac';
  await run(shared, 'create', 'namespace', namespace);
  await run(shared, 'create', 'serviceaccount', 'reader', '--namespace', namespace);
  await run(
    shared,
    'create',
    'rolebinding',
    'reader',
    '--clusterrole=view',
    `--serviceaccount=${namespace}:reader`,
    '--namespace',
    namespace,
  );
  const token = await serviceAccountToken(shared, namespace, 'reader');
  const kubeconfigPath = join(await temporaryFolder(), 'kubeconfig');
  await writeFile(kubeconfigPath, kubeconfigText(kubeconfigFor(shared, { token, namespace })), { mode: 0o600 });
  const asReader = (...args: string[]) => kubectl({ ...shared, kubeconfigPath }, args);
  await vi.waitFor(async () => expect(await asReader('get', 'configmaps')).toMatchObject({ code: 0 }), { timeout: 10_000, interval: 200 });
  expect((await asReader('get', 'secrets')).stderr).toContain('Forbidden');
});

test('a second control plane shares nothing with the first', async () => {
  await using other = await startControlPlane();
  await run(other.handle, 'create', 'namespace', 'only-in-the-second');
  expect(await run(shared, 'get', 'namespaces', '-o', 'name')).not.toContain('only-in-the-second');
  expect(other.handle.server).not.toBe(shared.server);
  const stranger = await kubectl({ ...shared, kubeconfigPath: other.handle.kubeconfigPath }, [
    'get',
    'namespaces',
    '--server',
    shared.server,
  ]);
  expect(stranger.code).toBe(1);
});

test('an API server that was stopped comes back at the same address with its data', async () => {
  await using controlPlane = await startControlPlane();
  const { handle } = controlPlane;
  await run(handle, 'create', 'namespace', 'survivor');
  await controlPlane.stopApiServer();
  expect(await kubectl(handle, ['get', 'namespaces'])).toMatchObject({ code: 1 });
  await controlPlane.startApiServer();
  expect(await run(handle, 'get', 'namespaces', '-o', 'name')).toContain('namespace/survivor');
});

test('stopping removes the folder and every process', async () => {
  const controlPlane = await startControlPlane();
  const folder = dirname(controlPlane.handle.kubeconfigPath);
  expect(await commandLines(folder)).not.toBe('');
  await controlPlane.stop();
  expect(await commandLines(folder)).toBe('');
  expect(existsSync(folder)).toBe(false);
});

test.for(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)('%s to the process that started it leaves nothing behind', async (signal) => {
  const { keeper, folder } = await keptUp();
  expect(await commandLines(folder)).not.toBe('');
  // To the whole process group, as a terminal does it on Ctrl-C.
  process.kill(-(keeper.pid ?? Number.NaN), signal);
  await vi.waitFor(async () => expect(`${await commandLines(folder)}${existsSync(folder) ? folder : ''}`).toBe(''), { timeout: 10_000 });
});

test('neither Go nor KUBEBUILDER_ASSETS: two lines say what to install', async () => {
  const result = await keepUp({ PATH: await temporaryFolder() });
  expect(result.code).toBe(1);
  expect(result.stderr.trimEnd().split('\n')).toEqual([
    expect.stringContaining('install Go'),
    expect.stringContaining('set KUBEBUILDER_ASSETS'),
  ]);
});

test('a build that fails ends with what go said', async () => {
  const go = await fakeGo(`case $1 in build) echo "go: no space left on device" >&2; exit 1;; esac`);
  const result = await keepUp({ PATH: `${go}:/usr/bin:/bin` });
  expect(result.code).toBe(1);
  expect(result.stderr).toMatch(/could not build the Kubernetes control plane.*:\ngo: no space left on device\n$/);
});

test('two processes that need the same build build once, and the second says whom it waits for', async () => {
  const go = await fakeGo(buildsProgramsThatFail);
  const cacheHome = await temporaryFolder();
  const environment = { PATH: `${go}:/usr/bin:/bin`, XDG_CACHE_HOME: cacheHome };
  const outputs = (await Promise.all([keepUp(environment), keepUp(environment)])).map(({ stderr }) => stderr);
  expect(outputs.filter((output) => output.includes('building the Kubernetes control plane from source'))).toHaveLength(1);
  expect(outputs.filter((output) => output.includes('waiting for process'))).toHaveLength(1);
  expect(await readdir(join(cacheHome, 'managed-db-operator', 'control-plane'))).toHaveLength(1);
});

test("the lock and the leftovers of a build that was killed are in nobody's way", async () => {
  const go = await fakeGo(buildsProgramsThatFail);
  const cacheHome = await temporaryFolder();
  const killed = startKeepUp({
    PATH: `${await fakeGo('[ $1 = version ] || { mkdir "$6"; sleep 60; }')}:/usr/bin:/bin`,
    XDG_CACHE_HOME: cacheHome,
  });
  const builds = join(cacheHome, 'managed-db-operator', 'control-plane');
  await vi.waitFor(async () => expect((await readdir(builds)).join()).toContain('unfinished'), { timeout: 10_000 });
  process.kill(-(killed.pid ?? Number.NaN), 'SIGKILL');
  const result = await keepUp({ PATH: `${go}:/usr/bin:/bin`, XDG_CACHE_HOME: cacheHome });
  expect(result.stderr).toContain('the Kubernetes control plane is built');
  expect(await readdir(builds)).toHaveLength(1);
});

test('a server that does not start is named, with the end of its log', async () => {
  const go = await fakeGo(buildsProgramsThatFail);
  const result = await keepUp({ PATH: `${go}:/usr/bin:/bin` });
  expect(result.code).toBe(1);
  expect(result.stderr).toMatch(/etcd ended while starting; the end of its log:\nbroken on purpose\n$/);
});

test('no command line holds the admin token', async () => {
  const lines = await commandLines();
  expect(lines).toContain('kube-apiserver');
  expect(lines).not.toContain(shared.adminToken);
});
