import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inParallel } from '../support/in-parallel.ts';
import { live, type Lived } from './lives/live.ts';
import { scale } from './scale.ts';

const atOnce = 12;
const logLines = 15;

const from = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => first + index);

/** As asked for. `npm test` always lives the same: its result belongs to the change that is tested. */
function seeds(): readonly number[] {
  const {
    isWhole,
    seed = isWhole ? Math.floor(Math.random() * 1_000_000_000) : 1,
    lives = isWhole ? 16 : 2,
  } = scale;
  return from(seed, lives);
}

test(
  'whatever happens, in the end there is one of everything and nothing is left over',
  { timeout: 24 * 3_600_000 },
  async () => {
    const failures: string[] = [];
    await inParallel(seeds(), atOnce, async (seed) => {
      const lived = await live(seed, scale.steps);
      const isWrong = lived.problems.length > 0;
      if (!isWrong && scale.lives !== 1) return;
      const story = told(seed, lived, await keep(seed, lived.log));
      process.stderr.write(`${story}\n`);
      if (isWrong) failures.push(story);
    });
    expect(failures.map((story) => story.split('\n', 1)[0])).toEqual([]);
  },
);

/** The whole log of a life that went wrong. */
async function keep(seed: number, log: readonly string[]): Promise<string> {
  const folder = join(tmpdir(), 'managed-db-lives');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${seed}.log`);
  await writeFile(file, log.join(''));
  return file;
}

function told(seed: number, { problems, story, log }: Lived, file: string): string {
  return [
    `life ${seed} (npm run test:attack -- --seed ${seed} --lives 1 lives): ${problems.join('; ')}`,
    ...story.map((line) => `  ${line}`),
    ...log.slice(-logLines).map((line) => `  log: ${line.trim()}`),
    `  the whole log: ${file}`,
  ].join('\n');
}
