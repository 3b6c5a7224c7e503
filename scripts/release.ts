import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { minutesAndSeconds, terminalProgress } from '../test/control-plane/progress.ts';
import { root } from '../test/node/cache.ts';
import { version } from '../src/operator/version.ts';
import { argumentsOf } from './arguments.ts';
import { startLocalRegistry } from './release/local-registry.ts';
import { pathOfRelease, runner } from './release/programs.ts';
import { publishing } from './release/publishing.ts';
import { imageOfRehearsal, rehearsal } from './release/rehearsal.ts';
import { release, type Facts } from './release/release.ts';

// Makes a release. The workflow does so for a tag. A dry run takes the same steps with a registry of this machine, and prints each command that
// would publish. docs/release.md has the steps of the person.
//
//     npm run release -- --dry-run

const { values } = argumentsOf('npm run release -- --dry-run', {
  'dry-run': { type: 'boolean', default: false },
});
process.chdir(root);
const print = (line: string) => void process.stdout.write(`${line}\n`);
const progress = terminalProgress(process.stderr);
const failed = await (values['dry-run'] ? rehearse() : publish()).then(
  () => undefined,
  (error: unknown) => (error instanceof Error ? error.message : String(error)),
);
if (failed !== undefined) {
  process.stderr.write(`the release stopped: ${failed}\n`);
  process.exitCode = 1;
}

async function rehearse(): Promise<void> {
  const path = await pathOfRelease(progress);
  const run = runner(path);
  await using registry = await startLocalRegistry(path);
  const home = 'https://git.example/owner/managed-db-operator';
  const facts = await factsOf(`${registry.host}/databases`, home);
  const pushImage = imageOfRehearsal(run, progress, print);
  await release(facts, { ...rehearsal(run, pushImage, print), step });
  print(`the dry run is complete; the files are in ${facts.folder}`);
}

async function publish(): Promise<void> {
  const tag = variable('GITHUB_REF_NAME');
  if (tag !== `v${version.version}`)
    throw new Error(`the tag is ${tag}, but package.json has the version ${version.version}`);
  const [user, password] = [variable('REGISTRY_USER'), variable('REGISTRY_PASSWORD')];
  const home = `${variable('GITHUB_SERVER_URL')}/${variable('GITHUB_REPOSITORY')}`;
  const facts = await factsOf(variable('REGISTRY'), home);
  // The programs of the other steps have no use for it.
  delete process.env['REGISTRY_PASSWORD'];
  const run = runner(await pathOfRelease(progress));
  await release(facts, { ...publishing(run, { user, password }), step });
}

function variable(name: string): string {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`the variable ${name} is not set; on your machine, use --dry-run`);
}

async function factsOf(registry: string, home: string): Promise<Facts> {
  const git = runner(process.env['PATH'] ?? '');
  const folder = join(root, 'dist', 'release');
  await rm(folder, { recursive: true, force: true });
  const [revision = '', time = ''] = (await git('git', ['log', '-1', '--format=%H %ct'])).split(
    ' ',
  );
  return { version: version.version, registry, home, revision, time: Number(time), folder };
}

async function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  print(`- ${name}`);
  const since = Date.now();
  const result = await work();
  print(`  done after ${minutesAndSeconds(Date.now() - since)}`);
  return result;
}
