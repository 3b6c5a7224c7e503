import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { versionLine } from '../../src/operator/version.ts';
import { operatorProcess } from '../support/operator-process.ts';

// Processes start slowly where much else is going on.
vi.setConfig({ testTimeout: 60_000 });

const repository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const start = repository('src/start.js');

test.each(['--version', 'version', 'simulator --version', 'demo --version'])('%s tells version, revision and Node', async (command) => {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(await readFile(repository('package.json'), 'utf8')));
  await using told = operatorProcess(command.split(' '));
  expect([await told.ended, told.stdout(), told.stderr()]).toEqual([
    0,
    `managed-db-operator ${version} (source, Node ${process.versions.node})\n`,
    '',
  ]);
});

test('the line of a bundle names its commit', () => {
  expect(versionLine({ version: '1.2.3', revision: '755b7fc1a284', node: '26.10.0' })).toBe(
    'managed-db-operator 1.2.3 (755b7fc1a284, Node 26.10.0)',
  );
});

test('a Node that is too old is told in one line which one is needed', async () => {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
    Object.defineProperty(process, 'version', { value: 'v20.20.2' });`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, start, '--help'];
  await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'managed-db-operator needs Node 24 or newer, and this is v20.20.2. In a clone, npm ci brings one along for npm run.\n',
  });
});
