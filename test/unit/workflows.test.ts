import { execFile } from 'node:child_process';
import { cp, readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { temporaryFolder } from '../support/temporary-folder.ts';

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

test('each command that tests something is run by a workflow', async () => {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(text));
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(new URL(name, folder), 'utf8')),
  );
  const inMatrix = (await weeklyCommands()).map((command) => command.split(' ')[0]);
  const tests = Object.keys(scripts).filter((name) => name.startsWith('test:'));
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

test('an image has its tag only when it is signed, and a release that has a tag is not made again', async () => {
  const runs = (await release()).release.steps.map(({ run }) => run);
  const place = (words: string) => runs.findIndex((run) => run.includes(words));
  const order = [
    'imagetools inspect',
    'push-by-digest=true',
    'cosign sign',
    'imagetools create --tag',
    'gh release create',
  ].map(place);
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(runs[place('push-by-digest=true')]).not.toContain('--tag');
});

test.each([
  [0, 1],
  [1, 0],
])('a release stops where its tag is there (inspect ends with %i)', async (found, code) => {
  const run =
    (await release()).release.steps
      .map((each) => each.run)
      .find((each) => each.includes('is released already')) ?? '';
  const env = { PATH: process.env['PATH'], IMAGE: 'i', VERSION: '1.2.3' };
  const ended = await promisify(execFile)(
    'bash',
    ['-eu', '-c', `docker() { return ${found}; }\n${run}`],
    { env },
  ).then(
    () => 0,
    () => 1,
  );
  expect(ended).toBe(code);
});

test('a step of a release that has a pipe fails where a part of it fails', async () => {
  const piped = (await release()).release.steps.filter(({ run }) => / \| /u.test(run));
  expect(piped).not.toEqual([]);
  expect(piped.filter(({ run }) => !run.startsWith('set -o pipefail\n'))).toEqual([]);
});

test.each([
  ['1.2.3', ''],
  ['1.2.3-rc.1', '--prerelease'],
])('version %s is released with %j', async (version, flag) => {
  const run =
    (await release()).release.steps
      .map((each) => each.run)
      .find((each) => each.includes('gh release create')) ?? '';
  // Shell functions replace the programs of the step: they only print their arguments.
  const script = `gh() { echo "gh $*"; }; npm() { :; }\n${run}`;
  const env = {
    PATH: process.env['PATH'],
    VERSION: version,
    GITHUB_REF_NAME: `v${version}`,
    IMAGE: 'i',
    DIGEST: 'd',
    CHARTS: 'c',
  };
  const { stdout } = await promisify(execFile)('bash', ['-eu', '-c', script], { env });
  expect(stdout).toContain(
    `managed-db-operator-${version}.tgz ${flag === '' ? '' : `${flag} `}--title ${version}`,
  );
});

test('a released chart has its image by digest, and leads to the pages of its version', async () => {
  const run =
    (await release()).release.steps
      .map((each) => each.run)
      .find((each) => each.includes('helm package')) ?? '';
  await using work = await temporaryFolder();
  const chart = 'deploy/helm/managed-db-operator';
  await cp(new URL(`../../${chart}`, import.meta.url), `${work.path}/${chart}`, {
    recursive: true,
  });
  const digest = `sha256:${'a'.repeat(64)}`;
  const env = {
    PATH: process.env['PATH'],
    IMAGE: 'registry.test/databases/managed-db-operator',
    DIGEST: digest,
    CHARTS: 'registry.test/databases/charts',
    VERSION: '1.2.3',
    GITHUB_SERVER_URL: 'https://git.test',
    GITHUB_REPOSITORY: 'ours/operator',
    GITHUB_ENV: `${work.path}/env`,
  };
  const script = `helm() { if test "$1" = push; then echo "Digest: sha256:c0ffee"; fi; }\n${run}`;
  await promisify(execFile)('bash', ['-eu', '-c', script], { env, cwd: work.path });
  const read = async (name: string): Promise<unknown> =>
    parse(await readFile(`${work.path}/${name}`, 'utf8'));
  expect(await read(`${chart}/values.yaml`)).toMatchObject({
    image: { repository: env.IMAGE, digest },
    metrics: {
      prometheusRule: { runbookUrl: 'https://git.test/ours/operator/blob/v1.2.3/docs/runbooks' },
    },
  });
  expect(await read(`${chart}/Chart.yaml`)).toMatchObject({
    home: 'https://git.test/ours/operator',
    sources: ['https://git.test/ours/operator/tree/v1.2.3'],
  });
  expect(await readFile(env.GITHUB_ENV, 'utf8')).toBe('CHART_DIGEST=sha256:c0ffee\n');
});
