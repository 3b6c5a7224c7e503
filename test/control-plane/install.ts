import { readFile } from 'node:fs/promises';
import type { ControlPlaneHandle } from './control-plane.ts';
import { kubectl } from './kubectl.ts';

const installYaml = new URL('../../deploy/install.yaml', import.meta.url);

/**
 * Applies deploy/install.yaml but for the Deployment, whose Pods nobody would run here: namespace, definitions, rights, policies.
 * @throws {Error} with kubectl's own words
 */
export async function install(handle: ControlPlaneHandle): Promise<void> {
  const documents = (await readFile(installYaml, 'utf8')).split(/^---$/mu);
  const input = documents.filter((text) => !/^kind: Deployment$/mu.test(text)).join('---');
  const applied = await kubectl(handle, ['apply', '--server-side', '-f', '-'], { input });
  if (applied.code !== 0) throw new Error(`kubectl apply -f deploy/install.yaml: ${applied.stderr}`);
}
