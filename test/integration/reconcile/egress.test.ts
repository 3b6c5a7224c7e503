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

test('an operator behind a proxy reaches a cloud with a private CA (NODE_EXTRA_CA_CERTS), and Kubernetes without the proxy', async () => {
  await using world = await startWorld({ start: false, speed: 1, latencyMs: 100 });
  await using folder = await temporaryFolder();
  await using proxy = await connectProxy();
  const tls = await certificateFor('cloud.test');
  await using front = await behindTls(world.simulator.url, tls);
  const [kubeconfig, ca] = [join(folder.path, 'kubeconfig'), join(folder.path, 'ca.pem')];
  await writeFile(
    kubeconfig,
    kubeconfigText(kubeconfigFor(inject('controlPlane'), { token: inject('operatorToken') })),
    { mode: 0o600 },
  );
  await writeFile(ca, `a comment\n${tls.cert}`);
  const args = [
    '--cloud-url',
    `https://cloud.test:${front.port}`,
    '--namespaces',
    world.namespace,
    '--kubeconfig',
    kubeconfig,
  ];
  const more = ['--operator-credentials-namespaces', '*', '--health-address', '127.0.0.1:0'];
  await using operator = operatorProcess([...args, ...more], {
    MANAGED_DB_API_KEY: world.project.apiKey,
    MANAGED_DB_LEADER_ELECT: 'false',
    HTTPS_PROXY: proxy.url.replace('http://', 'http://ops:s3cret-word@'),
    NODE_EXTRA_CA_CERTS: ca,
  });
  await world.applyUntilReady(service('orders'));
  operator.kill('SIGTERM');
  expect(await operator.ended).toBe(0);
  expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT cloud.test:${front.port}`]));
  expect(operator.stdout()).not.toContain('s3cret-word');
});
