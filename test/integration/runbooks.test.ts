import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import { until } from '../support/until.ts';

const { binDir, kubeconfigPath } = inject('controlPlane');
const folder = new URL('../../docs/runbooks/', import.meta.url);

/** What a person types, without what sifts the answer: that finds nothing in a cluster where nothing is wrong. */
const lines = readdirSync(folder).flatMap((page) =>
  [...readFileSync(new URL(page, folder), 'utf8').matchAll(/^```sh\n(.*?)^```/gmsu)]
    .flatMap(([, block = '']) => block.split('\n'))
    .filter((line) => line.startsWith('kubectl '))
    .map((line) => [page, line.split(' | ')[0] ?? ''] as const),
);

const env = {
  PATH: `${binDir}:${process.env['PATH']}`,
  KUBECONFIG: kubeconfigPath,
  KUBERC: 'off',
  KUBECACHEDIR: join(dirname(kubeconfigPath), 'kubectl-cache'),
};
const typed = (line: string) => promisify(execFile)('sh', ['-c', line], { env });

// A moment after the definitions, the API server does not announce their category yet.
beforeAll(async () => void (await until('the category', () => typed('kubectl get managed-db -A').catch(() => undefined))));

test.each(lines)('in %s: %s', async (_page, line) => {
  await expect(typed(line)).resolves.toBeDefined();
});

test('the runbooks have lines to type', () => {
  expect(lines.length).toBeGreaterThan(20);
});
