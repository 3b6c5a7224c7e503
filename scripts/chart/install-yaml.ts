import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const namespace = 'managed-db-system';

const generated = 'Generated from the Helm chart by npm run install-yaml. Do not edit.';
const beginning = `# Everything that a cluster needs but ledger-namespace.yaml, which goes first, for kubectl apply -f. ${generated}
apiVersion: v1
kind: Namespace
metadata:
  name: ${namespace}
  labels:
    pod-security.kubernetes.io/enforce: restricted
`;
const ledger = 'templates/ledger-namespace.yaml';

/** The files of an installation without Helm: deploy/install.yaml and deploy/ledger-namespace.yaml. */
export interface InstallFiles {
  readonly install: string;
  /** A separate file: `kubectl delete -f install.yaml` must not delete the passwords. */
  readonly ledgerNamespace: string;
}

/**
 * The files, rendered from the chart.
 * @param helm the program
 * @param set more values, as `name=value`
 * @param chart the folder of the chart
 */
export async function installYaml(
  helm: string,
  set: readonly string[] = [],
  chart: string = path('deploy/helm/managed-db-operator'),
): Promise<InstallFiles> {
  const home = await mkdtemp(join(tmpdir(), 'managed-db-helm-'));
  const given = [
    '--values',
    path('scripts/chart/install-values.yaml'),
    ...set.flatMap((each) => ['--set', each]),
  ];
  const render = async (...more: readonly string[]) => {
    const args = ['template', 'managed-db-operator', chart, '--namespace', namespace];
    const { stdout } = await promisify(execFile)(helm, [...args, ...given, ...more], {
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        HELM_CACHE_HOME: home,
        HELM_CONFIG_HOME: home,
        HELM_DATA_HOME: home,
      },
      maxBuffer: 16 * 1024 * 1024,
    });
    return withoutHelm(stdout);
  };
  try {
    return {
      install: beginning + (await render('--set', 'ledger.createNamespace=false')),
      ledgerNamespace: `# kubectl apply -f this before install.yaml, and keep it. ${generated}\n${(await render('--show-only', ledger)).replace(/^---\n/u, '').trimEnd()}\n`,
    };
  } finally {
    await rm(home, { recursive: true });
  }
}

/** Helm does not look after objects that kubectl applied: its labels and annotations would claim otherwise. */
function withoutHelm(manifests: string): string {
  return manifests.replaceAll(
    /^(?:# Source: .*| +(?:helm\.sh\/chart|helm\.sh\/resource-policy|app\.kubernetes\.io\/managed-by): .*)\n/gmu,
    '',
  );
}
