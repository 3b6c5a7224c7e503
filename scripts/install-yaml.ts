import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { resolveBinaries } from '../test/control-plane/binaries.ts';
import { terminalProgress } from '../test/control-plane/progress.ts';
import { installYaml } from './chart/install-yaml.ts';

/**
 * Writes deploy/install.yaml, and ledger-namespace.yaml beside it. A test reports a stale file.
 *
 *     npm run install-yaml -- [--helm PROGRAM] [--chart FOLDER] [--output FILE] [--set NAME=VALUE ...]
 *
 * Default: the helm of the control plane, and only the values of scripts/chart/install-values.yaml. A release gives its own chart, which has its image.
 */
const { values } = parseArgs({
  options: {
    helm: { type: 'string' },
    chart: { type: 'string', default: 'deploy/helm/managed-db-operator' },
    output: { type: 'string', default: 'deploy/install.yaml' },
    set: { type: 'string', multiple: true, default: [] },
  },
});
const helm =
  values.helm ?? (await resolveBinaries(terminalProgress(process.stderr), ['helm'])).helm;
const { install, ledgerNamespace } = await installYaml(helm, values.set, values.chart);
const files = [
  { path: values.output, text: install },
  { path: join(dirname(values.output), 'ledger-namespace.yaml'), text: ledgerNamespace },
];
for (const { path, text } of files) {
  await writeFile(path, text);
  process.stdout.write(`${path} written\n`);
}
