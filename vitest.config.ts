import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Workers and the programs that tests start compile each module once, not once per process. Node looks at the content of each module.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(
  new URL('node_modules/.cache/compiled-modules', import.meta.url),
);

export default defineConfig({
  test: {
    reporters: ['default', './test/reporter.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'integration',
          include: [
            'test/integration/**/*.test.ts',
            'test/crash/**/*.test.ts',
            'test/attack/**/*.test.ts',
            'test/simulation/**/*.test.ts',
            'test/e2e/**/*.test.ts',
          ],
          globalSetup: './test/control-plane/vitest-setup.ts',
          pool: 'forks',
          isolate: false,
          // After the unit tests, which have other workers.
          sequence: { groupOrder: 1 },
          maxWorkers: 4,
          maxConcurrency: 4,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
