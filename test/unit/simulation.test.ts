import { execFile } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { bundled } from '../simulation/bundle.ts';
import { kindOfProblem, randomLife, shrunk } from '../simulation/lives.ts';
import { simulatedProcess } from '../simulation/process.ts';
import { mostEvents, simulation, startOfTime } from '../simulation/scheduler.ts';

const program = fileURLToPath(new URL('../simulation/run.ts', import.meta.url));
const jobs = fileURLToPath(new URL('../simulation/run-jobs.ts', import.meta.url));
const run = promisify(execFile);
const life = z.object({
  plan: z.string(),
  digest: z.string(),
  events: z.number(),
  processes: z.number(),
  problems: z.array(z.string()),
});

/** A Node process of its own, since virtual time must begin before src/ is imported. */
async function simulated(...args: readonly string[]) {
  return simulatedBy(program, ...args);
}

async function simulatedBy(file: string, ...args: readonly string[]) {
  const { stdout } = await run(process.execPath, [file, ...args]).catch((error: unknown) =>
    z.object({ stdout: z.string() }).parse(error),
  );
  return stdout
    .trim()
    .split('\n')
    .map((line) => life.parse(JSON.parse(line)));
}

/** A process that is awaited in real time: the machine may be busy. */
const longestMs = 120_000;

describe('a simulated life of the whole operator', () => {
  test(
    'is the same in two Node processes, in bad weather and with a Lease',
    async () => {
      const args = ['--story', 'create', '--seed', '3', '--weather', 'rough', '--replicas', '2'];
      const [first, second] = await Promise.all([simulated(...args), simulated(...args)]);
      expect(second).toEqual(first);
      expect(first).toMatchObject([{ problems: [] }]);
    },
    longestMs,
  );

  test(
    'is the same from the sources and from a bundle, also as a random life',
    async () => {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'simulation-'));
      const bundle = await bundled(folder.path);
      for (const args of [
        ['--story', 'rotate', '--weather', 'rough', '--seed', '5', '--replicas', '2'],
        ['--random', '--seed', '1'],
      ]) {
        const [first, second] = await Promise.all([
          simulated(...args),
          simulatedBy(bundle, ...args),
        ]);
        expect(second).toEqual(first);
        expect(first).toMatchObject([{ problems: [] }]);
      }
    },
    longestMs,
  );

  test(
    'differs with another seed',
    async () => {
      const lives = await simulated('--story', 'hasty', '--lives', '2');
      expect(new Set(lives.map(({ digest }) => digest)).size).toBe(2);
    },
    longestMs,
  );

  test(
    'keeps every promise, whichever call dies with its process, freezes or is refused',
    async () => {
      const harms = ['dieUnanswered', 'freezeBefore', 'refused'].flatMap((harm) => [
        '--harm',
        harm,
      ]);
      const lives = await simulated('--story', 'hasty', ...harms);
      expect(lives.length).toBeGreaterThan(20);
      expect(lives.filter(({ problems }) => problems.length > 0)).toEqual([]);
      expect(lives.some(({ processes }) => processes > 2)).toBe(true);
    },
    longestMs,
  );
});

test(
  'random lives in several processes are those of the seeds, and the last line counts them all',
  async () => {
    const args = [jobs, '--seed', '1', '--lives', '2', '--jobs', '2'];
    const { stdout, stderr } = await run(process.execPath, args);
    const seeds = stdout
      .trim()
      .split('\n')
      .map((line) => z.object({ seed: z.number() }).parse(JSON.parse(line)).seed);
    expect(seeds.toSorted((one, other) => one - other)).toEqual([1, 2]);
    expect(stderr.trim().split('\n').at(-1)).toMatch(
      /^in all 2 lives, 0 with problems, \d+ lives per/u,
    );
  },
  longestMs,
);

describe('a bundle of the simulation', () => {
  const file = 'src/reconcile/act/create.ts';

  test('is refused if the text to replace does not occur exactly once', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'simulation-'));
    const replacement = { file, from: 'there is no such text', to: '' };
    await expect(bundled(folder.path, [replacement])).rejects.toThrow('0 times, not once');
  });

  test('is refused if the simulation does not use the file', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'simulation-'));
    const replacement = { file: 'src/demo/demo.ts', from: 'a', to: 'b' };
    await expect(bundled(folder.path, [replacement])).rejects.toThrow('does not use src/demo');
  });
});

describe('a random life', () => {
  test('is the same for the same seed, and another life for another seed', () => {
    expect(randomLife(7)).toEqual(randomLife(7));
    expect(randomLife(8).steps).not.toEqual(randomLife(7).steps);
  });

  test('is shrunk to the steps without which it has no such problem', async () => {
    const failed = { steps: [0, 1, 2, 3, 4, 5, 6, 7], problems: ['c1ab2 exists 2 times'] };
    const tried: (readonly number[])[] = [];
    const { steps, problems } = await shrunk(failed, async (left) => {
      tried.push(left);
      if (left.includes(2) && left.includes(5)) return { problems: ['c9xy3 exists 3 times'] };
      return { problems: left.includes(5) ? ['another problem'] : [] };
    });
    expect(steps).toEqual([2, 5]);
    expect(problems).toEqual(['c9xy3 exists 3 times']);
    expect(tried.length).toBeLessThan(20);
  });

  test('has the same kind of problem whatever the ids and numbers are', () => {
    expect(kindOfProblem('orders-x1 exists 2 times')).toBe(
      kindOfProblem('orders-y2 exists 3 times'),
    );
    expect(kindOfProblem('orders is not Ready')).not.toBe(kindOfProblem('prod is not Ready'));
  });
});

describe('the scheduler', () => {
  test('runs events of the same time in an order that only the seed decides', async () => {
    expect(await order(1)).toEqual(await order(1));
    const orders = await Promise.all([1, 2, 3, 4].map(async (seed) => (await order(seed)).told));
    expect(new Set(orders).size).toBeGreaterThan(1);
  });

  test('drops the events of a dead process and holds those of a frozen process', async () => {
    const told: string[] = [];
    const sim = simulation(1);
    const dead = simulatedProcess('dead');
    const frozen = simulatedProcess('frozen');
    const { promise, resolve } = Promise.withResolvers<void>();
    const tell = (name: string) => () => void told.push(`${name} at ${sim.now - startOfTime}`);
    sim.after(10, dead, 'late', tell('dead'));
    sim.after(10, frozen, 'held', tell('frozen'));
    dead.kill();
    frozen.freeze();
    sim.after(50, undefined, 'thaw', () => frozen.thaw());
    sim.after(60, undefined, 'end', resolve);
    await sim.run(promise);
    expect(told).toEqual(['frozen at 50']);
  });

  test('fails if the promise waits for an event that never comes', async () => {
    const never = new Promise<void>(() => undefined);
    await expect(simulation(1).run(never)).rejects.toThrow('waits for an event that never comes');
  });

  test('ends a life in a loop after a number of events', async () => {
    const sim = simulation(1);
    const again = () => void sim.after(1, undefined, 'again', again);
    again();
    const never = new Promise<void>(() => undefined);
    await expect(sim.run(never)).rejects.toThrow(`more than ${mostEvents} events`);
  }, 60_000);
});

async function order(seed: number) {
  const told: string[] = [];
  const sim = simulation(seed);
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    sim.after(10, undefined, name, () => void told.push(name));
  sim.after(20, undefined, 'end', resolve);
  await sim.run(promise);
  return { told: told.join(''), digest: sim.digest() };
}
