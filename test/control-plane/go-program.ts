import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isThere } from './build.ts';
import { whileLocked } from './build-lock.ts';
import type { Progress } from './progress.ts';

/** A program that Go builds once from a module of this repository. */
export interface GoProgram {
  /** The folder of its go.mod and go.sum, and of its own Go files if it has any. */
  readonly module: string;
  /** The package, as `go build` takes it. The last part of its path is the name of the program. */
  readonly package: string;
  /** How long a build takes, for the person who waits. */
  readonly usually: string;
}

/**
 * The path of a program, which is built once into `${XDG_CACHE_HOME:-~/.cache}/managed-db-operator/<name>/<hash of all
 * Go files beside its go.mod>`. The folder has the program complete, or does not exist.
 * @throws {Error} when there is no Go to build it with, or the build fails
 */
export async function goProgram(program: GoProgram, progress: Progress): Promise<string> {
  const name = program.package.split('/').at(-1) ?? program.package;
  // An empty variable counts as unset, as the XDG specification has it.
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const folder = join(cache, 'managed-db-operator', name, await hashOf(program.module));
  const path = join(folder, name);
  if (await isThere(path)) return path;
  await mkdir(dirname(folder), { recursive: true });
  const onWait = (holder: string) =>
    progress.update(`waiting for process ${holder} to build ${name}`);
  await whileLocked(`${folder}.lock`, onWait, async () => {
    if (await isThere(path)) return;
    progress.update(`building ${name} from source (${program.usually}, once)`);
    await build(program, folder);
    progress.done(`${name} is built: ${folder}`);
  });
  return path;
}

async function hashOf(module: string): Promise<string> {
  const hash = createHash('sha256');
  const files = (await readdir(module)).filter(isSource);
  for (const file of files.toSorted()) hash.update(await readFile(join(module, file)));
  return hash.digest('hex').slice(0, 16);
}

function isSource(name: string): boolean {
  return name === 'go.mod' || name === 'go.sum' || name.endsWith('.go');
}

async function build(program: GoProgram, folder: string): Promise<void> {
  const unfinished = `${folder}.unfinished-${process.pid}`;
  try {
    const flags = ['-mod=readonly', '-ldflags', '-s -w', '-o', `${unfinished}/`];
    // A go.work in a folder above would bring other versions.
    const child = spawn('go', ['build', ...flags, program.package], {
      cwd: program.module,
      env: { ...process.env, GOWORK: 'off' },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    // The spawn fails where Go is missing.
    const code = await once(child, 'close').then(
      () => child.exitCode,
      () => 1,
    );
    if (code !== 0)
      throw new Error(`go build ${program.package} failed; it needs Go 1.26 or newer`);
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
