import { figures, type Figure } from './budgets.ts';
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

/** The fixed text of the page; the results come behind it. */
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

A run starts a real control plane, the simulator and the operator's bundle, and ends them all. The operator has V8's limits as in the chart's container, 32 workers and no rate limit. The simulated cloud is READY a second after a create, and deletes at once. Use a machine that does nothing else: load changes ratios little, and seconds much.

The exit code is 1 when a scenario of full size is over a budget. The budgets are not meant for smaller runs (\`--count\`, \`--rounds\`). The counts of \`--quick\` are the same on every machine.

\`create\` is compared with **the bare replay**: a process that repeats the operator's recorded writes for other services, with as many workers and the same waits for the cloud. It has no watch, cache, decision or journal, so it is near to the lowest cost of these writes. Operator and replay take turns.

\`memory\`, \`restart\`, \`idle\` and \`edit-under-resync\` share a fleet of 10,000 services.

Linux reports CPU and memory. The API server and the simulated cloud count the requests. A write is a request that changes something; events count separately.

## Results
`;

/** The whole page: each figure with a budget. The terminal and `--json` show the other figures, too. @param run undefined: none yet */
export function page(run: Run | undefined): string {
  const source =
    run === undefined
      ? 'None yet from a machine that did nothing else.'
      : `${run.date}, revision ${run.revision}, ${run.machine}.

![the costs of the operator, as shares of the budgets](../images/benchmarks.svg)`;
  const lines = budgeted.map((figure) => {
    const result = run?.results.find(({ id }) => id === figure.id);
    return `${fixedCells(figure)} ${result ? measured(result) : ''} |`;
  });
  return `${explained}
${source}

| scenario | figure | budget | meaning | measured |
|---|---|---|---|---|
${lines.join('\n')}
`;
}

const budgeted = figures.filter((figure: Figure) => figure.most !== undefined);

/** The part of a row that no run changes. */
export function fixedCells({ id, what, unit, most = 0, meaning }: Figure): string {
  const scenario = id.replace(/\..*$/u, '');
  const limit = `${digits(most)} ${unit}`;
  return `| ${scenario} | ${what} | ${limit} | ${meaning ?? ''} |`;
}

function measured({ value, verdict }: Judged): string {
  return verdict === 'over' ? `${digits(value)}, over` : digits(value);
}
