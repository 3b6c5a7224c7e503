import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { argumentsOf } from './arguments.ts';

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
const child = spawn(
  process.execPath,
  [vitest, 'run', '--project', 'integration', ...files, ...filter],
  {
    stdio: 'inherit',
    env: { ...process.env, MANAGED_DB_TEST_KUBERNETES: version },
  },
);
await once(child, 'close');
process.exitCode = child.exitCode ?? 1;
