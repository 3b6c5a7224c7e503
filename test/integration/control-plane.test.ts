import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, inject, test, vi } from 'vitest';
import type { ControlPlaneHandle } from '../control-plane/control-plane.ts';
import { ControlPlaneError } from '../control-plane/control-plane-error.ts';
import { startControlPlane } from '../control-plane/control-plane.ts';
import { npmRun, startKeepUp, temporaryFolder } from './keep-up-process.ts';
import { kubeconfigFor, kubeconfigText } from '../control-plane/kubeconfig.ts';
import { kubectl, serviceAccountToken } from '../control-plane/kubectl.ts';

const shared = inject('controlPlane');

async function run(handle: ControlPlaneHandle, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await kubectl(handle, args);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Waits until the control plane is up that a process keeps. */
async function keptUp(keeper = startKeepUp({})) {
  for await (const line of createInterface(keeper.stdout)) {
    const kubeconfigPath = /^export KUBECONFIG='(.+)'$/.exec(line)?.[1];
    if (kubeconfigPath) return { keeper, folder: dirname(kubeconfigPath) };
  }
  throw new Error('keep-up ended without printing a kubeconfig');
}

/** The command lines of all processes of this machine, or of those that name `folder`. */
async function commandLines(folder = ''): Promise<string> {
  const ps = spawn('ps', ['-eo', 'args', '-ww']);
  const lines = (await text(ps.stdout)).split('\n');
  return lines.filter((line) => line.includes(folder)).join('\n');
}

test('the garbage collector removes the dependents of an absent owner', async () => {
  const namespace = 'control-plane-garbage';
  await run(shared, 'create', 'namespace', namespace);
  await run(shared, 'create', 'configmap', 'owner', '--namespace', namespace);
  const uid = await run(
    shared,
    'get',
    'configmap',
    'owner',
    '--namespace',
    namespace,
    '-o',
    'jsonpath={.metadata.uid}',
  );
  await run(shared, 'create', 'secret', 'generic', 'owned', '--namespace', namespace);
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid };
  await run(
    shared,
    'patch',
    'secret',
    'owned',
    '--namespace',
    namespace,
    '-p',
    JSON.stringify({ metadata: { ownerReferences: [owner] } }),
  );
  await run(shared, 'delete', 'configmap', 'owner', '--namespace', namespace);
  const gone = await kubectl(shared, [
    'wait',
    '--for=delete',
    'secret/owned',
    '--namespace',
    namespace,
    '--timeout=100s',
  ]);
  expect(gone).toMatchObject({ code: 0 });
});

test('a deleted namespace disappears with its objects', async () => {
  const namespace = 'control-plane-namespace';
  await run(shared, 'create', 'namespace', namespace);
  await run(shared, 'create', 'configmap', 'inside', '--namespace', namespace);
  expect(await kubectl(shared, ['delete', 'namespace', namespace, '--timeout=30s'])).toMatchObject({
    code: 0,
  });
});

test('the token of a ServiceAccount has the rights that RBAC grants, and no others', async () => {
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
  await writeFile(kubeconfigPath, kubeconfigText(kubeconfigFor(shared, { token, namespace })), {
    mode: 0o600,
  });
  const asReader = (...args: string[]) => kubectl({ ...shared, kubeconfigPath }, args);
  await vi.waitFor(
    async () => expect(await asReader('get', 'configmaps')).toMatchObject({ code: 0 }),
    { timeout: 10_000, interval: 200 },
  );
  expect((await asReader('get', 'secrets')).stderr).toContain('Forbidden');
});

test(
  'a second control plane shares nothing with the first, keeps its data over a restart, and leaves neither processes nor a folder',
  { timeout: 240_000 },
  async () => {
    await using other = await startControlPlane();
    const { handle } = other;
    await run(handle, 'create', 'namespace', 'only-in-the-second');
    expect(await run(shared, 'get', 'namespaces', '-o', 'name')).not.toContain(
      'only-in-the-second',
    );
    expect(handle.server).not.toBe(shared.server);
    const stranger = await kubectl({ ...shared, kubeconfigPath: handle.kubeconfigPath }, [
      'get',
      'namespaces',
      '--server',
      shared.server,
    ]);
    expect(stranger.code).toBe(1);

    await other.stopApiServer();
    expect(await kubectl(handle, ['get', 'namespaces'])).toMatchObject({ code: 1 });
    await other.startApiServer();
    expect(await run(handle, 'get', 'namespaces', '-o', 'name')).toContain(
      'namespace/only-in-the-second',
    );

    const folder = dirname(handle.kubeconfigPath);
    expect(await commandLines(folder)).not.toBe('');
    await other.stop();
    expect(await commandLines(folder)).toBe('');
    expect(existsSync(folder)).toBe(false);
  },
);

test('the servers of a killed supervisor end', async () => {
  await using controlPlane = await startControlPlane();
  const folder = dirname(controlPlane.handle.kubeconfigPath);
  const children = await text(spawn('ps', ['-eo', 'pid=,ppid=,args=', '-ww']).stdout);
  const supervisor = new RegExp(`^ *(\\d+) +${process.pid} .*supervisor\\.ts$`, 'm').exec(
    children,
  )?.[1];
  process.kill(Number(supervisor), 'SIGKILL');
  await vi.waitFor(async () => expect(await commandLines(folder)).toBe(''), { timeout: 10_000 });
  expect(existsSync(folder)).toBe(false);
  await expect(controlPlane.startApiServer()).rejects.toBeInstanceOf(ControlPlaneError);
});

test.for(['SIGKILL', 'SIGINT'] as const)(
  '%s to the parent process leaves no process and no folder',
  async (signal) => {
    const { keeper, folder } = await keptUp();
    expect(await commandLines(folder)).not.toBe('');
    // To the whole process group, as a terminal does it on Ctrl-C.
    process.kill(-(keeper.pid ?? Number.NaN), signal);
    await vi.waitFor(
      async () =>
        expect(`${await commandLines(folder)}${existsSync(folder) ? folder : ''}`).toBe(''),
      { timeout: 10_000 },
    );
  },
);

test('the death of npm leaves no process and no folder', async () => {
  const { keeper, folder } = await keptUp(npmRun('control-plane'));
  expect(await commandLines(folder)).not.toBe('');
  process.kill(keeper.pid ?? Number.NaN, 'SIGKILL');
  await vi.waitFor(
    async () => expect(`${await commandLines(folder)}${existsSync(folder) ? folder : ''}`).toBe(''),
    { timeout: 10_000 },
  );
});

test('no command line contains the admin token', async () => {
  const lines = await commandLines();
  expect(lines).toContain('kube-apiserver');
  expect(lines).not.toContain(shared.adminToken);
});
