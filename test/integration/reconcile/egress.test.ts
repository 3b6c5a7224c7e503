import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { kubeconfigFor, kubeconfigText } from '../../control-plane/kubeconfig.ts';
import { behindTls } from '../../support/behind-tls.ts';
import { certificateFor } from '../../support/certificate.ts';
import { connectProxy } from '../../support/connect-proxy.ts';
import { service } from '../../support/manifests.ts';
import { operatorProcess } from '../../support/operator-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWorld } from '../../support/world.ts';

test.each(['--cloud-ca-file', 'NODE_EXTRA_CA_CERTS'])(
  'an operator behind a proxy reaches a cloud with a private CA (%s), and Kubernetes without the proxy',
  async (way) => {
    await using world = await startWorld({ start: false, speed: 1, latencyMs: 100 });
    await using folder = await temporaryFolder();
    await using proxy = await connectProxy();
    const tls = await certificateFor('cloud.test');
    await using front = await behindTls(world.simulator.url, tls);
    const [kubeconfig, ca] = [join(folder.path, 'kubeconfig'), join(folder.path, 'ca.pem')];
    await writeFile(kubeconfig, kubeconfigText(kubeconfigFor(inject('controlPlane'), { token: inject('operatorToken') })), { mode: 0o600 });
    await writeFile(ca, `a comment\n${tls.cert}`);
    const args = ['--cloud-url', `https://cloud.test:${front.port}`, '--namespaces', world.namespace, '--kubeconfig', kubeconfig];
    const more = ['--operator-credentials-namespaces', '*', '--health-address', '127.0.0.1:0'];
    await using operator = operatorProcess([...args, ...more, ...(way === '--cloud-ca-file' ? [way, ca] : [])], {
      MANAGED_DB_API_KEY: world.project.apiKey,
      MANAGED_DB_LEADER_ELECT: 'false',
      HTTPS_PROXY: proxy.url.replace('http://', 'http://ops:s3cret-word@'),
      ...(way === '--cloud-ca-file' ? {} : { [way]: ca }),
    });
    await world.applyUntilReady(service('orders'));
    operator.kill('SIGTERM');
    expect(await operator.ended).toBe(0);
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT cloud.test:${front.port}`]));
    expect(operator.stdout()).not.toContain('s3cret-word');
  },
);

test.each([
  ['is not there', undefined, '(ENOENT)'],
  ['has no certificate', 'nothing of the kind', '(there is none in it)'],
  ['has a broken one', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', '(number 1 in it is broken)'],
])('a --cloud-ca-file that %s is reported in one line, with exit code 2', async (_, content, why) => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'ca.pem');
  if (content !== undefined) await writeFile(file, content);
  await using operator = operatorProcess(['--cloud-url', 'https://api.example.com', '--cloud-ca-file', file]);
  expect([await operator.ended, operator.stderr()]).toEqual([
    2,
    `--cloud-ca-file (MANAGED_DB_CLOUD_CA_FILE): "${file}": must be a file with certificates in PEM ${why}\n`,
  ]);
});
