import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { SettingsError, settingsTable } from '../../../src/config/settings-table.ts';
import { apiServerOf } from '../../../src/operator/kubeconfig.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const proxy = { 'proxy-url': 'http://ops:s3cret@proxy.example.com:3128' };

/** A kubeconfig with a direct context and a context behind a proxy. */
const text = (server: string, current: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': current,
    clusters: [
      { name: 'direct', cluster: { server } },
      { name: 'proxied', cluster: { server, ...proxy } },
    ],
    users: [{ name: 'me', user: { token: 'a' } }],
    contexts: ['direct', 'proxied'].map((name) => ({
      name,
      context: { cluster: name, user: 'me' },
    })),
  });

const server = 'https://10.0.0.1:6443';
const isProxied =
  '--context (MANAGED_DB_CONTEXT): "proxied": must be a cluster without a proxy-url, which the operator ignores: run the operator in the cluster, or forward a port to its API server';

const outcome = async (content: string, context?: string): Promise<string> => {
  await using folder = await temporaryFolder();
  const kubeconfig = join(folder.path, 'kubeconfig');
  await writeFile(kubeconfig, content);
  try {
    return apiServerOf({ kubeconfig, context }).url.href;
  } catch (error) {
    return error instanceof SettingsError
      ? error.message.replace(kubeconfig, 'FILE')
      : `thrown: ${String(error)}`;
  }
};

test.each([
  ['is current, and behind a proxy', text(server, 'proxied'), undefined, isProxied],
  ['is chosen, and behind a proxy', text(server, 'direct'), 'proxied', isProxied],
  ['is direct, beside one behind a proxy', text(server, 'proxied'), 'direct', `${server}/`],
  [
    'has a server that is no URL',
    text('10.0.0.1', 'direct'),
    undefined,
    '--kubeconfig (MANAGED_DB_KUBECONFIG): "FILE": must be a kubeconfig that can be read (ERR_INVALID_URL)',
  ],
])('a context that %s is refused in one line, or taken', async (_, content, context, expected) => {
  expect(await outcome(content, context)).toBe(expected);
});

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['$KUBECONFIG', 'variable', 'https://variable.test/'],
  ['~/.kube/config', '', 'https://home.test/'],
])('without --kubeconfig, %s is read as its help says', async (_, variable, expected) => {
  await using home = await temporaryFolder();
  await mkdir(join(home.path, '.kube'));
  await writeFile(join(home.path, '.kube/config'), text('https://home.test', 'direct'));
  await writeFile(join(home.path, 'variable'), text('https://variable.test', 'direct'));
  vi.stubEnv('HOME', home.path);
  vi.stubEnv('KUBECONFIG', variable === '' ? '' : join(home.path, variable));
  expect(apiServerOf({}).url.href).toBe(expected);
  const help = settingsTable.find(({ flag }) => flag === 'kubeconfig')?.meaning ?? '';
  expect(help).toBe(
    'Default: $KUBECONFIG, else ~/.kube/config, else the ServiceAccount of the Pod',
  );
});
