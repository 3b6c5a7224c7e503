import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    reporters: ['default', './test/reporter.ts'],
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], isolate: false } },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts', 'test/crash/**/*.test.ts', 'test/attack/**/*.test.ts', 'test/e2e/**/*.test.ts'],
          globalSetup: './test/control-plane/vitest-setup.ts',
          pool: 'forks',
          isolate: false,
          maxWorkers: 4,
          maxConcurrency: 4,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
