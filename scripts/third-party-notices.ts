import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

const person = z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]);
const manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  author: person.default('its authors'),
});
/** The innermost package of a path. A plugin of esbuild may have put a name and the root before it. */
const inPackage = /node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+(?=\/)/u;
const ofLicense = /^(?:licen[cs]e|copying|notice)/iu;

/**
 * Names and licences of the packages that are bundled, with the texts that have to go with a copy of them.
 * @param inputs paths of the bundled files, from the root of the clone, as esbuild's metafile has them
 * @throws {z.ZodError} when a package does not name its licence, which a person must then look up
 */
export async function thirdPartyNotices(inputs: readonly string[]): Promise<string> {
  const folders = new Set(inputs.flatMap((path) => inPackage.exec(path)?.[0] ?? []));
  const notices = await Promise.all([...folders].toSorted().map(noticeOf));
  return ['managed-db-operator contains these packages.', ...notices].join(
    `\n\n${'-'.repeat(80)}\n\n`,
  );
}

async function noticeOf(folder: string): Promise<string> {
  const { name, version, license, author } = manifest.parse(
    JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
  );
  const files = (await readdir(folder)).filter((file) => ofLicense.test(file)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const known =
    texts.length > 0
      ? texts
      : [`By ${author}. The package names its licence, and comes without the text of it.`];
  return [`${name} ${version} (${license})`, ...known.map((text) => text.trim())].join('\n\n');
}
