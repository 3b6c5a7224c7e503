import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { sha256 } from './checksums.ts';
import type { Facts, Hands } from './release.ts';

/**
 * Packs the command line of the bundle as a plugin of kubectl, and writes its manifest for krew. The archive needs Node
 * on the user's machine. It has no platform of its own: a single archive serves Linux and macOS.
 */
export async function packPlugin(facts: Facts, { run }: Hands): Promise<void> {
  const { folder, version, time } = facts;
  const [bundle, plugin] = [join(folder, 'bundle'), join(folder, 'plugin')];
  await rm(plugin, { recursive: true, force: true });
  await mkdir(plugin, { recursive: true });
  for (const name of (await readdir(bundle)).filter(isOfPlugin))
    await cp(join(bundle, name), join(plugin, name));
  await cp('LICENSE', join(plugin, 'LICENSE'));
  await writeFile(join(plugin, 'package.json'), `${JSON.stringify({ version, type: 'module' })}\n`);
  const archive = join(folder, `kubectl-managed-db-${version}.tar.gz`);
  const same = ['--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner'];
  await run('tar', ['--create', '--gzip', '--file', archive, ...same, '-C', plugin, '.']);
  await writeFile(join(folder, 'managed-db.yaml'), krewManifest(facts, await sha256(archive)));
}

/** The operator itself and the source maps are of no use to the command line. */
function isOfPlugin(name: string): boolean {
  return (name.endsWith('.js') && name !== 'main.js') || name.endsWith('.txt');
}

/** The manifest of the plugin `kubectl managed-db` for krew. Its file has the name of the plugin. */
export function krewManifest(
  { home, version }: Pick<Facts, 'home' | 'version'>,
  checksum: string,
): string {
  return stringify({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'managed-db' },
    spec: {
      version: `v${version}`,
      homepage: home,
      shortDescription: 'Plan, explain and import managed databases',
      description:
        'Plans changes of the databases that managed-db-operator manages, explains objects that wait, and imports existing databases.\n',
      caveats: 'The plugin needs Node 24 or newer on the PATH.\n',
      platforms: [
        {
          selector: {
            matchExpressions: [{ key: 'os', operator: 'In', values: ['darwin', 'linux'] }],
          },
          uri: `${home}/releases/download/v${version}/kubectl-managed-db-${version}.tar.gz`,
          sha256: checksum,
          bin: 'managed-db.js',
        },
      ],
    },
  });
}
