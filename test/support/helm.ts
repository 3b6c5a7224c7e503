import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import type { ControlPlaneHandle } from '../control-plane/control-plane.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const chart = fileURLToPath(
  new URL('../../deploy/helm/managed-db-operator', import.meta.url),
);

export interface HelmResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/**
 * Runs helm as the administrator, with temporary folders. A failure is a result, not an exception.
 * @param values handed over as a values file
 */
export async function helm(
  handle: Pick<ControlPlaneHandle, 'helmPath' | 'kubeconfigPath'>,
  args: readonly string[],
  values?: object,
): Promise<HelmResult> {
  await using home = await temporaryFolder();
  const child = spawn(handle.helmPath, [...args, ...(values ? ['--values', '-'] : [])], {
    env: {
      KUBECONFIG: handle.kubeconfigPath,
      // A collection of garbage would cost a quarter of the CPU time of so short a process.
      GOGC: 'off',
      HOME: home.path,
      HELM_CACHE_HOME: home.path,
      HELM_CONFIG_HOME: home.path,
      HELM_DATA_HOME: home.path,
    },
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(values ? JSON.stringify(values) : '');
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, code };
}
