import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { operatorProcess } from '../support/operator-process.ts';

// Processes start slowly where much else is going on.
vi.setConfig({ testTimeout: 60_000 });

const script = (name: string) =>
  fileURLToPath(new URL(`../../scripts/${name}.ts`, import.meta.url));

test.each(['attack', 'rules', 'build', 'generate', 'alerts', 'release', '../test/bench/bench'])(
  '%s says what it takes, and does nothing when it is given anything else',
  async (name) => {
    await using help = operatorProcess(['--help'], {}, script(name));
    expect([await help.ended, help.stdout(), help.stderr()]).toEqual([
      0,
      expect.stringMatching(/^npm run [^\n]+\n$/u),
      '',
    ]);
    await using wrong = operatorProcess(['--chek'], {}, script(name));
    expect([await wrong.ended, wrong.stdout()]).toEqual([2, '']);
    expect(wrong.stderr()).toMatch(/^Unknown option '--chek'[^\n]*\n\nnpm run [^\n]+\n$/u);
  },
);

test.each([
  ['outside of the workflow', {}, 'the variable GITHUB_REF_NAME is not set; on your machine, use'],
  ['for another tag', { GITHUB_REF_NAME: 'v0.0.1' }, 'the tag is v0.0.1, but package.json has'],
])('a release stops before its first step %s', async (_, variables, message) => {
  await using started = operatorProcess([], variables, script('release'));
  expect([await started.ended, started.stdout()]).toEqual([1, '']);
  expect(started.stderr()).toContain(`the release stopped: ${message}`);
});
