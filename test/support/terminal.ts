import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { dirname } from 'node:path';
import type { ControlPlaneHandle } from '../control-plane/control-plane.ts';

/** A shell to type into: what one command sets, the next one has. The first command that fails ends it. */
export interface Terminal extends AsyncDisposable {
  /** @returns what the commands print @throws {Error} with what they complain of, when one fails */
  type(commands: string): Promise<string>;
}

/** A terminal with the programs of this control plane. @param folder where it starts, and its home */
export function openTerminal(
  { kubectlPath, helmPath, kubeconfigPath }: Pick<ControlPlaneHandle, 'kubectlPath' | 'helmPath' | 'kubeconfigPath'>,
  folder: string,
): Terminal {
  const path = [dirname(kubectlPath), dirname(helmPath), process.env['PATH']].join(':');
  const env = { PATH: path, KUBECONFIG: kubeconfigPath, HOME: folder };
  // In a group of its own, so that a command that hangs ends with it.
  const shell = spawn('bash', ['-eu', '-o', 'pipefail'], { cwd: folder, env, detached: true });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) shell[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
  shell.stdin.on('error', () => undefined);
  const ended = once(shell, 'close').then(() => 'ended');
  return {
    async type(commands) {
      output.stdout = output.stderr = '';
      const mark = `typed ${randomUUID()}\n`;
      shell.stdin.write(`${commands}\nprintf '%s' '${mark}'\n`);
      while (!output.stdout.endsWith(mark))
        if ((await Promise.race([once(shell.stdout, 'data'), ended])) === 'ended')
          throw new Error(`${commands}\n${output.stdout}${output.stderr}`);
      return output.stdout.slice(0, -mark.length);
    },
    async [Symbol.asyncDispose]() {
      if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGKILL');
      await ended;
    },
  };
}
