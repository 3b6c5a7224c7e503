import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { bundled } from './bundle.ts';

// Lives random lives in several processes, from a bundle, which begins faster than the sources. Ctrl-C ends the
// processes, and the summary counts the lives so far.
//
//     node test/simulation/run-jobs.ts [--seed S] [--lives N] [--jobs N] [--steps 0,3,4]

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    lives: { type: 'string', default: '100' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    steps: { type: 'string' },
  },
});
const whole = z.coerce.number().int();
const asked = z
  .object({
    seed: whole.min(0),
    lives: whole.min(1),
    jobs: whole.min(1),
    steps: z.string().optional(),
  })
  .parse(values);

/** A life as run.ts prints it. */
const life = z.object({ cpuMs: z.number(), events: z.number(), problems: z.array(z.string()) });
type Lived = z.infer<typeof life>;

/** The first seed and the number of lives of a process. */
interface Job {
  readonly seed: number;
  readonly lives: number;
}

function jobs(): readonly Job[] {
  const { seed, lives } = asked;
  const count = Math.min(asked.jobs, lives);
  const from = (nth: number) => Math.round((lives * nth) / count);
  return Array.from({ length: count }, (_, nth) => ({
    seed: seed + from(nth),
    lives: from(nth + 1) - from(nth),
  }));
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

/** @returns whether the process lived all its lives */
async function run(program: string, { seed, lives }: Job, lived: Lived[]): Promise<boolean> {
  if (stop.signal.aborted) return false;
  const numbers = ['--seed', String(seed), '--lives', String(lives)];
  const steps = asked.steps === undefined ? [] : ['--steps', asked.steps];
  // A life makes much garbage that is young.
  const args = ['--max-semi-space-size=32', program, '--random', ...numbers, ...steps];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = () => void child.kill();
  stop.signal.addEventListener('abort', end);
  const closed = once(child, 'close');
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    process.stdout.write(`${line}\n`);
    lived.push(life.parse(JSON.parse(line)));
    count += 1;
  }
  await closed;
  stop.signal.removeEventListener('abort', end);
  if (count < lives)
    process.stderr.write(`the process of seed ${seed} ended after ${count} of ${lives} lives\n`);
  return count === lives;
}

await using folder = await mkdtempDisposable(join(tmpdir(), 'simulation-'));
const program = await bundled(folder.path);
const begun = performance.now();
const lived: Lived[] = [];
const areWhole = await Promise.all(jobs().map((job) => run(program, job, lived)));
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const bad = lived.filter(({ problems }) => problems.length > 0).length;
const minutes = sum(lived.map(({ cpuMs }) => cpuMs)) / 60_000;
const rate = minutes === 0 ? 0 : lived.length / minutes;
const events = sum(lived.map((each) => each.events)) / Math.max(lived.length, 1);
process.stderr.write(
  `in all ${lived.length} lives, ${bad} with problems, ${rate.toFixed(0)} lives per CPU minute, ` +
    `${events.toFixed(0)} events per life, ${((performance.now() - begun) / 1_000).toFixed(1)} s\n`,
);
process.exitCode = bad > 0 || areWhole.includes(false) ? 1 : 0;
