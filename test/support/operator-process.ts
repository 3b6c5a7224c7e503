import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The operator as it is started in earnest: a process of its own. */
export interface OperatorProcess extends AsyncDisposable {
  readonly pid: number | undefined;
  /** What it has written so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  kill(signal: NodeJS.Signals): void;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** @param environment all of it: nothing of this process' own is handed on but the path */
export function operatorProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  program: string = main,
): OperatorProcess {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
  const ended = once(child, 'close').then(() => child.exitCode ?? child.signalCode);
  return {
    pid: child.pid,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    kill: (signal) => void child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
