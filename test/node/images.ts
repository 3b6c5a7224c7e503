import { chmod, copyFile, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { isThere } from '../control-plane/build.ts';
import type { Progress } from '../control-plane/progress.ts';
import { cache, root, state, storage } from './cache.ts';
import { attempt, run } from './run.ts';

const manifest = z
  .object({ version: z.string(), devDependencies: z.object({ node: z.string() }) })
  .parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));

/** The name of the operator's image, as `docker build` and the chart have it. */
export const operatorImage = `managed-db-operator:${manifest.version}`;
/** The image of the container that holds the namespaces of a Pod. */
export const pauseImage = 'localhost/pause:1';
/** Archives of the images. */
export const archives = join(state, 'images');

const base = `docker.io/library/node:${manifest.devDependencies.node}-slim`;
/** Programs of this machine that the Dockerfile and the tests call. */
const programs = 'sh env sort cat sleep ls mkdir ln rm cp chmod dirname uname sed touch find'.split(
  ' ',
);

async function buildah(args: readonly string[]): Promise<string> {
  const [command = '', ...rest] = args;
  const where = ['--root', storage, '--runroot', join(state, 'buildah')];
  return run('buildah', [...where, command, ...rest], {
    cwd: root,
    env: { STORAGE_DRIVER: 'overlay' },
  });
}

/** Makes the operator's image by its own Dockerfile, with a stand-in for its base, and writes archives. */
export async function makeImages(progress: Progress): Promise<void> {
  await mkdir(archives, { recursive: true });
  await makeOperatorImage(progress);
  await pushTo('operator.tar', `localhost/${operatorImage}`, `docker.io/library/${operatorImage}`);
  await pushTo('pause.tar', pauseImage, pauseImage);
  progress.done('the images are built');
}

/** Pushes the operator's image to a registry without TLS, and returns its digest. */
export async function pushOperatorImage(destination: string): Promise<string> {
  const file = join(state, 'digest');
  const how = ['-q', '--format', 'oci', '--tls-verify=false', '--digestfile', file];
  await buildah(['push', ...how, `localhost/${operatorImage}`, `docker://${destination}`]);
  return (await readFile(file, 'utf8')).trim();
}

/**
 * Makes the operator's image by its own Dockerfile, with a stand-in for its base.
 * @param labels arguments of the Dockerfile, such as `VERSION=0.1.0`
 */
export async function makeOperatorImage(
  progress: Progress,
  labels: readonly string[] = [],
): Promise<void> {
  const has = await buildah(['inspect', base]).catch(() => undefined);
  if (has === undefined) {
    progress.update(`making a stand-in of ${base} from this machine's programs`);
    await makeBase();
  }
  progress.update('building the image by the Dockerfile');
  const { stdout } = await attempt('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root });
  const revision = stdout.trim() || 'unknown';
  const how = ['--layers', '--runtime', 'runc', '--network', 'host', '--pull-never'];
  const given = [`REVISION=${revision}`, ...labels].flatMap((each) => ['--build-arg', each]);
  const what = [...given, '-t', operatorImage, '.'];
  await buildah(['bud', ...how, ...(await settingsOfNpm()), ...what]);
}

async function pushTo(file: string, image: string, name: string): Promise<void> {
  await buildah(['push', '-q', image, `docker-archive:${join(archives, file)}:${name}`]);
}

/** The home of the user that runs the Dockerfile's commands in the image. */
const homeInImage = '/root';

/** The Dockerfile's `npm ci` uses the registry and the certificates of this machine. */
async function settingsOfNpm(): Promise<readonly string[]> {
  const files = [
    [process.env['npm_config_userconfig'], `${homeInImage}/.npmrc`],
    [process.env['npm_config_globalconfig'], '/usr/local/etc/npmrc'],
    ['/etc/ssl/certs', '/etc/ssl/certs'],
  ];
  const mounts: string[] = [];
  for (const [file = '', place] of files)
    if (await isThere(file)) mounts.push('-v', `${file}:${place}:ro`);
  return mounts;
}

/** The base image may be out of reach: Node and npm of this clone, and a few programs of this machine with their libraries. */
async function makeBase(): Promise<void> {
  await rm(storage, { recursive: true, force: true });
  const folder = join(cache, 'base.unfinished');
  await rm(folder, { recursive: true, force: true });
  const tree = join(folder, 'tree');
  for (const name of [
    'usr/local/bin',
    'usr/local/etc',
    'usr/local/lib/node_modules',
    'usr/bin',
    'usr/lib',
    'usr/lib64',
    'etc/ssl/certs',
    'root',
    'tmp',
    'proc',
    'sys',
    'dev',
  ])
    await mkdir(join(tree, name), { recursive: true });
  await chmod(join(tree, 'tmp'), 0o1777);
  for (const name of ['bin', 'lib', 'lib64']) await symlink(`usr/${name}`, join(tree, name));
  await writeFile(join(tree, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
  await writeFile(join(tree, 'etc/group'), 'root:x:0:\n');
  const copies = new Map([[join(root, 'node_modules/node/bin/node'), 'usr/local/bin/node']]);
  for (const name of programs) {
    const path = (await run('sh', ['-c', 'command -v "$1"', 'sh', name])).trim();
    copies.set(path, `usr/bin/${name}`);
  }
  const libraries = new Map<string, string>();
  for (const path of copies.keys()) {
    const { stdout } = await attempt('ldd', [path]);
    for (const [, library = ''] of stdout.matchAll(/(\/\S+) \(0x/gu))
      libraries.set(library, library.replace(/^\/(usr\/)?/u, 'usr/'));
  }
  for (const [from, to] of [...copies, ...libraries]) {
    await mkdir(dirname(join(tree, to)), { recursive: true });
    await copyFile(from, join(tree, to));
  }
  const npm = dirname(dirname(process.env['npm_execpath'] ?? ''));
  await cp(npm, join(tree, 'usr/local/lib/node_modules/npm'), { recursive: true });
  // npm trusts the authorities that this machine trusts.
  const authorities = '/etc/ssl/certs/ca-certificates.crt';
  if (await isThere(authorities))
    await writeFile(join(tree, 'usr/local/lib/node_modules/npm/npmrc'), `cafile=${authorities}\n`);
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(tree, 'usr/local/bin/npm'));
  const path = '/usr/local/bin:/usr/bin:/bin';
  await writeFile(
    join(folder, 'base'),
    `FROM scratch\nCOPY tree /\nENV PATH=${path}\nCMD ["node"]\n`,
  );
  await writeFile(
    join(folder, 'pause'),
    `FROM ${base}\nUSER 65535:65535\nENTRYPOINT ["sleep", "infinity"]\n`,
  );
  for (const [file, name] of [
    ['base', base],
    ['pause', pauseImage],
  ])
    await buildah([
      'bud',
      '-q',
      '--pull-never',
      '-t',
      String(name),
      '-f',
      join(folder, String(file)),
      folder,
    ]);
  await rm(folder, { recursive: true });
}
