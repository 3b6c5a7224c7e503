import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { managedDb } from '../../support/managed-db.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const page = fileURLToPath(new URL('../../../docs/cli.md', import.meta.url));
/** `UPDATE_CLI_PAGE=1 npx vitest run --project integration test/integration/cli/page.test.ts` writes the outputs into the page. */
const isUpdate = process.env['UPDATE_CLI_PAGE'] === '1';

const apiVersion = 'managed-db.io/v1alpha1';
const vpc = {
  apiVersion,
  kind: 'ManagedVpc',
  metadata: { name: 'prod' },
  spec: { cidr: '10.0.0.0/16', regionCode: 'eu-central-1' },
};
const service = (name: string, spec: object = {}) => ({
  apiVersion,
  kind: 'ManagedService',
  metadata: { name },
  spec: {
    name,
    regionCode: 'eu-central-1',
    cpuMillis: 1000,
    memoryGbs: 4,
    environment: 'DEV',
    ...spec,
  },
});
const reads = {
  apiVersion,
  kind: 'ReplicaSet',
  metadata: { name: 'reads' },
  spec: { serviceRef: { name: 'orders' }, nodes: 2, cpuMillis: 500, memoryGbs: 2 },
};

/** The world before each command of the page, and its manifests. */
const stories: Readonly<Record<string, (world: World) => Promise<readonly object[]>>> = {
  async plan(world) {
    const legacy = service('legacy', { connectionPooler: { enabled: false } });
    await world.applyUntilReady(service('orders'));
    await world.applyUntilReady(legacy);
    await world.stopOperators();
    await world.createInCloud(
      `services/${(await world.service('legacy'))?.status?.id}/enablePooler`,
      {},
    );
    return [
      vpc,
      service('orders', { cpuMillis: 2000, memoryGbs: 8, vpcRef: { name: 'prod' } }),
      legacy,
      reads,
    ];
  },
  async why(world) {
    world.project.faults.add({
      kind: 'errorBefore',
      operation: 'createVpc',
      status: 400,
      body: { message: 'the range overlaps with vpc 41' },
    });
    await world.apply(vpc, service('orders', { vpcRef: { name: 'prod' } }), reads);
    await world.untilReason('vpc', 'prod', 'Rejected');
    await world.untilReason('replicaSet', 'reads', 'WaitingForReference');
    return [];
  },
  async inventory(world) {
    await world.applyUntilReady(service('orders'));
    await world.applyUntilReady(service('old', { deletionPolicy: 'Retain' }));
    await world.remove('service', 'old');
    await world.createInCloud('services', { name: 'by-hand', cpu_millis: '500', memory_gbs: '2' });
    return [];
  },
  async import(world) {
    await world.createInCloud('vpcs', {
      name: 'prod',
      cidr: '10.0.0.0/16',
      region_code: 'eu-central-1',
    });
    for (const name of ['orders', 'billing']) await world.createInCloud('services', { name });
    await world.kubectl([
      'create',
      'secret',
      'generic',
      'cloud',
      `--from-literal=apiKey=${world.project.apiKey}`,
    ]);
    return [];
  },
  async check(world) {
    await world.createInCloud('services', { name: 'orders' });
    return [];
  },
  async approve(world) {
    await world.applyUntilReady(service('orders'));
    const rule = 'managed-db.io/change-approval=Required';
    await world.kubectl(['annotate', 'namespace', world.namespace, rule]);
    await until(
      'the rule',
      async () => (await world.service('orders'))?.status?.onDelete === 'Protected',
    );
    const spec = { cpuMillis: 2000, memoryGbs: 8, deletionProtection: false };
    await world.patch('service', 'orders', { spec });
    await world.untilReason('service', 'orders', 'WaitingForApproval');
    return [];
  },
  async sync(world) {
    await world.applyUntilReady(service('orders'));
    return [];
  },
};

/** The output with the names of the page: the namespace `shop`, its own ids, and the same age everywhere. */
function asOnPage(output: string, { namespace, project }: World): string {
  const ids = [
    ...project.stores.service.keys(),
    ...project.stores.vpc.keys(),
    ...project.stores.replicaSet.keys(),
  ];
  const named = ids.reduce(
    (text, id, place) => text.replaceAll(id, `k2m9q1zx4${place}`.slice(0, id.length)),
    output,
  );
  return named
    .replaceAll(namespace, 'shop')
    .replaceAll(project.id, 'prj1')
    .replaceAll(/\b\d{1,3}[smhd]\b(?!\/)/gu, '5s')
    .replaceAll(/\d\d:\d\d(?=\s+UTC)/gu, '16:40')
    .replaceAll(/\/tmp\/\S+\/out\b/gu, 'out')
    .trimEnd();
}

const block = /```console\n\$ (managed-db (\w+) [^\n]*|managed-db (\w+))\n([^`]*)```/gu;

test(
  'each output on the page of the command line is that of the command above it',
  { timeout: 120_000 },
  async () => {
    const text = await readFile(page, 'utf8');
    const outputs = new Map<string, string>();
    for (const [, command = '', long = '', short = ''] of text.matchAll(block)) {
      await using folder = await temporaryFolder();
      await using world = await startWorld({
        endsRestless: 'one command is about a refused create',
      });
      const manifests = await stories[long || short]?.(world);
      const file = join(folder.path, 'shop.yaml');
      // Without the first mark, kubectl 1.31 takes the file for JSON alone.
      const documents = (manifests ?? []).map((each) => `---\n${JSON.stringify(each)}\n`);
      await writeFile(file, documents.join(''));
      const words = command.split(' ').slice(1);
      const args = words.map((word) =>
        word === 'shop.yaml' ? file : word === 'out' ? join(folder.path, 'out') : word,
      );
      const place = words[0] === 'inventory' || words[0] === 'check' ? [] : ['-n', world.namespace];
      const { stdout } = await managedDb(world, [...args, ...place]);
      outputs.set(command, asOnPage(stdout, world));
    }
    expect(outputs.size).toBe(7);
    const updated = text.replaceAll(
      block,
      (_, command: string) => `\`\`\`console\n$ ${command}\n${outputs.get(command)}\n\`\`\``,
    );
    if (isUpdate) await writeFile(page, updated);
    // Lines are folded at words, some of which are longer than on the page.
    expect(updated.split(/\s+/u)).toEqual((isUpdate ? updated : text).split(/\s+/u));
  },
);
