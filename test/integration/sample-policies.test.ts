import { expect, inject, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { replicaSet, service, vpc } from '../support/manifests.ts';
import { until } from '../support/until.ts';
import { startWorld } from '../support/world.ts';
import { pages, yamlBlocks } from '../unit/docs/pages.ts';
import { templates } from './chart/templates.ts';

/** A policy must not refuse the operator's writes to older objects: their databases would end, and the objects stay. */

const manifest = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({}),
});
type Manifest = z.infer<typeof manifest>;

const isPolicy = ({ kind }: Manifest) => kind === 'ValidatingAdmissionPolicy';
const isBinding = ({ kind }: Manifest) => kind === 'ValidatingAdmissionPolicyBinding';
const policiesIn = (yaml: string) =>
  parseAllDocuments(yaml)
    .flatMap((document) => manifest.safeParse(document.toJS()).data ?? [])
    .filter((each) => isPolicy(each) || isBinding(each));

const allowed = {
  config: {
    sizes: [
      { cpuMillis: 500, memoryGbs: 2 },
      { cpuMillis: 'shared', memoryGbs: 'shared' },
    ],
    regions: ['eu-central-1', 'eu-west-2'],
  },
};
const samples = pages.flatMap(({ path, text }) =>
  yamlBlocks(text)
    .map(policiesIn)
    .filter((found) => found.some(isPolicy))
    .map(
      (found) => [`the sample ${found[0]?.metadata.name} of ${path}`, found, undefined] as const,
    ),
);
const sizesAndRegions = policiesIn(await templates(inject('controlPlane')).render(allowed));

/** The policies under a name of their own, for this namespace only. */
function within(namespace: string, found: readonly Manifest[]): readonly Manifest[] {
  const matchResources = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  };
  return found.map((each) => ({
    ...each,
    metadata: { name: `${each.metadata.name}-${namespace}` },
    spec: isBinding(each)
      ? {
          ...each.spec,
          policyName: `${String(each.spec['policyName'])}-${namespace}`,
          matchResources,
        }
      : each.spec,
  }));
}

test('the pages have a policy to try', () => expect(samples.length).toBeGreaterThan(0));

const large = { cpuMillis: 8000, memoryGbs: 32 };

/** The answer of the policy of the chart. */
const answers: readonly (readonly [object, string])[] = [
  [
    service('fresh', { cpuMillis: 500, memoryGbs: 3 }),
    'the cloud has no size with cpuMillis 500 and memoryGbs 3. Choose cpuMillis/memoryGbs: 500/2, shared/shared',
  ],
  [
    vpc('fresh', { regionCode: 'mars-1' }),
    'the cloud has no region mars-1. Choose regionCode: eu-central-1, eu-west-2',
  ],
  [service('fresh', { cpuMillis: 500, memoryGbs: 2, regionCode: 'eu-west-2' }), ''],
  [service('fresh', { cpuMillis: undefined, memoryGbs: undefined }), ''],
  [replicaSet('fresh', 'orders', { cpuMillis: 500, memoryGbs: 2 }), ''],
];

test.concurrent.each([
  ...samples,
  ['the policy of config.sizes and config.regions', sizesAndRegions, answers] as const,
])(
  '%s refuses new objects, and older objects are annotated, kept and deleted as before',
  async (_, found, expected = []) => {
    await using world = await startWorld();
    const { namespace } = world;
    const region = { regionCode: 'eu-west-1' };
    await world.apply(
      vpc('net', region),
      service('orders', { ...large, ...region }),
      service('kept', { ...large, ...region }),
      replicaSet('reads', 'orders', large),
    );
    await world.untilReady('vpc', 'net');
    await world.untilReady('service', 'kept');
    await world.untilReady('replicaSet', 'reads');

    const policies = within(namespace, found);
    const all = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: policies });
    expect(await world.kubectl(['apply', '-f', '-'], all)).toMatchObject({ stderr: '' });
    try {
      const dryRun = ['create', '--dry-run=server', '-f', '-'];
      await until('the policy to refuse a new object', async () => {
        const fresh = JSON.stringify(service('fresh', { cpuMillis: 16_000, memoryGbs: 64 }));
        return (await world.kubectl(dryRun, fresh)).stderr.includes('denied request');
      });
      const shared = service('fresh', { cpuMillis: 'shared', memoryGbs: 'shared' });
      for (const [object, words] of [...expected, [shared, ''] as const]) {
        const { stderr } = await world.kubectl(dryRun, JSON.stringify(object));
        expect(stderr).toContain(words);
        expect(stderr.includes('denied request')).toBe(words !== '');
      }
      const grown = { spec: { cpuMillis: 16_000, memoryGbs: 64 } };
      await expect(world.patch('service', 'kept', grown)).rejects.toThrow('denied request');
      await world.patch('service', 'kept', { spec: { deletionPolicy: 'Retain' } });
      for (const [kind, name] of [
        ['replicaSet', 'reads'],
        ['service', 'orders'],
        ['service', 'kept'],
        ['vpc', 'net'],
      ] as const) {
        await world.patch(kind, name, {
          metadata: { annotations: { 'example.com/team': 'shop' } },
        });
        await world.remove(kind, name);
      }
      expect(
        world.project.everCreated.filter(({ deletedAt }) => deletedAt === undefined),
      ).toHaveLength(1);
    } finally {
      await world.kubectl(['delete', '-f', '-'], all);
    }
  },
);
