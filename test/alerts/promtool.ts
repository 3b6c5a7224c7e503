import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, constants, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whileLocked } from '../control-plane/build-lock.ts';
import type { Progress } from '../control-plane/progress.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * The path of Prometheus' own promtool: `$PROMTOOL`, or built once, in the version of go.mod, into
 * `${XDG_CACHE_HOME:-~/.cache}/managed-db-operator/promtool/<hash of go.mod>`.
 * @throws {Error} when there is no Go to build it with, or the build fails
 */
export async function promtool(progress: Progress): Promise<string> {
  const given = process.env['PROMTOOL'];
  if (given) return given;
  const hash = createHash('sha256')
    .update(await readFile(join(here, 'go.mod')))
    .digest('hex');
  // An empty variable counts as unset, as the XDG specification has it.
  const folder = join(
    process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
    'managed-db-operator',
    'promtool',
    hash.slice(0, 16),
  );
  const path = join(folder, 'promtool');
  if (await isThere(path)) return path;
  await mkdir(dirname(folder), { recursive: true });
  const onWait = (holder: string) =>
    progress.update(`waiting for process ${holder} to build promtool`);
  await whileLocked(`${folder}.lock`, onWait, async () => {
    if (!(await isThere(path))) await build(folder, progress);
  });
  return path;
}

async function build(folder: string, progress: Progress): Promise<void> {
  const unfinished = `${folder}.unfinished-${process.pid}`;
  progress.update('building promtool from source (5 to 15 min, once)');
  try {
    // A go.work in a folder above would bring other versions.
    await run(
      'go',
      ['build', '-mod=readonly', '-ldflags', '-s -w', '-o', `${unfinished}/`, 'tool'],
      { ...process.env, GOWORK: 'off' },
    );
    await rename(unfinished, folder);
    progress.done(`promtool is built: ${folder}`);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const child = spawn(command, args, { cwd: here, env, stdio: ['ignore', 'inherit', 'inherit'] });
  await once(child, 'close');
  if (child.exitCode !== 0)
    throw new Error(
      `${command} ${args.join(' ')} failed; promtool needs Go 1.26 or newer, or set PROMTOOL to one that is there`,
    );
}

function isThere(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
