import { fileURLToPath } from 'node:url';
import { argumentsOf } from './arguments.ts';
import { runNode } from './run-node.ts';

// Runs the tests that need a control plane on an older version of Kubernetes. test/control-plane/kubernetes has the versions.
//
//     npm run test:kubernetes -- VERSION [-t NAME] [FILE ...]

const usage = 'npm run test:kubernetes -- VERSION [-t NAME] [FILE ...]';
const { values, positionals } = argumentsOf(usage, {
  testNamePattern: { type: 'string', short: 't' },
});
const [version, ...files] = positionals;
if (version === undefined || !/^\d+\.\d+$/u.test(version)) {
  process.stderr.write(`${usage}, for example 1.31\n`);
  process.exit(2);
}
const filter = values.testNamePattern === undefined ? [] : ['-t', values.testNamePattern];
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
process.exitCode = await runNode([vitest, 'run', '--project', 'integration', ...files, ...filter], {
  MANAGED_DB_TEST_KUBERNETES: version,
});
