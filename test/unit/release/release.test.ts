import { hash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { chartMetadata, releasedValues } from '../../../scripts/release/chart.ts';
import { checksums } from '../../../scripts/release/checksums.ts';
import { krewManifest } from '../../../scripts/release/plugin.ts';
import { publishing } from '../../../scripts/release/publishing.ts';
import type { Run } from '../../../scripts/release/programs.ts';
import { filesOf, release, type Facts } from '../../../scripts/release/release.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const image = 'registry.test/databases/managed-db-operator';
const password = 'secret-of-the-registry';

const factsIn = (folder: string, version = '1.2.3'): Facts => ({
  version,
  registry: 'registry.test/databases',
  home: 'https://git.test/ours/operator',
  revision: 'c'.repeat(40),
  time: 1_000_000_000,
  folder,
});

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function step<Result>(_: string, work: () => Promise<Result>): Promise<Result> {
  return work();
}

/** A real release, in which each program is replaced: it records its command, and answers as a new version needs it. */
async function recorded(facts: Facts, answers: Readonly<Record<string, string>> = {}) {
  const commands: string[] = [];
  const stdins: string[] = [];
  let tagged = false;
  const run: Run = async (command, args, { stdin = '' } = {}) => {
    const line = [command, ...args].join(' ');
    commands.push(line);
    if (stdin !== '') stdins.push(stdin);
    if (line.startsWith('node scripts/build.ts'))
      await write(join(args.at(-1) ?? '', 'managed-db.js'), 'bundle');
    if (command === 'tar') await write(args[args.indexOf('--file') + 1] ?? '', 'archive');
    const [, metadata] = /--metadata-file=(\S+)/u.exec(line) ?? [];
    if (metadata !== undefined)
      await write(metadata, JSON.stringify({ 'containerimage.digest': digest }));
    const answer = answers[line];
    if (answer !== undefined) return answer;
    if (line.startsWith('npm sbom')) return '{"packages": [], "relationships": []}';
    if (line.startsWith('crane tag')) tagged = true;
    if (line === `crane digest ${image}:${facts.version}`) {
      if (!tagged) throw new Error('there is no such image');
      return `${digest}\n`;
    }
    return line.startsWith('crane digest') ? 'sha256:c0ffee\n' : '';
  };
  const hands = publishing(run, { user: 'robot', password });
  const error = await release(facts, { ...hands, step }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { commands, stdins, error };
}

test('an image has its tag only when image and chart are signed, and the page comes last', async () => {
  await using work = await temporaryFolder();
  const { commands, error } = await recorded(factsIn(work.path));
  expect(error).toBeUndefined();
  const order = [
    `crane digest ${image}:1.2.3`,
    'push-by-digest=true',
    'helm lint --strict',
    'helm package',
    'sha256sum --check',
    'helm push',
    `cosign sign --yes --recursive ${image}@${digest}`,
    'cosign sign --yes registry.test/databases/charts/managed-db-operator@sha256:c0ffee',
    `crane tag ${image}@${digest} 1.2.3`,
    'gh release create v1.2.3',
  ].map((words) => commands.findIndex((command) => command.includes(words)));
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(commands.find((command) => command.includes('push-by-digest'))).not.toContain('--tag');
});

test('the image is built for two platforms, with SBOM and provenance, and names its source', async () => {
  await using work = await temporaryFolder();
  const { commands } = await recorded(factsIn(work.path));
  const build = commands.find((command) => command.startsWith('docker buildx build'));
  for (const flag of [
    '--platform=linux/amd64,linux/arm64',
    '--sbom=true',
    '--provenance=mode=max',
    'REVISION=cccccccccccc ',
    'VERSION=1.2.3',
    'SOURCE=https://git.test/ours/operator',
    'index:org.opencontainers.image.source=https://git.test/ours/operator',
  ])
    expect(build).toContain(flag);
});

test('a release stops before its first push where its tag is in the registry', async () => {
  await using work = await temporaryFolder();
  const there = { [`crane digest ${image}:1.2.3`]: 'sha256:older\n' };
  const { commands, error } = await recorded(factsIn(work.path), there);
  expect(String(error)).toContain(`${image}:1.2.3 is released already: make a new version`);
  expect(commands.filter((command) => /build|push|sign|tag|gh/u.test(command))).toEqual([]);
});

test('the password of the registry is in no argument of a command', async () => {
  await using work = await temporaryFolder();
  const { commands, stdins } = await recorded(factsIn(work.path));
  expect(stdins).toEqual([password, password]);
  expect(commands.filter((command) => command.includes(password))).toEqual([]);
  expect(commands).toContain('docker login registry.test --username robot --password-stdin');
});

test.each([
  ['1.2.3', false],
  ['1.2.3-rc.1', true],
])(
  'the page of version %s has all files, and is that of a pre-release: %s',
  async (version, early) => {
    await using work = await temporaryFolder();
    const { commands } = await recorded(factsIn(work.path, version));
    const page = commands.find((command) => command.startsWith('gh release create')) ?? '';
    for (const name of filesOf(version)) expect(page).toContain(` ${join(work.path, name)} `);
    expect(page.includes(' --prerelease ')).toBe(early);
    expect(page).toContain(`Image: ${image}@${digest}, chart: oci://`);
  },
);

const values = `image:
  # registry and name
  repository: managed-db-operator
  digest: ""
metrics:
  prometheusRule:
    runbookUrl: ""
`;

test('the values of a released chart have its image by digest, and the runbooks of its version', () => {
  const released = releasedValues(values, factsIn(''), { image, digest });
  expect(parse(released)).toEqual({
    image: { repository: image, digest },
    metrics: {
      prometheusRule: { runbookUrl: 'https://git.test/ours/operator/blob/v1.2.3/docs/runbooks' },
    },
  });
  expect(released).toContain('# registry and name');
});

test.each([
  ['is missing', values.replace('  digest: ""\n', '')],
  ['occurs twice', `${values}  digest: ""\n`],
])('a release stops if a line that it replaces %s', (_, text) => {
  expect(() => releasedValues(text, factsIn(''), { image, digest })).toThrow('"  digest:"');
});

const entry = z.strictObject({
  kind: z.string(),
  version: z.string(),
  name: z.string(),
  displayName: z.string(),
  description: z.string(),
});
// https://artifacthub.io/docs/topics/annotations/helm
const annotations = z.strictObject({
  'artifacthub.io/category': z.enum(['database']),
  'artifacthub.io/license': z.literal('Apache-2.0'),
  'artifacthub.io/operator': z.literal('true'),
  'artifacthub.io/operatorCapabilities': z.enum([
    'Basic Install',
    'Seamless Upgrades',
    'Full Lifecycle',
    'Deep Insights',
    'Auto Pilot',
  ]),
  'artifacthub.io/prerelease': z.enum(['true', 'false']),
  'artifacthub.io/images': yamlOf(
    z.tuple([z.strictObject({ name: z.string(), image: z.string() })]),
  ),
  'artifacthub.io/links': yamlOf(z.array(z.strictObject({ name: z.string(), url: z.url() }))),
  'artifacthub.io/crds': yamlOf(z.array(entry)),
});

/** Artifact Hub reads lists as YAML in a string. */
function yamlOf<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .transform((text): unknown => parse(text))
    .pipe(schema);
}

test('the annotations of a released chart are those of Artifact Hub, with the image by digest', () => {
  const crd = {
    kind: 'ManagedService',
    version: 'v1alpha1',
    name: 'managedservices.managed-db.io',
    displayName: 'ManagedService',
    description: 'a service',
  };
  const text = chartMetadata(factsIn('', '1.2.3-rc.1'), { image, digest }, [crd]);
  const chart = z
    .strictObject({ home: z.url(), sources: z.array(z.url()), annotations })
    .parse(parse(text));
  expect(chart.sources).toEqual(['https://git.test/ours/operator/tree/v1.2.3-rc.1']);
  expect(chart.annotations['artifacthub.io/images'][0].image).toBe(`${image}@${digest}`);
  expect(chart.annotations['artifacthub.io/prerelease']).toBe('true');
  expect(chart.annotations['artifacthub.io/crds']).toEqual([crd]);
});

test('the manifest for krew has the version, the archive and its checksum', () => {
  const manifest: unknown = parse(krewManifest(factsIn(''), 'f'.repeat(64)));
  expect(manifest).toMatchObject({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'managed-db' },
    spec: {
      version: 'v1.2.3',
      homepage: 'https://git.test/ours/operator',
      platforms: [
        {
          uri: 'https://git.test/ours/operator/releases/download/v1.2.3/kubectl-managed-db-1.2.3.tar.gz',
          sha256: 'f'.repeat(64),
          bin: 'managed-db.js',
        },
      ],
    },
  });
});

test('the checksums name each file of the folder but themselves, sorted', async () => {
  await using work = await temporaryFolder();
  for (const name of ['b.txt', 'a.txt', 'checksums.txt'])
    await writeFile(join(work.path, name), name);
  await mkdir(join(work.path, 'bundle'));
  expect(await checksums(work.path)).toBe(
    `${hash('sha256', 'a.txt')}  a.txt\n${hash('sha256', 'b.txt')}  b.txt\n`,
  );
});
