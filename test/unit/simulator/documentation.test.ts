import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { adminHelp } from '../../../src/simulator/admin.ts';
import { runSimulator } from '../../../src/simulator/cli.ts';
import { fault } from '../../../src/simulator/faults.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';

const page = await readFile(new URL('../../../docs/simulator.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/```sh\n(.*?)```/gsu)].map(([, block = '']) => block);

test('the calls of the page work as they are printed', { timeout: 30_000 }, async () => {
  await using simulator = await startSimulator({ latencyMs: 0 });
  simulator.addProject({ id: 'prj1', apiKey: 'simulator-key' });
  // the code of each answer goes to stderr, so that stdout equals the output on the page
  const script = [
    'curl() { command curl --write-out \'%{stderr}%{http_code}\\n\' "$@"; }',
    'set -u',
    ...blocks,
    'exit 0',
  ].join('\n');
  const run = await promisify(execFile)('sh', [
    '-c',
    script.replace('http://127.0.0.1:8090', simulator.url),
  ]);
  const codes = run.stderr.split('\n').filter((line) => line !== '');
  expect(codes.filter((code) => !/^2\d\d$/u.test(code))).toEqual([
    'curl: (52) Empty reply from server',
    '000',
  ]);
  expect(codes.length).toBe((page.match(/^(?:id=\$\()?curl /gmu)?.length ?? 0) + 1);
  const left = simulator
    .project('prj1')
    ?.everCreated.map(({ kind, name, deletedAt }) => [kind, name, deletedAt === undefined]);
  expect(left).toEqual([
    ['vpc', 'prod', true],
    ['service', 'orders', false],
    ['service', 'lost', true],
  ]);
});

test('every fault kind has an example that the simulator takes', () => {
  const examples = [...page.matchAll(/\| `(\{"kind": .*?\})` \|/gu)].map(([, example = '']) =>
    fault.parse(JSON.parse(example)),
  );
  const kinds = fault.options.map((option) => option.shape.kind.value);
  expect([...new Set(examples.map(({ kind }) => kind))]).toEqual(kinds);
  const ways = examples
    .map((example) => (example.kind === 'malformed' ? example.as : undefined))
    .filter((way) => way !== undefined);
  expect(ways).toEqual(['html', 'notJson', 'wrongType', 'unknownField', 'empty', 'redirect']);
});

test('every setting of --help is in its table, with its default', async () => {
  let help = '';
  const stdout = { write: (text: string) => (help += text) };
  await runSimulator(['--help'], { stdout, stderr: stdout, signal: AbortSignal.abort() });
  const lines = help.split('\n').filter((line) => line.startsWith('  --'));
  const rows = lines.map((line) =>
    line.replace(/^ {2}(--\S+ \S+) .*default ([^\s;,]+).*/u, '| `$1` | $2 |'),
  );
  expect(rows).not.toEqual([]);
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});

test('every admin endpoint is in its table', () => {
  const endpoints = [...adminHelp.matchAll(/^([A-Z]+) +\/_simulator(\S+)/gmu)].map(
    ([, method = '', path = '']) => `${method} ${path}`,
  );
  expect(endpoints).not.toEqual([]);
  expect(endpoints.filter((endpoint) => !page.includes(`| \`${endpoint}\` |`))).toEqual([]);
});
