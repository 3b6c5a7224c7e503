import { figures } from './budgets.ts';
import { digits, type Judged } from './table.ts';

/** A run whose figures are shown to people. */
export interface Run {
  /** `2026-11-21`. */
  readonly date: string;
  /** Which processor, how many of them, which memory, which Node. */
  readonly machine: string;
  readonly revision: string;
  readonly results: readonly Judged[];
}

/** The fixed text of the page; the figures come behind it. */
export const explained = `# Benchmarks

The costs of the operator, beside their budgets. Written by \`npm run bench -- --write-docs\`. Do not edit.

\`\`\`
npm run bench                                  all scenarios, most of an hour
npm run bench -- create delete                 some of them
npm run bench -- --quick                       requests and calls of ten services, a minute: part of npm test
npm run bench -- create --count 20 --rounds 1  a first look, less than a minute
npm run bench -- soak --minutes 20             for as long as you like
npm run --silent bench -- --json > before.json for machines
npm run bench -- create --before before.json   beside an earlier run
npm run bench -- --write-docs                  writes this page and its picture
\`\`\`

It starts a real control plane, the simulator and the operator's bundle on this machine, each in processes of their own, and ends them all. The bundle gets V8's limits as in the container that the chart asks for, 32 workers and no rate limit. The simulated cloud is READY a second after a create, and deletes at once. Run it on a machine that does nothing else: a ratio within one run bears some load, seconds do not.

The exit code is 1 when a scenario of full size is over a budget. The counts of \`--quick\` are the same on every machine. \`--count\` and \`--rounds\` make a run smaller: its figures are shown beside the same budgets, though they are not meant for it.

The scenario \`create\` is compared with **the bare replay**. The requests of the operator to the API server for a single service are recorded through a proxy. A process that does nothing else then makes the same writes for other services, as many at a time as the operator has workers, and waits as long for the cloud. It has no watch, no cache, no decisions and no journal to keep, so it is near to the least that the writes can cost. Operator and replay take turns, and the ratio of each round counts.

**The fleet** of \`memory\`, \`restart\`, \`idle\` and \`edit-under-resync\` is made by the operator itself, once for all scenarios of a run.

Linux reports CPU and memory in \`/proc\`. The API server counts requests, the simulated cloud counts calls. V8's inspector measures the live heap after a full garbage collection.

## Figures

| scenario | figure | unit | budget | meaning |
|---|---|---|---|---|
${figures.map((figure) => `| ${cells(figure).join(' | ')} |`).join('\n')}

## Results
`;

/** The whole page. @param run undefined: none yet */
export function page(run: Run | undefined): string {
  if (!run) return `${explained}\nNone yet from a machine that did nothing else.\n`;
  const { date, machine, revision, results } = run;
  const lines = results.map(({ id, what, value, unit, most, ratio, verdict }) =>
    row([
      scenarioOf(id),
      what,
      digits(value),
      unit,
      most === undefined ? '' : digits(most),
      ratio?.toFixed(2) ?? '',
      verdict,
    ]),
  );
  return `${explained}
${date}, revision ${revision}, ${machine}.

![the costs of the operator, as shares of the budgets](../images/benchmarks.svg)

| scenario | figure | measured | unit | budget | ratio | |
|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
}

function cells({
  id,
  what,
  unit,
  most,
  meaning,
}: {
  id: string;
  what: string;
  unit: string;
  most?: number;
  meaning: string;
}) {
  return [scenarioOf(id), what, unit, most === undefined ? '' : digits(most), meaning];
}

function row(columns: readonly string[]): string {
  return `| ${columns.join(' | ')} |`;
}

function scenarioOf(id: string): string {
  return id.replace(/\..*$/u, '');
}
