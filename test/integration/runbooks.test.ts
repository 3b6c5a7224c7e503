import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import { allCommands } from '../support/metric-queries.ts';
import { until } from '../support/until.ts';

const { binDir, kubeconfigPath } = inject('controlPlane');
/** The kubectl commands of the runbooks without their filters: in a healthy cluster, a filter finds nothing. */
const lines = new Set(
  (await allCommands())
    .filter((line) => /^kubectl [^<]*$/u.test(line))
    .map((line) => line.split(' | ')[0] ?? ''),
);

const env = {
  PATH: `${binDir}:${process.env['PATH']}`,
  KUBECONFIG: kubeconfigPath,
  KUBERC: 'off',
  KUBECACHEDIR: join(dirname(kubeconfigPath), 'kubectl-cache'),
};
const typed = (line: string) => promisify(execFile)('sh', ['-c', line], { env });

// A moment after the definitions, the API server does not announce their category yet.
beforeAll(
  async () =>
    void (await until('the category', () =>
      typed('kubectl get managed-db -A').catch(() => undefined),
    )),
);

test.each([...lines])('%s', async (line) => {
  await expect(typed(line)).resolves.toBeDefined();
});

test('the runbooks have lines to type', () => {
  expect(lines.size).toBeGreaterThan(10);
});
