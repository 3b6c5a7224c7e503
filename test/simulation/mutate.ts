import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import * as z from 'zod';
import { bundled } from './bundle.ts';
import { type Mutant, mutants } from './mutants.ts';

// Puts each fault of mutants.ts into the operator, a single fault at a time, and lives until the first problem. The same life must have no problem without
// the fault. A mutant that no life finds needs a reason in its row.
//
//     node test/simulation/mutate.ts [--only ID ...] [--list]

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, list: { type: 'boolean' } },
});
const chosen = mutants.filter(({ id }) => values.only?.includes(id) !== false);
const unknown = values.only?.filter((id) => mutants.every((each) => each.id !== id)) ?? [];
if (unknown.length > 0) throw new Error(`there is no mutant ${unknown.join(', ')}`);

/** A life as run.ts prints it. */
const life = z.object({ plan: z.string(), seed: z.number(), problems: z.array(z.string()) });
type Lived = z.infer<typeof life>;

/** The limit of a mutant in real time: a mutant may also never come to an end. */
const longestMs = 600_000;

interface Verdict {
  readonly kind: 'killed' | 'survived' | 'unfair';
  readonly lives: number;
  readonly text: string;
}

async function lived(program: string, args: readonly string[]): Promise<readonly Lived[]> {
  const run = promisify(execFile)(process.execPath, [program, ...args], {
    timeout: longestMs,
    maxBuffer: 64 * 1024 * 1024,
  });
  const { stdout, stderr } = await run.catch((error: unknown) => output.parse(error));
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  const lives = lines.map((line) => life.parse(JSON.parse(line)));
  // A program that ends without a life, such as one that does not load, finds every mutant.
  if (lives.length === 0) throw new Error(`no life: ${stderr.slice(0, 600)}`);
  return lives;
}

const output = z.object({ stdout: z.string(), stderr: z.string() });

async function judge(mutant: Mutant, folder: string, original: string): Promise<Verdict> {
  const program = await bundled(join(folder, mutant.id), [mutant]);
  const args = mutant.lives.split(' ');
  const lives = await lived(program, [...args, '--until-problem']);
  const bad = lives.find(({ problems }) => problems.length > 0);
  if (!bad) return { kind: 'survived', lives: lives.length, text: mutant.survives ?? '' };
  const again = await lived(original, [...args, ...replayOf(bad)]);
  const [green] = again.slice(-1);
  const kind = green?.problems.length === 0 ? 'killed' : 'unfair';
  const problem =
    kind === 'killed' ? bad.problems[0] : `also without the fault: ${green?.problems[0]}`;
  const { plan, seed } = bad;
  return { kind, lives: lives.length, text: `${plan}, seed ${seed}: ${problem?.slice(0, 160)}` };
}

/** The options that leave only this life, and the plain life before it. */
function replayOf({ plan, seed }: Lived): readonly string[] {
  const [, call] = /\[(\d+) /u.exec(plan) ?? [];
  const harm = plan.split('] ')[1];
  return [
    '--seed',
    String(seed),
    '--lives',
    '1',
    ...(call === undefined || harm === undefined ? [] : ['--call', call]),
  ];
}

const folder = await mkdtemp(join(tmpdir(), 'simulation-'));
let hasFailed = false;
try {
  const original = await bundled(join(folder, 'original'));
  for (const mutant of chosen) {
    if (values.list) {
      process.stdout.write(`${mutant.id}: ${mutant.guard} (${mutant.lives})\n`);
      continue;
    }
    const { kind, lives, text } = await judge(mutant, folder, original);
    const isExpected = kind === 'killed' ? mutant.survives === undefined : text === mutant.survives;
    if (!isExpected) hasFailed = true;
    const mark = isExpected ? '' : ' UNEXPECTED';
    process.stdout.write(`| ${mutant.id} | ${kind}${mark} | ${lives} | ${text} |\n`);
    await rm(join(folder, mutant.id), { recursive: true });
  }
} finally {
  await rm(folder, { recursive: true });
}
process.exitCode = hasFailed ? 1 : 0;
