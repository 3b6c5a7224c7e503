import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolveBinaries } from '../../test/control-plane/binaries.ts';
import { goProgram } from '../../test/control-plane/go-program.ts';
import type { Progress } from '../../test/control-plane/progress.ts';
import { root } from '../../test/node/cache.ts';
import { run } from '../../test/node/run.ts';
import type { CommandOptions } from './release.ts';

/** Runs a command in the folder of the clone; see `run` of `Hands`. */
export type Run = (
  command: string,
  args: readonly string[],
  options?: CommandOptions & { readonly stdin?: string },
) => Promise<string>;

/** A `PATH` with the programs of a release that Go builds from modules, once: helm, crane, krew. */
export async function pathOfRelease(progress: Progress): Promise<string> {
  const built = [
    ['registry', 'github.com/google/go-containerregistry/cmd/crane'],
    ['krew', 'sigs.k8s.io/krew/cmd/validate-krew-manifest'],
    ['krew', 'sigs.k8s.io/krew/cmd/krew'],
  ] as const;
  const paths = [process.execPath, (await resolveBinaries(progress, ['helm'])).helm];
  for (const [name, path] of built) {
    const module = fileURLToPath(new URL(`../../test/release/${name}`, import.meta.url));
    paths.push(await goProgram({ module, package: path, usually: 'a minute' }, progress));
  }
  return [...paths.map(dirname), process.env['PATH']].join(delimiter);
}

/** Runs commands with this `PATH`. A failure is an error with the end of the command's output. */
export function runner(path: string): Run {
  return async (command, args, { cwd = root, stdin = '' } = {}) =>
    run(command, args, { cwd, stdin, env: { PATH: path } });
}
