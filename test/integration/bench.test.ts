import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import * as z from 'zod';

const bench = fileURLToPath(new URL('../bench/bench.ts', import.meta.url));
const run = z.object({
  results: z.array(z.object({ id: z.string(), value: z.number(), verdict: z.string() })),
});

/** The benchmark has its own control plane: the API server counts the requests of all clients. */
test(
  'the quick benchmark holds all its budgets of requests and calls',
  { timeout: 180_000 },
  async () => {
    const args = [bench, '--quick', '--json'];
    // Over a budget it exits with 1, and its figures say more than that.
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      timeout: 170_000,
    }).catch((error: unknown) => z.object({ stdout: z.string() }).parse(error));
    const { results } = run.parse(JSON.parse(stdout));
    expect(results.length).toBeGreaterThan(10);
    expect(results.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
  },
);
