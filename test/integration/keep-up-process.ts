import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** `npm run control-plane` in a process group of its own; ended with the test. */
export function startKeepUp(
  environment: Record<string, string>,
  args: readonly string[] = [],
): ChildProcessByStdio<null, Readable, Readable> {
  const script = fileURLToPath(new URL('../control-plane/keep-up.ts', import.meta.url));
  const keeper = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, ...environment },
  });
  onTestFinished(() => void keeper.kill('SIGKILL'));
  return keeper;
}

/** Removed with the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'control-plane-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}
