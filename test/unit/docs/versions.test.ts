import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pages } from './pages.ts';

test('the install page names the versions of Kubernetes and Helm that the tests run', () => {
  const modules = readFileSync(new URL('../../control-plane/go.mod', import.meta.url), 'utf8');
  const minorOf = (module: string) =>
    new RegExp(`${module} v(\\d+\\.\\d+)\\.`, 'u').exec(modules)?.[1] ?? '';
  const page = pages.find(({ path }) => path === 'docs/install.md')?.text;
  expect(page).toContain(
    `The tests run on Kubernetes ${minorOf('k8s.io/kubernetes')} with Helm ${minorOf('helm.sh/helm/v4')}.`,
  );
});
