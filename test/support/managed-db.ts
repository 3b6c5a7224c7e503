import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { childEnvironment } from './child-environment.ts';
import type { World } from './world.ts';

const program = fileURLToPath(new URL('../../src/cli/start.js', import.meta.url));

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** 1 if a signal ended it. */
  readonly code: number;
}

/** Runs the command line as an administrator of the cluster, beside the operator of a world. */
export async function managedDb(
  world: Pick<World, 'simulator' | 'project' | 'namespace'>,
  args: readonly string[],
  {
    input = '',
    kubeconfig,
    isScoped = true,
  }: {
    readonly input?: string;
    readonly kubeconfig?: string;
    /** Whether the program knows the namespaces of the operator. */
    readonly isScoped?: boolean;
  } = {},
): Promise<Ended> {
  const { kubectlPath, kubeconfigPath } = inject('controlPlane');
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      ...childEnvironment(),
      PATH: `${dirname(kubectlPath)}:${process.env['PATH'] ?? ''}`,
      HOME: dirname(kubeconfigPath),
      KUBECONFIG: kubeconfig ?? kubeconfigPath,
      KUBERC: 'off',
      MANAGED_DB_CLOUD_URL: world.simulator.url,
      MANAGED_DB_API_KEY: world.project.apiKey,
      ...(isScoped && { MANAGED_DB_NAMESPACES: world.namespace }),
      MANAGED_DB_RATE_LIMIT: '1000',
      MANAGED_DB_RATE_BURST: '1000',
    },
  });
  child.stdin.end(input);
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, code };
}
