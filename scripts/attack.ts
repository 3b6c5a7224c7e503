import { fileURLToPath } from 'node:url';
import { argumentsOf } from './arguments.ts';
import { runNode } from './run-node.ts';

// Runs the whole of test/attack, test/simulation and test/crash, of which `npm test` runs a part: every cell of the tables, and as many random lives and sequences as are
// asked for. `simulation` runs random lives in the simulation, and `mutants` puts each fault of test/simulation/mutants.ts into the operator.
//
//     npm run test:attack -- [--seed S] [--lives N] [--sequences N] [--steps 0,3,4] [--load PERCENT] [-t NAME] [PART OF A FILE NAME ...]
//
//     npm run test:attack -- simulation [--seed S] [--lives N] [--jobs N] [--steps 0,3,4]
//     npm run test:attack -- mutants [ID ...]
//
// A life again, with some of its steps: --seed S --lives 1 --steps 0,3,4 lives. The stories of load, alone on a machine: --load 100 load.

const usage =
  'npm run test:attack -- [--seed S] [--lives N] [--sequences N] [--steps 0,3,4] [--jobs N] [--load PERCENT] [-t NAME] [PART OF A FILE NAME ...]';
const folders = ['test/attack', 'test/simulation', 'test/crash'];
const { values, positionals } = argumentsOf(usage, {
  seed: { type: 'string' },
  lives: { type: 'string' },
  sequences: { type: 'string' },
  steps: { type: 'string' },
  jobs: { type: 'string' },
  load: { type: 'string' },
  testNamePattern: { type: 'string', short: 't' },
});
const [first, ...rest] = positionals;
const [command, env] =
  first === 'simulation' || first === 'mutants'
    ? [
        [
          inRoot(`test/simulation/${first === 'mutants' ? 'mutate' : 'run-jobs'}.ts`),
          ...simulationArguments(),
        ],
        {},
      ]
    : [vitestArguments(), attackEnvironment()];
process.exitCode = await runNode(command, env);

function inRoot(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

function simulationArguments(): readonly string[] {
  if (first === 'mutants') return rest.flatMap((id) => ['--only', id]);
  const given = [
    ['--seed', values.seed],
    ['--lives', values.lives],
    ['--jobs', values.jobs],
    ['--steps', values.steps],
  ];
  return given.flatMap(([name = '', value]) => (value === undefined ? [] : [name, value]));
}

function vitestArguments(): readonly string[] {
  const files =
    positionals.length > 0
      ? positionals.flatMap((name) => [
          `test/${name}/`,
          ...folders.map((folder) => `${folder}/${name}`),
        ])
      : folders;
  const filter = values.testNamePattern === undefined ? [] : ['-t', values.testNamePattern];
  const vitest = inRoot('node_modules/vitest/vitest.mjs');
  return [vitest, 'run', '--project', 'integration', '--maxConcurrency', '24', ...files, ...filter];
}

function attackEnvironment(): Readonly<Record<string, string>> {
  return {
    ATTACK_WHOLE: '1',
    ...(values.seed === undefined ? {} : { ATTACK_SEED: values.seed }),
    ...(values.lives === undefined ? {} : { ATTACK_LIVES: values.lives }),
    ...(values.sequences === undefined ? {} : { ATTACK_SEQUENCES: values.sequences }),
    ...(values.steps === undefined ? {} : { ATTACK_STEPS: values.steps }),
    ...(values.load === undefined ? {} : { ATTACK_LOAD: values.load }),
  };
}
