import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { startControlPlane, type ControlPlane } from '../control-plane/control-plane.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Keywords that a schema may have gained in a newer version: limits, patterns and rules. */
const newer: ReadonlySet<string> = new Set(['x-kubernetes-validations', 'pattern', 'maximum', 'format', 'enum']);

/** A control plane of its own whose CRDs have no limits. It accepts objects that the operator cannot read. */
export async function clusterOfYesterday(): Promise<ControlPlane> {
  const crds = fileURLToPath(new URL('../../crds/', import.meta.url));
  await using folder = await temporaryFolder();
  for (const name of (await readdir(crds)).filter((file) => file !== 'kustomization.yaml')) {
    const today: unknown = parse(await readFile(join(crds, name), 'utf8'));
    const yesterday: unknown = JSON.parse(JSON.stringify(today, (key, value: unknown) => (newer.has(key) ? undefined : value)));
    await writeFile(join(folder.path, name), stringify(yesterday));
  }
  return await startControlPlane({ crds: folder.path });
}
