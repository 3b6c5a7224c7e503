import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { create } from '../../../src/simulator/store.ts';
import { peeringId } from '../../../src/cloud/wire/peering.ts';
import { replicaSetId } from '../../../src/cloud/wire/replica-set.ts';
import { serviceId } from '../../../src/cloud/wire/service.ts';
import { vpcId } from '../../../src/cloud/wire/vpc.ts';
import { syncedOf } from '../../../src/resources/condition.ts';
import { kinds, resourceTypes, type ManagedObject } from '../../../src/resources/managed-object.ts';
import { resourceKey, type ResourceType } from '../../../src/runtime/index.ts';
import { managedDb } from '../../support/managed-db.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** A quarter of a large project; with IMPORT_FULL=1 all of it: 20 VPCs, 200 services, 40 replica sets. */
const part = process.env['IMPORT_FULL'] === '1' ? 1 : 4;

/** A project with every shape of a resource: names that are taken twice or no name at all, stopped, attached, pooled, with peerings and replicas. */
function fill(
  { project }: World,
  { vpcs, services, replicaSets }: Readonly<Record<'vpcs' | 'services' | 'replicaSets', number>>,
): void {
  for (let number = 0; number < vpcs; number += 1) {
    const id = vpcId.parse(`8${number}`);
    create(project, 'vpc', {
      id,
      first: {
        id,
        name: `Net ${number % 7}`,
        cidr: `10.${number}.0.0/16`,
        region_code: 'eu-central-1',
      },
    });
    if (number % 3 !== 0) continue;
    const peering = peeringId.parse(`9${number}`);
    const other = {
      peer_account_id: '123',
      peer_region_code: 'eu-central-1',
      peer_vpc_id: `vpc-${number}`,
    };
    create(project, 'peering', {
      id: peering,
      first: { id: peering, ...other, status: 'active' },
      parentId: id,
    });
  }
  for (let number = 0; number < services; number += 1) {
    const id = serviceId.parse(`svc${number}`);
    const vpc = `8${number % vpcs}`;
    create(project, 'service', {
      id,
      name: `Orders_${number % 50}`,
      first: {
        service_id: id,
        ...(number % 11 === 0 ? {} : { name: `Orders_${number % 50}` }),
        region_code: 'eu-central-1',
        service_type: number % 13 === 0 ? 'VECTOR' : 'POSTGRES',
        status: number % 5 === 0 ? 'PAUSED' : 'READY',
        created: '2026-01-01T00:00:00Z',
        endpoint: { host: `${id}.db.example`, port: 5432 },
        metadata: { environment: number % 2 === 0 ? 'PROD' : 'DEV' },
        resources: [{ id: '1', spec: { cpu_millis: 1000, memory_gbs: 4, volume_type: 'gp3' } }],
        ha_replicas: {
          replica_count: number % 3,
          sync_replica_count: number % 2 === 0 ? 0 : Math.min(1, number % 3),
        },
        ...(number % 4 === 0
          ? { connection_pooler: { endpoint: { host: `${id}.pooler.db.example`, port: 6432 } } }
          : {}),
        ...(number % 6 === 0
          ? { vpcEndpoint: { host: `${id}.vpc.db.example`, port: 5432, vpc_id: vpc } }
          : {}),
      },
    });
  }
  for (let number = 0; number < replicaSets; number += 1) {
    const id = replicaSetId.parse(`55${number}`);
    const endpoint = { host: `${id}.replicas.db.example`, port: 5432 };
    const first = {
      id,
      name: `reads ${number}`,
      nodes: 2,
      cpu_millis: 500,
      memory_gbs: 2,
      endpoint,
      status: 'active',
      metadata: { environment: 'DEV' },
    };
    create(project, 'replicaSet', { id, first, parentId: `svc${number * 5 + 1}` });
  }
}

test(
  'an imported project is adopted without a change in the cloud, also once its objects are managed',
  { timeout: 180_000 },
  async () => {
    await using world = await startWorld();
    const size = { vpcs: 20 / part, services: 200 / part, replicaSets: 40 / part };
    fill(world, size);
    await world.kubectl([
      'create',
      'secret',
      'generic',
      'cloud',
      `--from-literal=apiKey=${world.project.apiKey}`,
    ]);
    await using folder = await temporaryFolder();
    const out = join(folder.path, 'out');
    const { stdout, stderr, code } = await managedDb(world, [
      'import',
      '-n',
      world.namespace,
      '--output-dir',
      out,
      '--credentials-ref',
      'cloud',
    ]);
    expect([code, stderr, stdout]).toEqual([
      0,
      '',
      expect.stringContaining(
        `${size.vpcs} mvpc, ${size.services} msvc, ${size.replicaSets} rrset`,
      ),
    ]);
    const files = await readdir(out);
    const manifests = await Promise.all(
      files.map(async (file) => manifest.parse(parse(await readFile(join(out, file), 'utf8')))),
    );
    expect(manifests).toHaveLength(260 / part);
    const attached = manifests.find(({ metadata: { name } }) => name === 'orders-6');
    expect(attached).toMatchObject({
      spec: {
        vpcRef: { name: `net-${6 % size.vpcs}` },
        managementPolicy: 'Observe',
        deletionPolicy: 'Retain',
      },
    });

    await Promise.all(
      manifests.map((each) => world.kubernetes.create(typeOf(each), world.namespace, each)),
    );
    await untilAllSynced(world, manifests.length, 1);
    const manage = { spec: { managementPolicy: 'Manage' } };
    await Promise.all(
      manifests.map((each) =>
        world.kubernetes.patch(
          typeOf(each),
          resourceKey(world.namespace, each.metadata.name),
          manage,
        ),
      ),
    );
    await untilAllSynced(world, manifests.length, 2);
    expect([...world.project.commits]).toEqual([]);
  },
);

/** A service that the simulator lists, as a cloud shows it. */
function addService({ project }: World, number: number, name: string): void {
  const id = serviceId.parse(`svc${number}`);
  const first = {
    service_id: id,
    name,
    region_code: 'eu-central-1',
    service_type: 'POSTGRES' as const,
    status: 'READY' as const,
    created: '2026-01-01T00:00:00Z',
    endpoint: { host: `${id}.db.example`, port: 5432 },
    resources: [{ id: '1', spec: { cpu_millis: 1000, memory_gbs: 4, volume_type: 'gp3' } }],
  };
  create(project, 'service', { id, name, first });
}

/** YAML 1.1 takes most of them for another value, or for no YAML at all. */
const trickyNames = [
  'y',
  'n',
  'no',
  'on',
  'true',
  'null',
  '~',
  '=',
  '1_000',
  '0777',
  '0o7',
  '0x1F',
  '1e3',
  '.inf',
  '12:30',
  '12:30:45',

  '2026-11-28',
  '- a',
  'a: b # c',
  "it's",
  '"',
  'a\nspec: {}',
  'a\u0085b',
  '\u2028',
  '\u001b[31m',
  '\u009b',
  '\u007f',
  '\ufeffa',
  '\u202e',
  '\u{e0041}',
  '😀',
];

test('kubectl reads each name of an import as it is in the cloud, and a resource that it refuses does not hold up the others', async () => {
  await using world = await startWorld();
  const tooLong = 'x'.repeat(129);
  for (const [number, name] of [...trickyNames, tooLong].entries()) addService(world, number, name);
  for (const [number, peerings] of ['well', 'unreadable'].entries()) {
    const id = vpcId.parse(`8${number}`);
    create(world.project, 'vpc', {
      id,
      first: { id, name: peerings, cidr: `10.${number}.0.0/16`, region_code: 'eu-central-1' },
    });
  }
  world.project.faults.add({
    kind: 'malformed',
    operation: 'listPeerings',
    as: 'wrongType',
    times: 1,
  });
  await world.kubectl([
    'create',
    'secret',
    'generic',
    'cloud',
    `--from-literal=apiKey=${world.project.apiKey}`,
  ]);
  await using folder = await temporaryFolder();
  const out = join(folder.path, 'out');
  const place = ['-n', world.namespace, '--output-dir', out, '--credentials-ref', 'cloud'];
  const { stdout, stderr, code } = await managedDb(world, ['import', ...place]);
  expect(code).toBe(1);
  expect(stdout).toContain(`1 mvpc, ${trickyNames.length} msvc written to ${out}`);
  expect(stdout).toContain('Proved');
  expect(stderr).toMatch(/Error: peerings of VPC 8\d: the cloud: /u);
  expect(stderr).toContain(`Error: id svc${trickyNames.length}: not imported: `);
  expect(stderr).toContain('spec.name');
  expect(stderr.split('Error: id')).toHaveLength(2);

  const read = await world.kubectl([
    'create',
    '--dry-run=client',
    '--output=json',
    '--filename',
    out,
  ]);
  expect(read.stderr).toBe('');
  const objects = read.stdout
    .trim()
    .split(/(?<=^\})\n/mu)
    .map((text) => manifest.parse(JSON.parse(text)));
  const names = objects.flatMap(({ kind, spec }) =>
    kind === 'ManagedService' ? [spec['name']] : [],
  );
  expect(new Set(names)).toEqual(new Set(trickyNames));
  expect(names).toHaveLength(trickyNames.length);
});

const manifest = z.looseObject({
  kind: z.enum(['ManagedVpc', 'ManagedService', 'ReplicaSet']),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({}),
});

function typeOf({ kind }: z.infer<typeof manifest>): ResourceType<ManagedObject> {
  return resourceTypes[kind];
}

/** Waits until the spec of each object is applied, in at least this generation. */
async function untilAllSynced(
  { kubernetes, namespace, log }: World,
  count: number,
  generation: number,
): Promise<void> {
  const read = async () => {
    const lists = await Promise.all(
      kinds.map((kind) => kubernetes.list<ManagedObject>(resourceTypes[kind], { namespace })),
    );
    return lists.flatMap(({ items }) => items);
  };
  await until(
    `${count} objects to be synced`,
    async () => {
      const synced = (await read()).filter((object) => {
        const { status, observedGeneration = 0 } = syncedOf(object) ?? {};
        return status === 'True' && observedGeneration >= generation;
      });
      return synced.length === count;
    },
    () => Promise.resolve(log.slice(-5)),
  );
}
