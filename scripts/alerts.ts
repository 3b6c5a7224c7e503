import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { refusedOfChart } from '../test/alerts/definitions.ts';
import { promtool } from '../test/alerts/promtool.ts';
import { terminalProgress } from '../test/control-plane/progress.ts';
import { allQueries, pathOfAlerts } from '../test/support/metric-queries.ts';
import { argumentsOf } from './arguments.ts';

// Has Prometheus' own promtool check the alerts, run their tests, and read every query of the dashboard and the runbooks.
// Compares the objects that the chart makes for the Prometheus operator with the definitions of that operator.

argumentsOf('npm run test:alerts', {});
const root = fileURLToPath(new URL('..', import.meta.url));
const progress = terminalProgress(process.stderr);
const tool = await promtool(progress);
const folder = await mkdtemp(join(tmpdir(), 'managed-db-queries-'));
try {
  const queries = join(folder, 'queries.yaml');
  await writeFile(queries, await asRules());
  const runs = [
    ['check', 'rules', pathOfAlerts],
    ['check', 'rules', queries],
    ['test', 'rules', 'test/alerts/alerts.test.yaml'],
  ];
  for (const args of runs) if ((await exitCode(args)) !== 0) process.exitCode = 1;
  const refused = await refusedOfChart(progress);
  process.stdout.write(
    `The chart's ServiceMonitor and PrometheusRule: ${refused.length === 0 ? 'SUCCESS' : ['FAILED', ...refused].join('\n  ')}\n`,
  );
  if (refused.length > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}

/** Each query as a rule: promtool reads the same language as Prometheus. */
async function asRules(): Promise<string> {
  const rules = (await allQueries()).map(({ where, expr }, index) => ({
    record: `query:${index}`,
    expr: expr.replaceAll('$__rate_interval', '5m'),
    labels: { where },
  }));
  return stringify({ groups: [{ name: 'queries', rules }] });
}

async function exitCode(args: readonly string[]): Promise<number> {
  const child = spawn(tool, args, { cwd: root, stdio: 'inherit' });
  await once(child, 'close');
  return child.exitCode ?? 1;
}
