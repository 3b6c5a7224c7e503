import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { versionLine } from '../../src/operator/version.ts';
import { operatorProcess } from '../support/operator-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Processes start slowly where much else is going on.
vi.setConfig({ testTimeout: 60_000 });

const repository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const start = repository('src/start.js');

test.each(['--version', 'version', 'simulator --version', 'demo --version'])(
  '%s tells version, revision and Node',
  async (command) => {
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(await readFile(repository('package.json'), 'utf8')));
    await using told = operatorProcess(command.split(' '));
    expect([await told.ended, told.stdout(), told.stderr()]).toEqual([
      0,
      `managed-db-operator ${version} (source, Node ${process.versions.node})\n`,
      '',
    ]);
  },
);

test('the line of a bundle names its commit', () => {
  expect(versionLine({ version: '1.2.3', revision: '755b7fc1a284', node: '26.10.0' })).toBe(
    'managed-db-operator 1.2.3 (755b7fc1a284, Node 26.10.0)',
  );
});

/** The arguments that make this Node say that it is an old version. A child process is not concerned. */
const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
  Object.defineProperty(process, 'version', { value: 'v20.20.2' });`;
const asOldNode = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`];

test('a Node that is too old is told in one line which one is needed', async () => {
  const args = [...asOldNode, start, '--help'];
  await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr:
      'managed-db-operator needs Node 24 or newer, and this is v20.20.2. In a clone, npm ci brings one along for npm run.\n',
  });
});

test('a link to the command line runs in any folder, also on a Node that is too old, by the Node of npm ci', async () => {
  await using folder = await temporaryFolder();
  const link = join(folder.path, 'managed-db');
  await symlink(repository('src/cli/start.js'), link);
  for (const node of [[], asOldNode]) {
    const { stdout } = await promisify(execFile)(process.execPath, [...node, link, '--help'], {
      cwd: folder.path,
    });
    expect(stdout).toContain('managed-db plan');
  }
  const wrong = promisify(execFile)(process.execPath, [...asOldNode, link, 'palns'], {
    cwd: folder.path,
  });
  await expect(wrong).rejects.toMatchObject({
    code: 1,
    stderr: 'No command registered for `palns`, did you mean `plan`?\n',
  });
});

test('a command line without a Node of npm ci beside it names the command that installs this Node', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'src/cli'), { recursive: true });
  await writeFile(join(folder.path, 'package.json'), '{"type":"module"}');
  const copy = join(folder.path, 'src/cli/start.js');
  await copyFile(repository('src/cli/start.js'), copy);
  await expect(
    promisify(execFile)(process.execPath, [...asOldNode, copy, '--help']),
  ).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr:
      'managed-db needs Node 24 or newer, and this is v20.20.2. In a clone, npm ci brings one along: run it there.\n',
  });
});
