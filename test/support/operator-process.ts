import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from './child-environment.ts';

/** The operator as a separate process, started as in production. */
export interface OperatorProcess extends AsyncDisposable {
  readonly pid: number | undefined;
  /** Its output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  kill(signal: NodeJS.Signals): void;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** @param environment the whole environment: of the present process only `childEnvironment` is added */
export function operatorProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  program: string = main,
): OperatorProcess {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...childEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
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
