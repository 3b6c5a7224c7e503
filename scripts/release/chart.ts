import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify as stringifyFolded } from 'yaml';
import * as z from 'zod';
import type { Facts, Hands } from './release.ts';

const source = 'deploy/helm/managed-db-operator';
/** Without a limit of the line, a long text stays a single line. */
const stringify = (value: object) => stringifyFolded(value, { lineWidth: 0 });
const definition = z.object({
  spec: z.object({
    names: z.object({ kind: z.string(), plural: z.string() }),
    group: z.string(),
    versions: z.array(z.object({ name: z.string() })).min(1),
  }),
});

/** The image of a release. */
export interface ReleasedImage {
  /** Registry and name, without a tag. */
  readonly image: string;
  /** `sha256:…` */
  readonly digest: string;
}

/** A chart that is ready for its push. */
export interface PackedChart {
  /** The folder with the chart's files. */
  readonly folder: string;
  /** The name of the archive in the folder of the release. */
  readonly archive: string;
}

/** Copies the chart, writes the image and the links of the release into the copy, and packs the copy. */
export async function packageChart(
  facts: Facts,
  { run }: Hands,
  image: ReleasedImage,
): Promise<PackedChart> {
  const folder = join(facts.folder, 'chart', 'managed-db-operator');
  await rm(folder, { recursive: true, force: true });
  await cp(source, folder, { recursive: true });
  const edit = async (name: string, edited: (text: string) => string): Promise<void> => {
    const path = join(folder, name);
    await writeFile(path, edited(await readFile(path, 'utf8')));
  };
  const crds = await readdir('crds');
  const texts = await Promise.all(
    crds.toSorted().map(async (name) => readFile(join('crds', name), 'utf8')),
  );
  await edit('values.yaml', (text) => releasedValues(text, facts, image));
  await edit('Chart.yaml', (text) => text + chartMetadata(facts, image, texts.map(definitionOf)));
  await run('helm', ['lint', '--strict', folder]);
  await run('helm', ['package', folder, '--destination', facts.folder]);
  return { folder, archive: `managed-db-operator-${facts.version}.tgz` };
}

/**
 * The chart's values with the image of the release, and with the runbooks of its version.
 * @throws {Error} when the values lack a line that a release replaces
 */
export function releasedValues(
  text: string,
  { home, version }: Pick<Facts, 'home' | 'version'>,
  { image, digest }: ReleasedImage,
): string {
  const lines = new Map([
    ['  repository', image],
    ['  digest', digest],
    ['    runbookUrl', `${home}/blob/v${version}/docs/runbooks`],
  ]);
  return [...lines].reduce((edited, [name, value]) => {
    const pattern = new RegExp(`^${name}: .*$`, 'gmu');
    if (edited.match(pattern)?.length !== 1)
      throw new Error(`values.yaml has not exactly one line "${name}:", which a release replaces`);
    return edited.replace(pattern, () => `${name}: ${value}`);
  }, text);
}

/** A CustomResourceDefinition, as Artifact Hub lists it. */
interface DefinitionEntry {
  readonly kind: string;
  readonly version: string;
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
}

function definitionOf(text: string): DefinitionEntry {
  const { names, group, versions } = definition.parse(parse(text)).spec;
  return {
    kind: names.kind,
    version: versions.at(-1)?.name ?? '',
    name: `${names.plural}.${group}`,
    displayName: names.kind,
    description: `${names.kind} of a managed database cloud`,
  };
}

/** Lines for the end of Chart.yaml: links, and the annotations that Artifact Hub reads. */
export function chartMetadata(
  { home, version }: Pick<Facts, 'home' | 'version'>,
  { image, digest }: ReleasedImage,
  crds: readonly DefinitionEntry[],
): string {
  const page = `${home}/blob/v${version}`;
  const links = [
    { name: 'Install', url: `${page}/docs/install.md` },
    { name: 'Safety', url: `${page}/docs/safety.md` },
    { name: 'Changelog', url: `${page}/CHANGELOG.md` },
  ];
  return stringify({
    home,
    sources: [`${home}/tree/v${version}`],
    annotations: {
      'artifacthub.io/category': 'database',
      'artifacthub.io/license': 'Apache-2.0',
      'artifacthub.io/operator': 'true',
      'artifacthub.io/operatorCapabilities': 'Seamless Upgrades',
      'artifacthub.io/prerelease': String(version.includes('-')),
      'artifacthub.io/images': stringify([
        { name: 'managed-db-operator', image: `${image}@${digest}` },
      ]),
      'artifacthub.io/links': stringify(links),
      'artifacthub.io/crds': stringify(crds),
    },
  });
}
