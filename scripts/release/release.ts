import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageChart } from './chart.ts';
import { checksums } from './checksums.ts';
import { packPlugin } from './plugin.ts';
import { productionSbom } from './sbom.ts';

/** The facts of a release. */
export interface Facts {
  /** Such as `0.1.0` or `0.1.0-rc.1`; the tag in git has a `v` before it. */
  readonly version: string;
  /** Host and path, such as `registry.example.com/databases`. */
  readonly registry: string;
  /** The URL of the repository's page. */
  readonly home: string;
  /** The commit, complete. */
  readonly revision: string;
  /** Seconds since 1970: the time of the commit, which all files in archives get. */
  readonly time: number;
  /** The folder for the files of the release. */
  readonly folder: string;
}

/** A command's additions to its arguments. */
export interface CommandOptions {
  /** The folder in which the command runs. Default: the folder of the clone. */
  readonly cwd?: string;
}

/** The programs of a release. */
export interface Hands {
  /** Runs a command and returns its output. */
  readonly run: (
    command: string,
    args: readonly string[],
    options?: CommandOptions,
  ) => Promise<string>;
  /** Runs a command whose effect outlives a dry run. A dry run prints the command instead. */
  readonly publish: (command: string, args: readonly string[]) => Promise<void>;
  /** Makes the registry take the pushes of this process. */
  readonly logIn: (host: string) => Promise<void>;
  /** Builds the image, pushes it without a tag, and returns its digest. */
  readonly pushImage: (image: string, facts: Facts) => Promise<string>;
  /** Announces a step, runs it, and returns its result. */
  readonly step: <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;
}

/**
 * Makes a release. The image gets its tag last but for the page of the release, so an image with the tag is signed.
 * A release that failed before its tag may be started again; after it, a new version is needed.
 */
export async function release(facts: Facts, hands: Hands): Promise<void> {
  const { version, registry, folder } = facts;
  const [image, charts] = [`${registry}/managed-db-operator`, `${registry}/charts`];
  const { run, publish, step } = hands;
  await mkdir(folder, { recursive: true });
  await step('Log in to the registry', async () => hands.logIn(registry.split('/')[0] ?? ''));
  await step('The version is not in the registry', async () => {
    const there = await run('crane', ['digest', `${image}:${version}`]).catch(() => undefined);
    if (there !== undefined)
      throw new Error(`${image}:${version} is released already: make a new version`);
  });
  await step('Bundle, THIRD-PARTY-NOTICES.txt, and sbom.spdx.json', () => bundle(facts, hands));
  const digest = await step('Image with SBOM and provenance, under its digest alone', () =>
    hands.pushImage(image, facts),
  );
  const chart = await step('Chart with this image, links and the metadata of Artifact Hub', () =>
    packageChart(facts, hands, { image, digest }),
  );
  await step('install.yaml and ledger-namespace.yaml with this image', async () => {
    const files = ['--chart', chart.folder, '--output', join(folder, 'install.yaml')];
    await run('node', ['scripts/install-yaml.ts', ...files]);
  });
  await step('Plugin of kubectl, with its manifest for krew', () => packPlugin(facts, hands));
  await step('checksums.txt', async () =>
    writeFile(join(folder, 'checksums.txt'), await checksums(folder)),
  );
  await step('Checks of the files', async () => {
    await run('sha256sum', ['--check', '--quiet', 'checksums.txt'], { cwd: folder });
    const manifest = join(folder, 'managed-db.yaml');
    await run('validate-krew-manifest', ['-skip-install', '-manifest', manifest]);
    await run('crane', ['manifest', `${image}@${digest}`]);
  });
  const chartDigest = await step('Chart, to the registry', async () => {
    const plain = registry.startsWith('localhost:') ? ['--plain-http'] : [];
    await run('helm', ['push', join(folder, chart.archive), `oci://${charts}`, ...plain]);
    return (await run('crane', ['digest', `${charts}/managed-db-operator:${version}`])).trim();
  });
  await step('Signatures', async () => {
    await publish('cosign', ['sign', '--yes', '--recursive', `${image}@${digest}`]);
    await publish('cosign', ['sign', '--yes', `${charts}/managed-db-operator@${chartDigest}`]);
  });
  await step('Tag of the image', async () => {
    await run('crane', ['tag', `${image}@${digest}`, version]);
    const tagged = (await run('crane', ['digest', `${image}:${version}`])).trim();
    if (tagged !== digest)
      throw new Error(`${image}:${version} is ${tagged}, and ${digest} was signed`);
  });
  await step('Page of the release', async () => {
    const notes = `Image: ${image}@${digest}, chart: oci://${charts}/managed-db-operator ${version}. See CHANGELOG.md.`;
    const files = filesOf(version).map((name) => join(folder, name));
    const flags = version.includes('-') ? ['--prerelease'] : [];
    const texts = ['--title', version, '--notes', notes];
    await publish('gh', ['release', 'create', `v${version}`, ...files, ...flags, ...texts]);
  });
}

/** The names of the files on the page of a release. */
export function filesOf(version: string): readonly string[] {
  return [
    'install.yaml',
    'ledger-namespace.yaml',
    `managed-db-operator-${version}.tgz`,
    `kubectl-managed-db-${version}.tar.gz`,
    'managed-db.yaml',
    'sbom.spdx.json',
    'THIRD-PARTY-NOTICES.txt',
    'checksums.txt',
  ];
}

async function bundle({ folder, revision }: Facts, { run }: Hands): Promise<void> {
  const bundled = join(folder, 'bundle');
  await run('node', ['scripts/build.ts', '--revision', revision.slice(0, 12), bundled]);
  await run('cp', [join(bundled, 'THIRD-PARTY-NOTICES.txt'), folder]);
  // .npmrc includes the packages for development, which no bundle has.
  const sbom = ['sbom', '--sbom-format', 'spdx', '--omit', 'dev'];
  const lock = await readFile('package-lock.json', 'utf8');
  await writeFile(join(folder, 'sbom.spdx.json'), productionSbom(await run('npm', sbom), lock));
}
