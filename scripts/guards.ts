import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { guards, type Guard } from '../test/attack/guards.ts';
import { argumentsOf } from './arguments.ts';

// Takes out each guard that keeps a database from being lost or doubled, one at a time, in a copy of the tree, and runs the tests that should notice.
//
//     npm run test:guards -- [--list] [--check] [--seen-green] [PART OF A NAME OR OF A TEST FILE ...]
//
// --list names the guards; --check only looks whether each guard and each test file is where the list says. First, all tests are run with all guards in
// place; --seen-green leaves that out, for whoever has just seen `npm test` green. A guard that nobody misses has SURVIVED: it wants a test, or it is not
// needed and goes. WAITED is half a proof: the first red test waited in vain. Either its condition never came, as it should be, or the machine was too busy:
// run it again. BROKEN is no verdict: no test has run.

const root = fileURLToPath(new URL('..', import.meta.url));
const copied = ['src', 'test', 'crds', 'deploy', 'docs', 'scripts', 'Dockerfile', 'package.json', 'tsconfig.json', 'vitest.config.ts'];
const report = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({ assertionResults: z.array(z.object({ title: z.string(), status: z.string(), failureMessages: z.array(z.string()) })) }),
  ),
});
interface Verdict {
  readonly word: 'killed' | 'WAITED' | 'SURVIVED' | 'BROKEN';
  /** The title of the first red test. */
  readonly by?: string;
}

const { values, positionals } = argumentsOf(
  'npm run test:guards -- [--list] [--check] [--seen-green] [PART OF A NAME OR OF A TEST FILE ...]',
  {
    list: { type: 'boolean' },
    check: { type: 'boolean' },
    'seen-green': { type: 'boolean' },
  },
);
const chosen = guards.filter(
  ({ name, tests }) => positionals.length === 0 || positionals.some((part) => [name, ...tests].some((text) => text.includes(part))),
);

if (values.list) for (const { name, file } of chosen) process.stdout.write(`${name} (${file})\n`);
else process.exitCode = (await notWhereTheyWere(chosen)) ? 1 : values.check ? 0 : await tryAll(chosen);

/** A text that is not there exactly once is not what the list means any more, and a test file that is gone misses nothing. */
async function notWhereTheyWere(all: readonly Guard[]): Promise<boolean> {
  const problems: string[] = [];
  for (const { name, file, text, tests } of all) {
    const source = await readFile(join(root, file), 'utf8').catch(() => '');
    const found = source.split(text).length - 1;
    if (found !== 1) problems.push(`${name}: its text is ${found} times in ${file}, and should be there once`);
    for (const test of tests) if (!existsSync(join(root, test))) problems.push(`${name}: there is no test file ${test}`);
  }
  for (const problem of problems) process.stderr.write(`${problem}: bring test/attack/guards.ts up to date\n`);
  return problems.length > 0;
}

async function tryAll(all: readonly Guard[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'managed-db-guards-'));
  try {
    for (const part of copied) await cp(join(root, part), join(folder, part), { recursive: true });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    if (!values['seen-green'] && !(await areGreen(all, folder))) return 1;
    const verdicts = new Map<string, Verdict>();
    for (const guard of all) {
      const begun = performance.now();
      const verdict = await without(guard, folder);
      verdicts.set(guard.name, verdict);
      const seconds = Math.round((performance.now() - begun) / 1_000);
      process.stdout.write(`${verdict.word.padEnd(8)} ${guard.name} (${seconds} s)${verdict.by === undefined ? '' : `: ${verdict.by}`}\n`);
    }
    const others = [...verdicts].filter(([, { word }]) => word !== 'killed');
    process.stdout.write(`\n${verdicts.size - others.length} of ${verdicts.size} are missed when they are gone\n`);
    for (const [name, { word }] of others) process.stdout.write(`${word}: ${name}\n`);
    return others.some(([, { word }]) => word !== 'WAITED') ? 1 : 0;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Where a test is red already, nothing is learned from it. */
async function areGreen(all: readonly Guard[], folder: string): Promise<boolean> {
  for (const [title, guardsOfTitle] of Map.groupBy(all, (guard) => guard.title)) {
    const { word, by } = await run([...new Set(guardsOfTitle.flatMap(({ tests }) => tests))], title, folder);
    if (word === 'SURVIVED') continue;
    process.stderr.write(
      `the tests are red with all guards in place, or there are none: mend them first: ${by ?? title ?? 'no test ran'}\n`,
    );
    return false;
  }
  return true;
}

async function without({ file, text, replacement, tests, title }: Guard, folder: string): Promise<Verdict> {
  const path = join(folder, file);
  const whole = await readFile(path, 'utf8');
  await writeFile(
    path,
    whole.replace(text, () => replacement),
  );
  try {
    return await run(tests, title, folder);
  } finally {
    await writeFile(path, whole);
  }
}

async function run(tests: readonly string[], title: string | undefined, folder: string): Promise<Verdict> {
  const output = join(folder, 'report.json');
  await rm(output, { force: true });
  const vitest = join(dirname(fileURLToPath(import.meta.resolve('vitest/package.json'))), 'vitest.mjs');
  const filter = title === undefined ? [] : ['-t', title];
  const reporter = ['--reporter=json', `--outputFile=${output}`, '--bail=1'];
  const child = spawn(process.execPath, [vitest, 'run', ...tests, ...filter, ...reporter], { cwd: folder, stdio: 'ignore' });
  await once(child, 'close');
  const { numPassedTests, testResults } = report.parse(
    JSON.parse(await readFile(output, 'utf8').catch(() => '{"numPassedTests":0,"testResults":[]}')),
  );
  const red = testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === 'failed');
  const [first] = red;
  if (first) {
    const killer = red.find(({ failureMessages }) => !failureMessages.every(isTimeOut));
    return killer ? { word: 'killed', by: killer.title } : { word: 'WAITED', by: first.title };
  }
  // No test at all has run: the replacement is no program, or the tests are elsewhere by now.
  return { word: numPassedTests > 0 && child.exitCode === 0 ? 'SURVIVED' : 'BROKEN' };
}

/** Whether a test failed because it waited too long: by its own `until`, or by the time that vitest gives it. */
function isTimeOut(failure: string): boolean {
  return /^Error: (?:waited for .* in vain|Test timed out in)/u.test(failure);
}
