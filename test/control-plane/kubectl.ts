import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ControlPlaneHandle } from './control-plane.ts';

export interface KubectlResult {
  readonly stdout: string;
  readonly stderr: string;
  /** kubectl's exit code; 1 when a signal ended it. */
  readonly code: number;
}

/**
 * Runs kubectl as `admin`; to run it as another user, put another `kubeconfigPath` into the handle.
 * A failure of kubectl is a result, not an exception. The user's own kubeconfig and kubectl settings do not matter.
 */
export async function kubectl(
  handle: Pick<ControlPlaneHandle, 'kubectlPath' | 'kubeconfigPath'>,
  args: readonly string[],
  options: { /** for `-f -` */ readonly input?: string } = {},
): Promise<KubectlResult> {
  const child = spawn(handle.kubectlPath, args, {
    env: {
      ...process.env,
      KUBECONFIG: handle.kubeconfigPath,
      KUBERC: 'off',
      // A collection of garbage would cost a third of the CPU time of so short a process.
      GOGC: 'off',
      // Not in the home folder: knowledge about a server must not be believed of the next server on that
      // port.
      KUBECACHEDIR: join(dirname(handle.kubeconfigPath), 'kubectl-cache'),
    },
  });
  // kubectl may end without reading its input; its exit code tells why.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, code };
}

/** A token of a ServiceAccount, from the TokenRequest API, valid for a day. */
export async function serviceAccountToken(
  handle: ControlPlaneHandle,
  namespace: string,
  name: string,
): Promise<string> {
  const result = await kubectl(handle, [
    'create',
    'token',
    name,
    '--namespace',
    namespace,
    '--duration',
    '24h',
  ]);
  if (result.code !== 0)
    throw new Error(`no token for ServiceAccount ${namespace}/${name}: ${result.stderr}`);
  return result.stdout.trim();
}
