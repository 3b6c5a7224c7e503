import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { startControlPlane, type ControlPlane } from '../control-plane/control-plane.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Keywords that a schema may have gained in a newer version: limits, patterns and rules. */
const newer: ReadonlySet<string> = new Set([
  'x-kubernetes-validations',
  'pattern',
  'maximum',
  'format',
  'enum',
]);

const crds = fileURLToPath(new URL('../../crds/', import.meta.url));

/** The manifest of a CRD without some keywords or fields. @param file such as `managedservices.yaml` */
export async function definitionWithout(
  removed: ReadonlySet<string>,
  file: string,
): Promise<object> {
  const today: unknown = parse(await readFile(join(crds, file), 'utf8'));
  return z
    .looseObject({})
    .parse(
      JSON.parse(
        JSON.stringify(today, (key, value: unknown) => (removed.has(key) ? undefined : value)),
      ),
    );
}

/** A separate control plane whose CRDs have no limits. It accepts objects that the operator cannot read. */
export async function clusterOfYesterday(): Promise<ControlPlane> {
  await using folder = await temporaryFolder();
  for (const name of (await readdir(crds)).filter((file) => file !== 'kustomization.yaml')) {
    await writeFile(join(folder.path, name), stringify(await definitionWithout(newer, name)));
  }
  return await startControlPlane({ crds: folder.path });
}
