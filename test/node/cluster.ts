import { join } from 'node:path';
import { until } from '../support/until.ts';
import { root, state } from './cache.ts';
import { type Outcome, attempt, run } from './run.ts';

/** The only node. */
export const nodeName = 'node1';

/** The file with the credentials of the administrator or of a program of the cluster. */
export function kubeconfigOf(user: string): string {
  return join(state, `${user}.kubeconfig`);
}

const asAdministrator = { KUBECONFIG: kubeconfigOf('admin'), HOME: state };

/** Runs kubectl as the administrator, in the folder of the clone, and returns its output. */
export async function kubectl(...args: readonly string[]): Promise<string> {
  return run('kubectl', args, { env: asAdministrator, cwd: root });
}

/** As `kubectl`. A failure is a result. */
export async function tryKubectl(...args: readonly string[]): Promise<Outcome> {
  return attempt('kubectl', args, { env: asAdministrator, cwd: root });
}

/** Applies manifests, given as text. */
export async function apply(manifests: string, ...args: readonly string[]): Promise<string> {
  const input = { env: asAdministrator, cwd: root, stdin: manifests };
  return run('kubectl', ['apply', ...args, '-f', '-'], input);
}

/** Runs helm as the administrator, in the folder of the clone, and returns all that it says. */
export async function helm(...args: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await attempt('helm', args, { env: asAdministrator, cwd: root });
  if (code !== 0) throw new Error(`helm ${args.join(' ')} ended with code ${code}:\n${stderr}`);
  return stdout + stderr;
}

/** Waits until a condition holds, for so many seconds at most, and returns its result. */
export async function within<T>(
  seconds: number,
  what: string,
  look: () => Promise<T | undefined | false>,
): Promise<T> {
  return until(what, look, undefined, seconds * 1000);
}
