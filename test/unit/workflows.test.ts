import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';

const folder = new URL('../../.github/workflows/', import.meta.url);

const step = z.object({ run: z.string().default('') });
const releases = z.object({
  jobs: z.object({
    release: z.object({ needs: z.string(), steps: z.array(step) }),
    test: z.object({ uses: z.string() }),
  }),
});
const release = async () =>
  releases.parse(parse(await readFile(new URL('release.yaml', folder), 'utf8'))).jobs;

test('every action of a workflow is pinned to a commit, and each workflow starts with the right to read alone', async () => {
  const names = await readdir(folder);
  expect(names).toContain('release.yaml');
  for (const name of names) {
    const text = await readFile(new URL(name, folder), 'utf8');
    const actions = [...text.matchAll(/uses: (\S+)/gu)].map(([, action]) => action);
    expect(actions.filter((action) => !/@[a-f0-9]{40}$|^\.\//u.test(action ?? ''))).toEqual([]);
    expect(parse(text)).toMatchObject({ permissions: { contents: 'read' } });
  }
});

test('nothing is released that the tests have not passed', async () => {
  const { release: job, test: tests } = await release();
  expect([job.needs, tests.uses]).toEqual(['test', './.github/workflows/test.yaml']);
  expect(parse(await readFile(new URL('test.yaml', folder), 'utf8'))).toHaveProperty([
    'on',
    'workflow_call',
  ]);
});

const weekly = z.object({
  jobs: z.object({
    weekly: z.object({
      strategy: z.object({ matrix: z.object({ command: z.array(z.string()) }) }),
    }),
  }),
});
const weeklyCommands = async () =>
  weekly.parse(parse(await readFile(new URL('weekly.yaml', folder), 'utf8'))).jobs.weekly.strategy
    .matrix.command;

test('a workflow runs each command that tests something', async () => {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(text));
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(new URL(name, folder), 'utf8')),
  );
  const inMatrix = (await weeklyCommands()).map((command) => command.split(' ')[0]);
  const tests = Object.keys(scripts).filter((name) => name === 'bench' || name.startsWith('test:'));
  tests.push('release -- --dry-run', 'test:attack -- simulation', 'test:attack -- mutants');
  expect(tests).toContain('test:alerts');
  expect(
    tests.filter(
      (name) => !texts.some((each) => each.includes(`npm run ${name}`)) && !inMatrix.includes(name),
    ),
  ).toEqual([]);
});

test('each file of attacks runs once a week, and those with bounds for a machine of their own have one', async () => {
  const names = (await readdir(new URL('../attack/', import.meta.url)))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => name.replace('.test.ts', ''));
  const runs = (await weeklyCommands())
    .filter((command) => command.startsWith('test:attack'))
    .map((command) => names.filter((name) => command.split(' ').includes(name)));
  expect(runs.flat().toSorted()).toEqual(names.toSorted());
  expect(runs).toEqual(expect.arrayContaining([['failover'], ['load']]));
});

test('the image is built and started in the tests, as confined as the Deployment has it', async () => {
  const tests = z.object({ jobs: z.object({ image: z.object({ steps: z.array(step) }) }) });
  const { image } = tests.parse(parse(await readFile(new URL('test.yaml', folder), 'utf8'))).jobs;
  const runs = image.steps.map(({ run }) => run);
  expect(runs).toContainEqual(expect.stringMatching(/^docker build /u));
  expect(runs).toContainEqual(
    expect.stringMatching(
      /^docker run .*--read-only --cap-drop=ALL --security-opt=no-new-privileges .* --version$/u,
    ),
  );
});

test('the container of the image is confined in the tests, by root, without whom that is skipped', async () => {
  const tests = z.object({ jobs: z.object({ test: z.object({ steps: z.array(step) }) }) });
  const { steps } = tests.parse(parse(await readFile(new URL('test.yaml', folder), 'utf8'))).jobs
    .test;
  const run = steps.map((each) => each.run).find((each) => each.includes('image.test.ts'));
  expect(run).toMatch(/^sudo unshare --mount .* setpriv --version$/mu);
  expect(run).toMatch(/^sudo .* run --project integration test\/integration\/image\.test\.ts$/mu);
});

test('the workflow of a release runs the script that a dry run runs, and no other command', async () => {
  const runs = (await release()).release.steps.map(({ run }) => run).filter((run) => run !== '');
  expect(runs).toEqual(['npm ci', 'npm run release']);
});
