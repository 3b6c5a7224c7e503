import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { force } from '../../../src/simulator/store.ts';
import { operations } from '../../../src/cloud/wire/all.ts';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { peering, vpc } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { startWorld, worldKindOf, type World } from '../../support/world.ts';
import { manifestBlocks, pages } from '../../unit/docs/pages.ts';

const page = (path: string) =>
  readFile(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');
const manifest = z.object({ kind: z.string(), metadata: z.object({ name: z.string() }) });

/** Applies the manifests of a page in order, as a reader does. @returns the objects at the end */
async function follow(world: World, name: string): Promise<ReadonlyMap<string, string>> {
  const blocks = manifestBlocks(await page(name));
  const made = new Map<string, string>();
  for (const block of blocks) {
    const { code, stderr } = await world.kubectl(['apply', '-f', '-'], block);
    // Some pages show only the fields that they are about, and the policies of another test file warn of that.
    expect([
      code,
      stderr.split('\n').filter((line) => line !== '' && !line.includes('managed-db-warnings')),
    ]).toEqual([0, []]);
    const documents = parseAllDocuments(block).map((document) => manifest.parse(document.toJS()));
    for (const { kind, metadata } of documents) {
      const short = worldKindOf(kind);
      if (short) await world.untilReady(short, metadata.name);
      if (short) made.set(`${kind}/${metadata.name}`, metadata.name);
    }
  }
  expect(blocks.length).toBeGreaterThan(0);
  return made;
}

async function removeAll(world: World, objects: ReadonlyMap<string, string>): Promise<void> {
  expect(
    await world.kubectl(
      ['delete', '--timeout=40s', ...objects.keys()].map((name) =>
        name.replace('ReplicaSet/', 'rrset/'),
      ),
    ),
  ).toMatchObject({ code: 0 });
  await until(
    'an empty cloud',
    () => world.project.everCreated.every(({ deletedAt }) => deletedAt !== undefined),
    () => world.project.everCreated,
  );
}

const guides = [
  'docs/guide/managed-vpc.md',
  'docs/guide/managed-service.md',
  'docs/guide/replica-set.md',
  'docs/guide/fork.md',
  'docs/guide/governed-changes.md',
];
const followed = [...guides, 'docs/first-database.md', 'docs/credentials.md'];
/** Pages whose manifests name objects of other pages, in an order that creates these objects first. */
const inARow = [
  'docs/reference/managedvpc.md',
  'README.md',
  'docs/reference/managedservice.md',
  'docs/reference/replicaset.md',
];

test('every page with a manifest of ours is followed', () => {
  const withManifests = pages
    .filter(({ text }) => manifestBlocks(text).length > 0)
    .map(({ path }) => path);
  expect(withManifests.toSorted()).toEqual([...followed, ...inARow].toSorted());
});

test('every manifest of the README and the reference becomes Ready', async () => {
  await using world = await startWorld({ speed: 120 });
  const made = new Map<string, string>();
  for (const name of inARow)
    for (const [object, each] of await follow(world, name)) made.set(object, each);
  expect([...made.keys()].toSorted()).toEqual([
    'ManagedService/orders',
    'ManagedVpc/prod',
    'ReplicaSet/orders-reads',
  ]);
  await removeAll(world, made);
});

test(
  'every manifest of the guides works unchanged, and together they use all operations',
  { timeout: 180_000 },
  async () => {
    const worlds = await Promise.all(
      followed.map(async (name) => {
        const world = await startWorld({ speed: 120 });
        const cloud = {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'cloud' },
          stringData: { apiKey: world.project.apiKey },
        };
        await world.apply(cloud);
        await removeAll(world, await follow(world, name));
        return world;
      }),
    );
    // Lists that lag and lists without replica sets are the cloud's to choose.
    const lagging = await startWorld({ speed: 120, listLagMs: 600_000 });
    lagging.project.includeReplicaSets = false;
    const first = await page('docs/guide/replica-set.md');
    const [, block = ''] = /^```yaml\n(.*?)^```$/msu.exec(first) ?? [];
    await lagging.apply(vpc('lagging', { peerings: [peering] }));
    await lagging.kubectl(['apply', '-f', '-'], block);
    await lagging.untilReady('vpc', 'lagging');
    await lagging.untilReady('replicaSet', 'orders-reads');
    await until(
      'the peering to be asked for',
      () => lagging.project.calls.has('getPeering'),
      () => [...lagging.project.calls],
    );
    force(lagging.project, {
      kind: 'vpc',
      id: (await lagging.vpc('lagging'))?.status?.id ?? '',
      status: undefined,
    });
    await until('the VPC to be asked for, once somebody has removed it', () =>
      lagging.project.calls.has('getVpc'),
    );

    const called = new Set(
      [...worlds, lagging].flatMap(({ project }) => [...project.calls.keys()]),
    );
    expect([...called].toSorted()).toEqual(Object.keys(operations).toSorted());
    for (const world of [...worlds, lagging]) await world[Symbol.asyncDispose]();
  },
);
