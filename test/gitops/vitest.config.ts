import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The tests with real GitOps tools, which `npm test` leaves out: the tools take minutes to build. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    name: 'gitops',
    reporters: ['default', './test/reporter.ts'],
    include: ['test/gitops/*.test.ts'],
    globalSetup: './test/control-plane/vitest-setup.ts',
    pool: 'forks',
    // The policies of a platform team in the namespace of the ledger concern every test of the cluster.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
