import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

// Runs the whole of test/attack, of which `npm test` runs a part: every cell of the tables, and as many random lives as are asked for.
//
//     npm run test:attack -- [--seed S] [--lives N] [-t NAME] [PART OF A FILE NAME ...]

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' }, lives: { type: 'string' }, testNamePattern: { type: 'string', short: 't' } },
  allowPositionals: true,
});
const files = positionals.length > 0 ? positionals.map((name) => `test/attack/${name}`) : ['test/attack'];
const filter = values.testNamePattern === undefined ? [] : ['-t', values.testNamePattern];
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const child = spawn(process.execPath, [vitest, 'run', '--project', 'integration', '--maxConcurrency', '24', ...files, ...filter], {
  stdio: 'inherit',
  env: {
    ...process.env,
    ATTACK_WHOLE: '1',
    ...(values.seed === undefined ? {} : { ATTACK_SEED: values.seed }),
    ...(values.lives === undefined ? {} : { ATTACK_LIVES: values.lives }),
  },
});
await once(child, 'close');
process.exitCode = child.exitCode ?? 1;
