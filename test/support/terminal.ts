import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ControlPlaneHandle } from '../control-plane/control-plane.ts';

/** A shell to type into: the next command has the variables of the last. The first command that fails ends it. */
export interface Terminal extends AsyncDisposable {
  /**
   * @returns the output of the commands @throws {Error} with their output, when a command fails or does not return
   *   within a minute
   */
  type(commands: string): Promise<string>;
}

const longestMs = 75_000;

/** A terminal with the programs of this control plane. @param folder where it starts, and its home */
export function openTerminal(
  {
    kubectlPath,
    helmPath,
    kubeconfigPath,
  }: Pick<ControlPlaneHandle, 'kubectlPath' | 'helmPath' | 'kubeconfigPath'>,
  folder: string,
): Terminal {
  const path = [dirname(kubectlPath), dirname(helmPath), process.env['PATH']].join(':');
  const env = { PATH: path, KUBECONFIG: kubeconfigPath, HOME: folder };
  // In a separate process group, so that a hanging command ends with the shell. The shell repeats on stderr each
  // line that it reads.
  const shell = spawn('bash', ['-euv', '-o', 'pipefail'], { cwd: folder, env, detached: true });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    shell[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
  shell.stdin.on('error', () => undefined);
  const ended = once(shell, 'close').then(() => 'a command failed');
  return {
    async type(commands) {
      output.stdout = output.stderr = '';
      const mark = `typed ${randomUUID()}\n`;
      shell.stdin.write(`${commands}\nprintf '%s' '${mark}'\n`);
      const late = pause(longestMs, 'it does not return', { ref: false });
      while (!output.stdout.endsWith(mark)) {
        const seen = await Promise.race([once(shell.stdout, 'data'), ended, late]);
        if (typeof seen === 'string')
          throw new Error(`${seen}: ${output.stderr}\n${output.stdout}`);
      }
      return output.stdout.slice(0, -mark.length);
    },
    async [Symbol.asyncDispose]() {
      if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGKILL');
      await ended;
    },
  };
}
