import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { startLocalRegistry, type LocalRegistry } from '../../scripts/release/local-registry.ts';
import { pathOfRelease, runner } from '../../scripts/release/programs.ts';
import { pushBundle, rehearsal } from '../../scripts/release/rehearsal.ts';
import { filesOf, release, type Facts } from '../../scripts/release/release.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The dry run of a release, with an image of the bundle alone: `npm run release -- --dry-run` also runs the Dockerfile. */
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let registry: LocalRegistry;
let path: string;
let facts: Facts;
const printed: string[] = [];
const run: ReturnType<typeof runner> = async (...command) => runner(path)(...command);
const file = async (name: string) => readFile(join(facts.folder, name), 'utf8');
const version = '0.1.0';

beforeAll(async () => {
  folder = await temporaryFolder();
  path = await pathOfRelease({ update: () => undefined, done: () => undefined });
  registry = await startLocalRegistry(path);
  facts = {
    version,
    registry: `${registry.host}/databases`,
    home: 'https://git.test/ours/operator',
    revision: 'c'.repeat(40),
    time: 1_000_000_000,
    folder: join(folder.path, 'files'),
  };
  const pushImage = async (image: string) => pushBundle(run, image, facts);
  await release(facts, {
    ...rehearsal(run, pushImage, (line) => void printed.push(line)),
    step: async (_, work) => work(),
  });
}, 300_000);
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const metadata = z.object({ home: z.string(), annotations: z.record(z.string(), z.string()) });
const digestOf = async (name: string): Promise<string> =>
  (await run('crane', ['digest', `${registry.host}/databases/${name}`])).trim();

test('a dry run makes all files of the page, and publishes nothing', async () => {
  const entries = await readdir(facts.folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  expect(names.toSorted()).toEqual(filesOf(version).toSorted());
  const commands = printed.map((line) => line.replace('not in a dry run: ', ''));
  expect(commands.map((command) => command.split(' ').slice(0, 2).join(' '))).toEqual([
    'docker login,',
    'cosign sign',
    'cosign sign',
    'gh release',
  ]);
  expect(await file('THIRD-PARTY-NOTICES.txt')).toContain('undici ');
  const sbom = z.object({ packages: z.array(z.object({ name: z.string() })) });
  const packages = sbom.parse(JSON.parse(await file('sbom.spdx.json'))).packages;
  const named = packages.map(({ name }) => name);
  expect(named).toEqual(expect.arrayContaining(['undici', 'zod', 'yaml']));
  expect(named).not.toContain('vitest');
});

test('the chart in the registry and install.yaml have the image by its digest', async () => {
  const image = `${registry.host}/databases/managed-db-operator`;
  const digest = await digestOf(`managed-db-operator:${version}`);
  const chart = `oci://${registry.host}/databases/charts/managed-db-operator`;
  const shown = async (what: string): Promise<unknown> =>
    parse(await run('helm', ['show', what, chart, '--version', version, '--plain-http']));
  const { home, annotations } = metadata.parse(await shown('chart'));
  expect(home).toBe(facts.home);
  expect(annotations['artifacthub.io/images']).toContain(`${image}@${digest}`);
  expect(await shown('values')).toMatchObject({ image: { repository: image, digest } });
  expect(await file('install.yaml')).toContain(`image: "${image}@${digest}"`);
});

test('krew installs the plugin from its archive, and kubectl finds it', async () => {
  const root = join(folder.path, 'krew');
  // krew reads the variable KREW_ROOT, and the archive in place of the URL.
  const from = ['--manifest', join(facts.folder, 'managed-db.yaml')];
  const archive = ['--archive', join(facts.folder, `kubectl-managed-db-${version}.tar.gz`)];
  await run('env', [`KREW_ROOT=${root}`, 'krew', 'install', ...from, ...archive]);
  const bin = join(root, 'bin');
  // The PATH of the test has Node.
  const inPath = `PATH=${bin}:${dirname(process.execPath)}:/usr/bin:/bin`;
  const kubectl = inject('controlPlane').kubectlPath;
  expect(await run('env', [inPath, kubectl, 'plugin', 'list'])).toContain(
    join(bin, 'kubectl-managed_db'),
  );
  expect(await run('env', [inPath, kubectl, 'managed-db', '--version'])).toContain(version);
});

test('the manifest for krew has the checksum of the archive that checksums.txt has', async () => {
  const line = (await file('checksums.txt'))
    .split('\n')
    .find((each) => each.endsWith(`  kubectl-managed-db-${version}.tar.gz`));
  expect(parse(await file('managed-db.yaml'))).toHaveProperty(
    'spec.platforms.0.sha256',
    line?.split(' ')[0],
  );
});
