import { hash } from 'node:crypto';
import { mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isThere } from '../control-plane/build.ts';
import type { Progress } from '../control-plane/progress.ts';
import { cache } from './cache.ts';
import { run } from './run.ts';

const wanted = ['buildah', 'runc', 'containerd', 'containernetworking-plugins', 'nftables'];

/** The packages, unpacked and not installed. */
export const packages = join(cache, `debian-${hash('sha256', wanted.join()).slice(0, 8)}`);

/**
 * Downloads the Debian packages of the node, with their dependencies, and unpacks them into the cache.
 * No package is installed: containerd would become a service of the machine.
 */
export async function unpackPackages(progress: Progress): Promise<void> {
  if (await isThere(packages)) return;
  const apt = join(cache, 'apt');
  const archives = join(apt, 'archives');
  for (const folder of [join(apt, 'lists', 'partial'), join(archives, 'partial')])
    await mkdir(folder, { recursive: true });
  const places = [
    `Dir::State::Lists=${apt}/lists`,
    `Dir::Cache=${apt}`,
    `Dir::Cache::Archives=${archives}`,
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
  ].flatMap((place) => ['-o', place]);
  progress.update(`downloading ${wanted.join(', ')} with apt-get, to ${apt}; nothing is installed`);
  await run('apt-get', ['-q', ...places, 'update']);
  const how = ['-q', '-y', '--no-install-recommends', '--download-only', 'install'];
  await run('apt-get', [...places, ...how, ...wanted]);
  const unfinished = `${packages}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  // Some packages still name the folders from before the merged /usr.
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    await mkdir(join(unfinished, 'usr', name), { recursive: true });
    await symlink(`usr/${name}`, join(unfinished, name));
  }
  const files = (await readdir(archives)).filter((name) => name.endsWith('.deb'));
  const unpack = 'dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink -C "$2"';
  for (const file of files)
    await run('bash', ['-o', 'pipefail', '-c', unpack, 'sh', join(archives, file), unfinished]);
  await rm(apt, { recursive: true });
  await rename(unfinished, packages);
  progress.done(`unpacked ${files.length} packages into ${packages}`);
}
