import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { argumentsOf } from './arguments.ts';

// Runs the whole of test/attack, test/simulation and test/crash, of which `npm test` runs a part: every cell of the tables, and as many random lives and sequences as are
// asked for.
//
//     npm run test:attack -- [--seed S] [--lives N] [--sequences N] [--steps 0,3,4] [--load PERCENT] [-t NAME] [PART OF A FILE NAME ...]
//
// A life again, with some of its steps: --seed S --lives 1 --steps 0,3,4 lives. The stories of load, alone on a machine: --load 100 load.

const usage =
  'npm run test:attack -- [--seed S] [--lives N] [--sequences N] [--steps 0,3,4] [--load PERCENT] [-t NAME] [PART OF A FILE NAME ...]';
const folders = ['test/attack', 'test/simulation', 'test/crash'];
const { values, positionals } = argumentsOf(usage, {
  seed: { type: 'string' },
  lives: { type: 'string' },
  sequences: { type: 'string' },
  steps: { type: 'string' },
  load: { type: 'string' },
  testNamePattern: { type: 'string', short: 't' },
});
const files =
  positionals.length > 0
    ? positionals.flatMap((name) => [
        `test/${name}/`,
        ...folders.map((folder) => `${folder}/${name}`),
      ])
    : folders;
const filter = values.testNamePattern === undefined ? [] : ['-t', values.testNamePattern];
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const child = spawn(
  process.execPath,
  [vitest, 'run', '--project', 'integration', '--maxConcurrency', '24', ...files, ...filter],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      ATTACK_WHOLE: '1',
      ...(values.seed === undefined ? {} : { ATTACK_SEED: values.seed }),
      ...(values.lives === undefined ? {} : { ATTACK_LIVES: values.lives }),
      ...(values.sequences === undefined ? {} : { ATTACK_SEQUENCES: values.sequences }),
      ...(values.steps === undefined ? {} : { ATTACK_STEPS: values.steps }),
      ...(values.load === undefined ? {} : { ATTACK_LOAD: values.load }),
    },
  },
);
await once(child, 'close');
process.exitCode = child.exitCode ?? 1;
