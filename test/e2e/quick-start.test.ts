import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTerminal, type Terminal } from '../support/terminal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { allBlocks, blocks, pages } from '../unit/docs/pages.ts';
import { startCluster, type E2eCluster } from './cluster.ts';

/**
 * The commands for a new user, typed as the page shows them, in its order: in a clone, with the API key in `key.txt`.
 * The test only sets the URL of the cloud and the latency of the simulated cloud. The registry stays unchanged, since
 * Pods run the bundle of this clone as their image.
 */

/** Blocks that are not typed, each by a line that only it has. */
const leftOut: ReadonlyMap<string, string> = new Map([
  ['kind: Deployment', 'there is no image of the app; what it takes from the Secret is looked for'],
  ['kind: ServiceBinding', 'nothing in the cluster implements it'],
]);
const cloudOfThePage = 'https://api.example.com';
const playground = '--set simulator.enabled=true';
/** The test must see a change in flight before the change ends, as the page shows it, even on a busy machine. */
const slowPlayground = `${playground} --set simulator.latencyMs=6000`;

const pageOf = (path: string) => pages.find((each) => each.path === path)?.text ?? '';
const page = pageOf('docs/first-database.md');
const [onSimulator = '', onCloud = ''] = page.split(/^(?=## Now with a cloud account$)/mu);
const [deletion = ''] = /^kubectl delete managedservice .*$/mu.exec(page) ?? [];

const stack = new AsyncDisposableStack();
let cluster: E2eCluster;
let folder: string;
let terminal: Terminal;

beforeAll(async () => {
  cluster = stack.use(await startCluster());
  folder = stack.use(await temporaryFolder()).path;
  await symlink(fileURLToPath(new URL('../../deploy', import.meta.url)), join(folder, 'deploy'));
  await writeFile(join(folder, 'key.txt'), `${cluster.project.apiKey}\n`);
  terminal = stack.use(openTerminal(cluster.plane.handle, folder));
}, 120_000);
afterAll(async () => {
  await stack.disposeAsync();
  if (cluster.kubelet.crashes.length > 0) throw new Error(cluster.kubelet.crashes.join('\n'));
});

async function typed(commands: string): Promise<string> {
  try {
    return await terminal.type(
      commands.replaceAll(cloudOfThePage, cluster.cloudUrl).replaceAll(playground, slowPlayground),
    );
  } catch (error) {
    const objects = await cluster.kubectl([
      'get',
      'managed-db,deployments,pods,events',
      '-A',
      '-o',
      'wide',
    ]);
    const conditions = await cluster.kubectl(['get', 'managed-db', '-A', '-o', 'yaml']);
    const logs = cluster.kubelet.pods().map((pod) => pod.output().slice(-3_000));
    throw new Error(['what the cluster shows:', objects, conditions, ...logs].join('\n'), {
      cause: error,
    });
  }
}

/** The printed text, regardless of column widths and ages. */
const shapeOf = (printed: string) =>
  printed
    .trim()
    .replaceAll(/ +/gu, ' ')
    .replaceAll(/ (?:\d+[smhd])+$/gmu, ' AGE');

/** Types each command after `$ `, and repeats it until the output equals the output on the page. */
async function typeAndCompare(dialogue: string): Promise<void> {
  for (const each of dialogue.split(/^\$ /mu).slice(1)) {
    const [command = '', ...shown] = each.split(/(?<!\\)\n/u);
    const expected = shapeOf(shown.join('\n'));
    let printed = '';
    await until(
      `${command} to show ${expected}`,
      async () => {
        printed = shapeOf(await typed(command));
        return printed === expected || !command.startsWith('kubectl get ');
      },
      () => printed,
    );
    expect({ command, printed }).toEqual({ command, printed: expected });
  }
}

/** @returns the lines of {@link leftOut} for the blocks that were left out */
async function follow(text: string): Promise<readonly string[]> {
  const skipped: string[] = [];
  for (const { language, content } of allBlocks(text)) {
    const line = [...leftOut.keys()].find((each) => content.includes(`\n${each}\n`));
    const [, file] = /^# (\S+\.yaml)\n/u.exec(content) ?? [];
    if (line !== undefined) skipped.push(line);
    else if (language === 'yaml' && file !== undefined)
      await writeFile(join(folder, file), content);
    else if (language !== '')
      throw new Error(`neither typed nor in the list of what is left out:\n${content}`);
    else if (content.startsWith('$ ')) await typeAndCompare(content);
    else await typed(content);
  }
  return skipped;
}

/** Services that the cloud has, also while it deletes them. */
const inCloud = () =>
  cluster.project.everCreated.filter(
    ({ kind, deletedAt }) => kind === 'service' && !(Date.parse(deletedAt ?? '') <= Date.now()),
  ).length;

describe('a new user', { timeout: 180_000 }, () => {
  test('gets a first database without a cloud account', async () => {
    expect(await follow(onSimulator)).toEqual([...leftOut.keys()]);
    expect(await cluster.kubectl(['get', 'managedservices,secrets', '-o', 'name'])).toBe('');
    expect(inCloud()).toBe(0);
  });

  test('goes on with a cloud account', async () => {
    expect(await follow(onCloud)).toEqual([]);
    expect(inCloud()).toBe(1);
    const wanted = [...page.matchAll(/secretKeyRef: \{name: ([\w-]+), key: ([\w-]+)\}/gu)];
    expect(wanted.length).toBeGreaterThan(1);
    for (const [, name = '', key = ''] of wanted)
      expect(
        await cluster.kubectl(['get', 'secret', name, '-o', `jsonpath={.data.${key}}`]),
      ).not.toBe('');
    await typed(deletion);
    expect(inCloud()).toBe(0);
  });

  test('who begins with the README has all samples', async () => {
    await cluster.helm(['uninstall', 'managed-db-operator', '--wait'], 'managed-db-system');
    await cluster.kubectl(['delete', 'namespace', 'managed-db-system', '--timeout=120s']);
    const install = blocks(pageOf('README.md')).filter((block) => block.includes('docker build'));
    expect(install.length).toBe(1);
    // No container engine, and no registry.
    await typed('docker() { :; }');
    await typed(install.join(''));
    await typed('kubectl wait managed-db --all --for=condition=Ready --timeout=120s');
    expect(inCloud()).toBe(2);
  });
});
