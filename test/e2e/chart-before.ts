import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { chart } from '../support/helm.ts';

/** The constraints that a definition gains from version to version: limits and rules. */
const newer: ReadonlySet<string> = new Set([
  'x-kubernetes-validations',
  'pattern',
  'maximum',
  'format',
]);

/** The chart of a version before, whose definitions say less. @returns its folder */
export async function chartBefore(folder: string): Promise<string> {
  const copy = join(folder, 'managed-db-operator');
  await cp(chart, copy, { recursive: true });
  const about = join(copy, 'Chart.yaml');
  await writeFile(
    about,
    (await readFile(about, 'utf8')).replace(/^version: .*$/mu, 'version: 0.0.1'),
  );
  const definitions = join(copy, 'files/crds');
  for (const name of await readdir(definitions)) {
    const today: unknown = parse(await readFile(join(definitions, name), 'utf8'));
    const before: unknown = JSON.parse(
      JSON.stringify(today, (key, value: unknown) => (newer.has(key) ? undefined : value)),
    );
    await writeFile(join(definitions, name), stringify(before));
  }
  return copy;
}
