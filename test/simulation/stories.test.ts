import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { scale } from '../attack/scale.ts';
import { stories } from './stories.ts';

const program = fileURLToPath(new URL('run-sample.ts', import.meta.url));
const run = promisify(execFile);
const line = z.object({ replay: z.string(), problems: z.array(z.string()) });

/** Processes at once. */
const parts = 2;
/** `npm test` harms every nth change of each story with a single harm, in turn. The attack harms each change with each harm. */
const every = scale.isWhole ? 1 : 8;

/** A Node process of its own, since virtual time must begin before src/ is imported. */
async function sampled(part: number) {
  const numbers = [part, parts, every].map(String);
  const { stdout } = await run(process.execPath, [program, ...numbers], { maxBuffer: 1e9 });
  return stdout
    .trim()
    .split('\n')
    .map((text) => line.parse(JSON.parse(text)));
}

test(
  'each story of users keeps every promise in the simulation, whichever change is harmed',
  { timeout: 24 * 3_600_000 },
  async () => {
    const lives = (
      await Promise.all(Array.from({ length: parts }, (_, part) => sampled(part)))
    ).flat();
    // node test/simulation/run.ts with the options before the problem replays the life.
    const broken = lives.flatMap(({ replay, problems }) =>
      problems.map((problem) => `${replay}: ${problem}`),
    );
    expect(broken).toEqual([]);
    const plain = lives.filter(({ replay }) => !replay.includes('--harm'));
    expect(plain).toHaveLength(Object.keys(stories).length);
    expect(lives.length).toBeGreaterThan(2 * plain.length);
  },
);
