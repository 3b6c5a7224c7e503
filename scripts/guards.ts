import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { guards, type Guard } from '../test/attack/guards.ts';
import { argumentsOf } from './arguments.ts';

// Takes out each guard that keeps a database from being lost or doubled, one at a time, in a copy of the tree, and runs the tests that should notice.
//
//     npm run test:guards -- [--list] [--check] [PART OF A NAME OR OF A TEST FILE ...]
//
// --list names the guards; --check only looks whether each is where the list says. A guard that nobody misses has SURVIVED: it wants a test, or it is
// not needed and goes.

const root = fileURLToPath(new URL('..', import.meta.url));
const copied = ['src', 'test', 'crds', 'deploy', 'docs', 'scripts', 'package.json', 'tsconfig.json', 'vitest.config.ts'];
const report = z.object({ numFailedTests: z.number(), numPassedTests: z.number() });
type Verdict = 'killed' | 'SURVIVED' | 'BROKEN';

const { values, positionals } = argumentsOf('npm run test:guards -- [--list] [--check] [PART OF A NAME OR OF A TEST FILE ...]', {
  list: { type: 'boolean' },
  check: { type: 'boolean' },
});
const chosen = guards.filter(
  ({ name, tests }) => positionals.length === 0 || positionals.some((part) => [name, ...tests].some((text) => text.includes(part))),
);

if (values.list) for (const { name, file } of chosen) process.stdout.write(`${name} (${file})\n`);
else process.exitCode = (await notWhereTheyWere(chosen)) ? 1 : values.check ? 0 : await tryAll(chosen);

/** A text that is not there exactly once is not what the list means any more. */
async function notWhereTheyWere(all: readonly Guard[]): Promise<boolean> {
  let isWrong = false;
  for (const { name, file, text } of all) {
    const found = (await readFile(join(root, file), 'utf8')).split(text).length - 1;
    if (found === 1) continue;
    process.stderr.write(
      `${name}: its text is ${found} times in ${file}, and should be there once: bring test/attack/guards.ts up to date\n`,
    );
    isWrong = true;
  }
  return isWrong;
}

async function tryAll(all: readonly Guard[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'managed-db-guards-'));
  try {
    for (const part of copied) await cp(join(root, part), join(folder, part), { recursive: true });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    // Where a test is red already, nothing is learned from it.
    const baseline = await run([...new Set(all.flatMap(({ tests }) => tests))], undefined, folder);
    if (baseline !== 'SURVIVED') {
      process.stderr.write('the tests are red with all guards in place, or there are none: mend them first\n');
      return 1;
    }
    const verdicts = new Map<string, Verdict>();
    for (const guard of all) {
      const begun = performance.now();
      const verdict = await without(guard, folder);
      verdicts.set(guard.name, verdict);
      process.stdout.write(`${verdict.padEnd(8)} ${guard.name} (${Math.round((performance.now() - begun) / 1_000)} s)\n`);
    }
    const others = [...verdicts].filter(([, verdict]) => verdict !== 'killed');
    process.stdout.write(`\n${verdicts.size - others.length} of ${verdicts.size} are missed when they are gone\n`);
    for (const [name, verdict] of others) process.stdout.write(`${verdict}: ${name}\n`);
    return others.length > 0 ? 1 : 0;
  } finally {
    await rm(folder, { recursive: true });
  }
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
  const { numFailedTests, numPassedTests } = report.parse(
    JSON.parse(await readFile(output, 'utf8').catch(() => '{"numFailedTests":0,"numPassedTests":0}')),
  );
  if (numFailedTests > 0) return 'killed';
  // No test at all has run: the replacement is no program, or the tests are elsewhere by now.
  return numPassedTests > 0 && child.exitCode === 0 ? 'SURVIVED' : 'BROKEN';
}
