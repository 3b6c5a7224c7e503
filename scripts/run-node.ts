import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs Node on a program to its end, and returns its exit code. The program gets Ctrl-C and SIGTERM, and ends in order.
 * @param args the program and its arguments
 * @param env additions to the variables of this process
 */
export async function runNode(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const child = spawn(process.execPath, args, {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  // The terminal sends Ctrl-C to the child, too.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill());
  await once(child, 'close');
  return child.exitCode ?? 1;
}
