import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

type KeepUp = ChildProcessByStdio<null, Readable, Readable>;

/** Starts the script of `npm run control-plane` in its own process group; the process ends with the test. */
export function startKeepUp(
  environment: Record<string, string>,
  args: readonly string[] = [],
): KeepUp {
  const script = fileURLToPath(new URL('../control-plane/keep-up.ts', import.meta.url));
  return started(process.execPath, [script, ...args], environment);
}

/** `npm run <script>`, as typed by a person. */
export function npmRun(script: string): KeepUp {
  return started('npm', ['run', '--silent', script], {});
}

function started(
  command: string,
  args: readonly string[],
  environment: Record<string, string>,
): KeepUp {
  const keeper = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, ...environment },
  });
  onTestFinished(() => {
    try {
      process.kill(-(keeper.pid ?? Number.NaN), 'SIGKILL');
    } catch {
      // All of them have ended: the normal case.
    }
  });
  return keeper;
}

/** Removed with the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'control-plane-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}
