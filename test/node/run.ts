import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Additions to the arguments of a command. */
export interface Input {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** The outcome of a command that ended. */
export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** Runs a command to its end. A failure is a result, not an exception. */
export async function attempt(
  command: string,
  args: readonly string[],
  { stdin = '', env = {}, cwd = '.' }: Input = {},
): Promise<Outcome> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env } });
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, code };
}

/** Runs a command to its end and returns its output. The error of a failure has the end of all output. */
export async function run(
  command: string,
  args: readonly string[],
  input: Input = {},
): Promise<string> {
  const { stdout, stderr, code } = await attempt(command, args, input);
  if (code === 0) return stdout;
  const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-25).join('\n');
  throw new Error(`${command} ${args.join(' ').slice(0, 300)} ended with code ${code}:\n${said}`);
}
