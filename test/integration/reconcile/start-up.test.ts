import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { fileURLToPath } from 'node:url';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { startControlPlane } from '../../control-plane/control-plane.ts';
import { freePort } from '../../control-plane/free-port.ts';
import { adminKubeconfig, kubeconfigText } from '../../control-plane/kubeconfig.ts';
import { kubectl } from '../../control-plane/kubectl.ts';
import { operatorProcess } from '../../support/operator-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

test('all wrong values of the configuration are reported at once, one on a line, with exit code 2', async () => {
  await using operator = operatorProcess(
    ['--cloud-url', 'http://api.example.com', '--log-level=loud'],
    {
      MANAGED_DB_RATE_LIMIT: 'many',
    },
  );
  expect(await operator.ended).toBe(2);
  expect(operator.stdout()).toBe('');
  expect(operator.stderr().trim().split('\n').toSorted()).toEqual([
    '--cloud-url (MANAGED_DB_CLOUD_URL): "http://api.example.com": must be an https URL of host and path, such as https://api.example.com/v1 (http only for this machine; no user, query or fragment)',
    '--log-level (MANAGED_DB_LOG_LEVEL): "loud": must be trace, debug, info, warn or error',
    '--rate-limit (MANAGED_DB_RATE_LIMIT): "many": must be a number',
  ]);
});

test('an unknown flag is reported with exit code 2', async () => {
  await using operator = operatorProcess([
    '--cloud-url',
    'https://api.example.com',
    '--worker',
    '3',
  ]);
  expect(await operator.ended).toBe(2);
  expect(operator.stderr()).toBe("Unknown option '--worker': see --help\n");
});

test.each([
  [
    ['--kubeconfig', '/nowhere/kubeconfig'],
    '--kubeconfig (MANAGED_DB_KUBECONFIG): "/nowhere/kubeconfig": must be a kubeconfig that can be read (ENOENT)',
  ],
  [
    ['--context', 'staging'],
    '--kubeconfig (MANAGED_DB_KUBECONFIG): must be set: this is not a Pod, and there is neither $KUBECONFIG nor ~/.kube/config',
  ],
])('an undetermined cluster is reported in one line with exit code 2: %s', async (args, line) => {
  await using operator = operatorProcess([
    '--cloud-url',
    'https://api.example.com',
    '--leader-elect=false',
    '--health-address',
    '127.0.0.1:0',
    ...args,
  ]);
  expect(await operator.ended).toBe(2);
  expect(operator.stderr()).toBe(`${line}\n`);
});

test('an unknown context is reported in one line with the existing ones, and exit code 2', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'kubeconfig');
  await writeFile(file, kubeconfigText(adminKubeconfig(inject('controlPlane'))), { mode: 0o600 });
  const settings = [
    '--cloud-url',
    'https://api.example.com',
    '--leader-elect=false',
    '--health-address',
    '127.0.0.1:0',
  ];
  await using operator = operatorProcess([
    ...settings,
    '--kubeconfig',
    file,
    '--context',
    'staging',
  ]);
  expect(await operator.ended).toBe(2);
  expect(operator.stderr()).toBe(
    '--context (MANAGED_DB_CONTEXT): "staging": must be a context of the kubeconfig: control-plane\n',
  );
});

test('outside of a Pod, a setting must name the namespace of the Lease, or disable the election', async () => {
  await using operator = operatorProcess([
    '--cloud-url',
    'https://api.example.com',
    '--health-address',
    '127.0.0.1:0',
  ]);
  expect(await operator.ended).toBe(2);
  expect(operator.stderr()).toBe(
    '--leader-elect-resource-namespace (MANAGED_DB_LEADER_ELECT_RESOURCE_NAMESPACE): must be set, since this is not a Pod; or set --leader-elect=false, where no other process could act\n',
  );
});

test('a port in use is reported in one line, with exit code 2', async () => {
  await using simulator = await startSimulator();
  const { host } = new URL(simulator.url);
  await using folder = await temporaryFolder();
  const kubeconfig = join(folder.path, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigText(adminKubeconfig(inject('controlPlane'))), {
    mode: 0o600,
  });
  await using operator = operatorProcess([
    '--cloud-url',
    'https://api.example.com',
    '--kubeconfig',
    kubeconfig,
    '--leader-elect=false',
    '--health-address',
    host,
  ]);
  expect(await operator.ended).toBe(2);
  expect(operator.stderr()).toBe(
    `--health-address (MANAGED_DB_HEALTH_ADDRESS): "${host}": must be free to listen on (EADDRINUSE); choose another\n`,
  );
});

const warnings = (text: string) =>
  text.split('\n').filter((line) => line.includes('"level":"warn"'));

test('a rejected own API key is one warning at the start, and the end is logged with its signal', async () => {
  await using simulator = await startSimulator();
  const { apiKey } = simulator.addProject();
  await using folder = await temporaryFolder();
  const kubeconfig = join(folder.path, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigText(adminKubeconfig(inject('controlPlane'))), {
    mode: 0o600,
  });
  const args = [
    '--cloud-url',
    simulator.url,
    '--kubeconfig',
    kubeconfig,
    '--leader-elect=false',
    '--health-address',
    '127.0.0.1:0',
    '--namespaces',
    'nobodys',
  ];
  const words = "the cloud does not accept the operator's own API key";
  await using refused = operatorProcess(args, { MANAGED_DB_API_KEY: 'wrong' });
  await using accepted = operatorProcess(args, { MANAGED_DB_API_KEY: apiKey });
  for (const each of [refused, accepted]) {
    await until(
      'the start, and a word on the key',
      () =>
        each.stdout().includes('the operator works') &&
        (each === accepted || each.stdout().includes(words)),
      () => [each.stdout(), each.stderr()],
    );
    each.kill('SIGTERM');
    expect(await each.ended).toBe(0);
    expect(each.stdout()).toContain('"signal":"SIGTERM","msg":"stopping"');
  }
  expect(warnings(refused.stdout())).toEqual([
    expect.stringContaining(`"variable":"MANAGED_DB_API_KEY","msg":"${words}`),
  ]);
  expect(warnings(accepted.stdout())).toEqual([]);
});

test(
  'without an API server, and then without CRDs, the operator waits, says why, and continues when they come',
  { timeout: 90_000 },
  async () => {
    await using folder = await temporaryFolder();
    await using plane = await startControlPlane();
    const health = `127.0.0.1:${await freePort()}`;
    const kubeconfig = join(folder.path, 'kubeconfig');
    const real = kubeconfigText(adminKubeconfig(plane.handle));
    await writeFile(
      kubeconfig,
      real.replace(/https:\/\/127\.0\.0\.1:\d+/u, 'https://127.0.0.1:1'),
      { mode: 0o600 },
    );
    const args = [
      '--cloud-url',
      'http://127.0.0.1:1',
      '--kubeconfig',
      kubeconfig,
      '--leader-elect=false',
      '--health-address',
      health,
    ];
    {
      await using away = operatorProcess(args);
      await until(
        'the operator to say so',
        () => away.stdout().includes('the API server does not answer'),
        () => [away.stdout(), away.stderr()],
      );
      away.kill('SIGTERM');
      expect(await away.ended).toBe(0);
    }
    await writeFile(kubeconfig, real, { mode: 0o600 });
    await using operator = operatorProcess(args);
    const words =
      'waiting for the CustomResourceDefinition managedvpcs.managed-db.io: set crds.install=true in an installation of the chart';
    await until(
      'the operator to say so',
      () => operator.stdout().includes(words),
      () => [operator.stdout(), operator.stderr()],
    );
    expect(await (await fetch(`http://${health}/readyz`)).text()).toContain(words);
    await kubectl(plane.handle, [
      'apply',
      '-f',
      fileURLToPath(new URL('../../../crds', import.meta.url)),
    ]);
    await until(
      'the operator to work',
      () => operator.stdout().includes('the operator works'),
      () => [operator.stdout(), operator.stderr()],
    );
    expect(operator.stderr()).toBe('');
  },
);
