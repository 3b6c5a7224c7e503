import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/node/*.test.ts'],
    globalSetup: './test/node/start.ts',
    reporters: ['verbose', './test/reporter.ts'],
    pool: 'forks',
    fileParallelism: false,
    // The tests are a single story on a single node: the rest means nothing after a failure.
    bail: 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
