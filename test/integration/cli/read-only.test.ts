import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { kubeconfigFor, kubeconfigText } from '../../control-plane/kubeconfig.ts';
import { serviceAccountToken } from '../../control-plane/kubectl.ts';
import { managedDb } from '../../support/managed-db.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWorld } from '../../support/world.ts';

const read = { verbs: ['get', 'list'] };
const service = {
  apiVersion: 'managed-db.io/v1alpha1',
  kind: 'ManagedService',
  metadata: { name: 'orders' },
  spec: { cpuMillis: 1000, memoryGbs: 4 },
};

test('plan without manifests, why and inventory need no right to write, and change nothing', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(service);
  const { namespace } = world;
  const name = `reader-${namespace}`;
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules: [
      { apiGroups: ['managed-db.io'], resources: ['*'], ...read },
      { apiGroups: [''], resources: ['secrets', 'namespaces', 'events'], ...read },
      { apiGroups: ['apps'], resources: ['deployments'], ...read },
    ],
  };
  await world.kubectl(['create', 'serviceaccount', 'reader']);
  await world.kubectl(['create', '-f', '-'], JSON.stringify(role));
  await world.kubectl([
    'create',
    'clusterrolebinding',
    name,
    `--clusterrole=${name}`,
    `--serviceaccount=${namespace}:reader`,
  ]);
  try {
    await using folder = await temporaryFolder();
    const kubeconfig = join(folder.path, 'kubeconfig');
    const handle = inject('controlPlane');
    const token = await serviceAccountToken(handle, namespace, 'reader');
    await writeFile(kubeconfig, kubeconfigText(kubeconfigFor(handle, { token })), { mode: 0o600 });
    const commits = [...world.project.commits];
    const version = (await world.service('orders'))?.metadata.resourceVersion;
    const ended = async (...args: string[]) => {
      const { code, stderr } = await managedDb(world, args, { kubeconfig });
      return [code, stderr.replace(/^Cloud and cluster as of .*\n/u, '')];
    };
    expect(await ended('plan', 'msvc/orders', '-n', namespace)).toEqual([0, '']);
    expect(await ended('plan', '--delete', 'msvc/orders', '-n', namespace)).toEqual([2, '']);
    expect(await ended('why', 'msvc/orders', '-n', namespace)).toEqual([0, '']);
    expect(await ended('inventory')).toEqual([0, '']);
    expect([...world.project.commits]).toEqual(commits);
    expect((await world.service('orders'))?.metadata.resourceVersion).toBe(version);
  } finally {
    await world.kubectl(['delete', 'clusterrolebinding,clusterrole', name]);
  }
});
