import { readFile } from 'node:fs/promises';
import type { ControlPlaneHandle } from './control-plane.ts';
import { kubectl } from './kubectl.ts';

const deploy = new URL('../../deploy/', import.meta.url);

/**
 * Applies deploy/ledger-namespace.yaml and deploy/install.yaml without the Deployment, since no kubelet runs here: namespaces, definitions, rights, policies.
 * @throws {Error} with kubectl's own words
 */
export async function install(handle: ControlPlaneHandle): Promise<void> {
  for (const file of ['ledger-namespace.yaml', 'install.yaml']) {
    const documents = (await readFile(new URL(file, deploy), 'utf8')).split(/^---$/mu);
    const input = documents.filter((text) => !/^kind: Deployment$/mu.test(text)).join('---');
    const applied = await kubectl(handle, ['apply', '--server-side', '-f', '-'], { input });
    if (applied.code !== 0) throw new Error(`kubectl apply -f deploy/${file}: ${applied.stderr}`);
  }
}
