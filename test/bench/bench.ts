/**
 * `npm run bench`: the costs of the operator, beside the budgets in budgets.ts. A real control plane, the simulator and
 * the operator's bundle run in own processes, which end at the end and on Ctrl-C.
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { promisify } from 'node:util';
import * as z from 'zod';
import { argumentsOf } from '../../scripts/arguments.ts';
import { buildImage } from '../support/image.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { chart } from './chart.ts';
import { startCloud } from './cloud.ts';
import { startCluster } from './cluster.ts';
import { largeFleet, type LargeFleet } from './large-fleet.ts';
import { memoryLimitIn, startOperator } from './operator.ts';
import { page, type Run } from './page.ts';
import type { Bench, Scenario, Size } from './scenario.ts';
import { coldStart } from './scenarios/cold-start.ts';
import { create } from './scenarios/create.ts';
import { remove } from './scenarios/delete.ts';
import { editUnderResync } from './scenarios/edit-under-resync.ts';
import { failover } from './scenarios/failover.ts';
import { idle } from './scenarios/idle.ts';
import { memory } from './scenarios/memory.ts';
import { quick } from './scenarios/quick.ts';
import { restart } from './scenarios/restart.ts';
import { soak } from './scenarios/soak.ts';
import { heading, judge, line, type Judged } from './table.ts';

/** In the order of the runs: `memory` looks while the fleet grows that other scenarios need. */
const scenarios: Readonly<Record<string, Scenario>> = {
  create,
  delete: remove,
  'cold-start': coldStart,
  failover,
  memory,
  restart,
  idle,
  'edit-under-resync': editUnderResync,
  soak,
};

const usage = `npm run bench -- [--quick] [--count N] [--rounds N] [--minutes N] [--before FILE] [--json] [--write-docs] [${Object.keys(scenarios).join(' | ')} ...]`;
const { values, positionals } = argumentsOf(usage, {
  count: { type: 'string' },
  rounds: { type: 'string' },
  minutes: { type: 'string' },
  before: { type: 'string' },
  json: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  'write-docs': { type: 'boolean', default: false },
});

function refuse(words: string): never {
  process.stderr.write(`${words}\n\n${usage}\n`);
  process.exit(2);
}

function whole(name: keyof Size): number | undefined {
  const text = values[name];
  if (text !== undefined && !/^[1-9]\d*$/u.test(text))
    refuse(`--${name} is a whole number, not ${text}`);
  return text === undefined ? undefined : Number(text);
}

const given = { count: whole('count'), rounds: whole('rounds'), minutes: whole('minutes') };
for (const name of positionals) if (!(name in scenarios)) refuse(`there is no scenario ${name}`);
const asked = Object.entries(scenarios).filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
);
const wanted: readonly (readonly [string, Scenario])[] = values.quick ? [['quick', quick]] : asked;
const isFullSize = given.count === undefined && given.rounds === undefined;
if (values['write-docs'] && (!isFullSize || values.quick))
  refuse('--write-docs shows figures of full size: leave out --quick, --count and --rounds');

const owned = new AsyncDisposableStack();
let isInterrupted = false;
let ending: Promise<void> | undefined;
const end = () => (ending ??= owned.disposeAsync());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    isInterrupted = true;
    void end();
  });

/** Text for people, while figures may be for machines. */
const say = (words: string) => void process.stderr.write(`${words}\n`);

/** Without its operator a scenario would wait in vain. */
const lost = Promise.withResolvers<never>();
lost.promise.catch(() => undefined);

async function start(): Promise<Bench> {
  const folder = owned.use(await temporaryFolder());
  const [image, cluster, cloud, chartValues] = await Promise.all([
    buildImage(folder.path),
    startCluster().then((started) => owned.use(started)),
    startCloud().then((started) => owned.use(started)),
    readFile(new URL('../../deploy/helm/managed-db-operator/values.yaml', import.meta.url), 'utf8'),
  ]);
  const place = {
    image,
    folder: folder.path,
    cluster,
    cloud,
    memoryLimitMib: memoryLimitIn(chartValues),
  };
  let large: Promise<LargeFleet> | undefined;
  const bench: Bench = {
    cluster,
    cloud,
    say,
    async startOperator(...how) {
      const operator = owned.use(await startOperator(place, ...how));
      operator.lost.catch(lost.reject);
      return operator;
    },
    largeFleet: () => (large ??= largeFleet(bench).then((made) => owned.use(made))),
  };
  return bench;
}

async function about(): Promise<Omit<Run, 'results'>> {
  const described = await promisify(execFile)('git', [
    'describe',
    '--always',
    '--abbrev=12',
    '--exclude=*',
    '--dirty',
  ]);
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'CPU'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`;
  return {
    date: new Date().toISOString().slice(0, 10),
    machine,
    revision: described.stdout.trim(),
  };
}

const docs = (path: string) => new URL(`../../docs/${path}`, import.meta.url);

async function writeDocs(run: Run): Promise<void> {
  await writeFile(docs('reference/benchmarks.md'), page(run));
  await writeFile(docs('images/benchmarks.svg'), chart(run.results, 'npm run bench'));
}

/** The output of `--json`. */
const earlierRun = z.object({ results: z.array(z.object({ id: z.string(), value: z.number() })) });
const before =
  values.before === undefined
    ? []
    : earlierRun.parse(JSON.parse(await readFile(values.before, 'utf8'))).results;

const results: Judged[] = [];
try {
  const bench = await start();
  for (const [name, scenario] of wanted) {
    const size = {
      count: given.count ?? scenario.full.count,
      rounds: given.rounds ?? scenario.full.rounds,
      minutes: given.minutes ?? 5,
    };
    if (!values.json)
      process.stdout.write(
        `\n${name}, --count ${size.count} --rounds ${size.rounds}\n${heading}\n`,
      );
    for (const judged of (await Promise.race([scenario.run(bench, size), lost.promise])).map(
      (measured) => judge(measured, before),
    )) {
      results.push(judged);
      if (!values.json) process.stdout.write(`${line(judged)}\n`);
    }
  }
} catch (error) {
  // Work in flight breaks when its servers end.
  if (!isInterrupted) throw error;
} finally {
  await end();
}
if (isInterrupted) process.exit(130);
const run = { ...(await about()), results };
if (values.json) process.stdout.write(`${JSON.stringify(run, undefined, 2)}\n`);
if (values['write-docs']) await writeDocs(run);
if (isFullSize && results.some(({ verdict }) => verdict === 'over')) process.exitCode = 1;
