import { expect, test } from 'vitest';
import { operatorOf, whyNoKey } from '../../../src/cli/read/settings.ts';
import { KubernetesError, type ResourceType } from '../../../src/runtime/index.ts';

const cloud = { cloudUrl: 'https://cloud.example/v1' };
const key = Buffer.from('key').toString('base64');
const secret = { metadata: { name: 'mine', namespace: 'shop', uid: 'u' }, data: { apiKey: key } };

const deployment = (...args: readonly string[]) => ({
  metadata: { name: 'operator', namespace: 'system' },
  spec: { template: { spec: { containers: [{ name: 'operator', args }] } } },
});

function clusterWith(...deployments: readonly object[]) {
  return {
    get: <T>(type: ResourceType<T>) => Promise.resolve(type.parse(secret)),
    list: <T>(type: ResourceType<T>) =>
      Promise.resolve({
        items: deployments.map((each) => type.parse(each)),
        unreadable: [],
        resourceVersion: '1',
        continue: undefined,
      }),
  };
}

test.for([
  [
    'of the variable',
    {},
    { MANAGED_DB_API_KEY: 'k' },
    /your variable MANAGED_DB_API_KEY: correct/u,
  ],
  [
    'of --credentials',
    { credentials: 'shop/mine' },
    {},
    /^the key apiKey of Secret shop\/mine: .* --credentials$/u,
  ],
] as const)('a refused key %s is named by its source', async ([, choice, environment, words]) => {
  const found = await operatorOf(clusterWith(), { ...cloud, ...choice }, environment);
  expect(found.ownKeyWords?.rejected).toMatch(words);
});

test('without a key, the words name the variable and the flag of the program', async () => {
  const found = await operatorOf(clusterWith(), cloud, {});
  expect(found.operatorCredentialsNamespaces).toEqual(['*']);
  expect(found.ownKeyWords?.missing).toEqual({
    problem: 'spec.credentialsRef is not set, and managed-db has no API key',
    remedy: 'set the variable MANAGED_DB_API_KEY, or give --credentials NAMESPACE/NAME',
  });
});

test('if the operator has no key either, the words are those of the status', async () => {
  const cluster = clusterWith(deployment('--cloud-url=https://cloud.example/v1'));
  expect((await operatorOf(cluster, {}, {})).ownKeyWords).toBeUndefined();
});

test('a Deployment that the user may not read is known as hidden', async () => {
  const error = new KubernetesError({ operation: 'list deployments', kind: 'forbidden' });
  const cluster = { ...clusterWith(), list: () => Promise.reject(error) };
  expect((await operatorOf(cluster, cloud, {})).isDeploymentHidden).toBe(true);
  expect((await operatorOf(clusterWith(), cloud, {})).isDeploymentHidden).toBe(false);
});

test('without the right to list Deployments, the words name the right and not a missing Deployment', async () => {
  const error = new KubernetesError({ operation: 'list deployments', kind: 'forbidden' });
  const cluster = { ...clusterWith(), list: () => Promise.reject(error) };
  await expect(operatorOf(cluster, {}, {})).rejects.toThrow(
    'since you may not list Deployments in all namespaces: give --cloud-url',
  );
});

test.for([
  [
    'the Secret',
    undefined,
    'Secret mine: not found in namespace shop, or there is no such namespace',
  ],
  ['the key', { ...secret, data: {} }, 'Secret mine in namespace shop: has no key apiKey'],
] as const)(
  'of a key that cannot be read, the words say that %s is missing',
  async ([, found, words]) => {
    const cluster = {
      get: <T>(type: ResourceType<T>) => Promise.resolve(found && type.parse(found)),
    };
    expect(await whyNoKey(cluster, 'shop', 'mine')).toContain(words);
  },
);
