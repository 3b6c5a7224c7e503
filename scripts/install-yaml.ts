import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { resolveBinaries } from '../test/control-plane/binaries.ts';
import { terminalProgress } from '../test/control-plane/progress.ts';
import { installYaml } from './chart/install-yaml.ts';

/**
 * Writes deploy/install.yaml. A test says when it is stale.
 *
 *     npm run install-yaml -- [--helm PROGRAM] [--output FILE] [--set NAME=VALUE ...]
 *
 * Default: the helm of the control plane, and nothing set but what scripts/chart/install-values.yaml has. A release sets its image.
 */
const { values } = parseArgs({
  options: {
    helm: { type: 'string' },
    output: { type: 'string', default: 'deploy/install.yaml' },
    set: { type: 'string', multiple: true, default: [] },
  },
});
const helm = values.helm ?? (await resolveBinaries(terminalProgress(process.stderr), ['helm'])).helm;
await writeFile(values.output, await installYaml(helm, values.set));
process.stdout.write(`${values.output} written\n`);
