/**
 * `npm run bench`: what the operator costs, beside the budgets in budgets.ts. A real control plane, the simulator and the operator's bundle, each in
 * processes of their own, all of them ended at the end and on Ctrl-C.
 */
import { readFile } from 'node:fs/promises';
import { argumentsOf } from '../../scripts/arguments.ts';
import { buildImage } from '../support/image.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startCloud } from './cloud.ts';
import { startCluster } from './cluster.ts';
import { memoryLimitIn, startOperator } from './operator.ts';
import type { Bench, Scenario } from './scenario.ts';
import { create } from './scenarios/create.ts';
import { heading, judge, line, type Judged } from './table.ts';

const scenarios: Readonly<Record<string, Scenario>> = { create };

const usage = `npm run bench -- [--count N] [--rounds N] [--json] [${Object.keys(scenarios).join(' | ')} ...]`;
const { values, positionals } = argumentsOf(usage, {
  count: { type: 'string' },
  rounds: { type: 'string' },
  json: { type: 'boolean', default: false },
});

function refuse(words: string): never {
  process.stderr.write(`${words}\n\n${usage}\n`);
  process.exit(2);
}

function whole(name: 'count' | 'rounds'): number | undefined {
  const text = values[name];
  if (text !== undefined && !/^[1-9]\d*$/u.test(text)) refuse(`--${name} is a whole number, not ${text}`);
  return text === undefined ? undefined : Number(text);
}

const given = { count: whole('count'), rounds: whole('rounds') };
const wanted = positionals.length > 0 ? positionals : Object.keys(scenarios);
for (const name of wanted) if (!(name in scenarios)) refuse(`there is no scenario ${name}`);

const owned = new AsyncDisposableStack();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => void owned.disposeAsync().finally(() => process.exit(130)));

/** What is for people, while figures may be for machines. */
const say = (words: string) => void process.stderr.write(`${words}\n`);

async function start(): Promise<Bench> {
  const folder = owned.use(await temporaryFolder());
  const [image, cluster, cloud, chart] = await Promise.all([
    buildImage(folder.path),
    startCluster().then((started) => owned.use(started)),
    startCloud().then((started) => owned.use(started)),
    readFile(new URL('../../deploy/helm/managed-db-operator/values.yaml', import.meta.url), 'utf8'),
  ]);
  const place = { image, folder: folder.path, cluster, cloud, memoryLimitMib: memoryLimitIn(chart) };
  return {
    cluster,
    cloud,
    say,
    startOperator: async (...how) => owned.use(await startOperator(place, ...how)),
  };
}

const results: Judged[] = [];
try {
  const bench = await start();
  if (!values.json) process.stdout.write(`${heading}\n`);
  for (const name of wanted) {
    const scenario = scenarios[name];
    if (!scenario) continue;
    const size = { count: given.count ?? scenario.full.count, rounds: given.rounds ?? scenario.full.rounds };
    say(`${name}: ${size.count} services, ${size.rounds} rounds`);
    for (const judged of (await scenario.run(bench, size)).map(judge)) {
      results.push(judged);
      if (!values.json) process.stdout.write(`${line(judged)}\n`);
    }
  }
} finally {
  await owned.disposeAsync();
}
if (values.json) process.stdout.write(`${JSON.stringify(results, undefined, 2)}\n`);
