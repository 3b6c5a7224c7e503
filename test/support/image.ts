import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The command of the image's container, from the Dockerfile. */
export interface Image {
  /** The working folder, with the bundle in it. */
  readonly folder: string;
  /** The program and its flags, without arguments. */
  readonly entrypoint: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly user: number;
}

/**
 * Builds the bundle into `folder` as the Dockerfile does, and reads the command from the Dockerfile.
 * @param folder readable for all users afterwards
 */
export async function buildImage(folder: string): Promise<Image> {
  await promisify(execFile)(process.execPath, [root('scripts/build.ts'), join(folder, 'dist')]);
  await writeFile(join(folder, 'package.json'), await readFile(root('package.json')));
  await chmod(folder, 0o755);
  const stage = (await readFile(root('Dockerfile'), 'utf8')).split(/^FROM .*$/mu).at(-1) ?? '';
  const line = (name: string) => new RegExp(`^${name} (.*)$`, 'mu').exec(stage)?.[1] ?? '';
  const [program, ...flags] = z.array(z.string()).parse(JSON.parse(line('ENTRYPOINT')));
  if (program !== 'node') throw new Error(`the image runs ${program}, not node`);
  const [variable = '', value = ''] = line('ENV').split('=');
  return {
    folder,
    entrypoint: [process.execPath, ...flags],
    environment: { [variable]: value },
    user: Number(line('USER').split(':')[0]),
  };
}
