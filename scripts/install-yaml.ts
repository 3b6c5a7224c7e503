import { writeFile } from 'node:fs/promises';
import { resolveBinaries } from '../test/control-plane/binaries.ts';
import { terminalProgress } from '../test/control-plane/progress.ts';
import { installYaml } from './chart/install-yaml.ts';

// Writes deploy/install.yaml with the helm of the control plane. A test says when it is stale.

const { helm } = await resolveBinaries(terminalProgress(process.stderr));
await writeFile(new URL('../deploy/install.yaml', import.meta.url), await installYaml(helm));
process.stdout.write('deploy/install.yaml written\n');
