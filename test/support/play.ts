import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ControlPlaneHandle } from '../control-plane/control-plane.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Runs commands in a shell as they are written, with the programs of this control plane. @throws {Error} when a command fails */
export async function play(
  {
    kubectlPath,
    helmPath,
    kubeconfigPath,
  }: Pick<ControlPlaneHandle, 'kubectlPath' | 'helmPath' | 'kubeconfigPath'>,
  commands: string,
): Promise<string> {
  await using home = await temporaryFolder();
  const programs = `kubectl() { '${kubectlPath}' "$@"; }; helm() { '${helmPath}' "$@"; }`;
  const env = {
    PATH: process.env['PATH'],
    KUBECONFIG: kubeconfigPath,
    HOME: home.path,
    // As in helm.ts: these processes are short.
    GOGC: 'off',
  };
  return (
    await promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', `${programs}\n${commands}`], {
      env,
    })
  ).stdout;
}
