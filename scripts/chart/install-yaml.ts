import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const namespace = 'managed-db-system';

const beginning = `# Everything that a cluster needs, for kubectl apply -f. Generated from the Helm chart by npm run install-yaml. Do not edit.
apiVersion: v1
kind: Namespace
metadata:
  name: ${namespace}
  labels:
    pod-security.kubernetes.io/enforce: restricted
`;

/**
 * deploy/install.yaml, rendered from the chart.
 * @param helm the program
 * @param set more values, as `name=value`
 */
export async function installYaml(helm: string, set: readonly string[] = []): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'managed-db-helm-'));
  try {
    const args = ['template', 'managed-db-operator', path('deploy/helm/managed-db-operator'), '--namespace', namespace];
    const values = ['--values', path('scripts/chart/install-values.yaml'), ...set.flatMap((each) => ['--set', each])];
    const { stdout } = await promisify(execFile)(helm, [...args, ...values], {
      env: { PATH: process.env['PATH'], HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home },
      maxBuffer: 16 * 1024 * 1024,
    });
    return beginning + withoutHelm(stdout);
  } finally {
    await rm(home, { recursive: true });
  }
}

/** Helm does not look after what was applied with kubectl: its labels and annotations would say otherwise. */
function withoutHelm(manifests: string): string {
  return manifests.replaceAll(
    /^(?:# Source: .*| +(?:helm\.sh\/chart|helm\.sh\/resource-policy|app\.kubernetes\.io\/managed-by): .*)\n/gmu,
    '',
  );
}
