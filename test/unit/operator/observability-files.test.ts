import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { reasons } from '../../../src/resources/condition.ts';
import {
  alerts,
  allQueries,
  dashboard,
  metricNamesIn,
  runbooks,
} from '../../support/metric-queries.ts';
import { ofOurs, ofUsage } from '../../support/served-metrics.ts';

const text = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
const kebab = (name: string) => name.replaceAll(/(?<!^)(?=[A-Z])/gu, '-').toLowerCase();

/** The names of a metric as queries use them: a histogram is asked by its parts. */
function asQueried(name: string): readonly string[] {
  return ofOurs.get(name)?.type === 'histogram'
    ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`)
    : [name];
}

test('every alert has a page of its own in the index, with its severity, and there are no other pages', async () => {
  const all = await alerts();
  expect(new Set(await runbooks())).toEqual(new Set(all.map(({ alert }) => `${kebab(alert)}.md`)));
  const index = await text('docs/runbooks/README.md');
  for (const { alert, labels } of all) {
    const page = `${kebab(alert)}.md`;
    expect(index).toContain(`| [${alert}](${page}) | ${labels.severity} |`);
    expect(await text(`docs/runbooks/${page}`)).toMatch(
      new RegExp(`^# ${alert}\\n\\n[^#]+\\n## See it\\n[^]+\\n## Action\\n`, 'u'),
    );
  }
});

test('every alert has stories for promtool, some in which it fires and some in which it is silent', async () => {
  const outcome = z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) });
  const suite = z.object({ tests: z.array(z.object({ alert_rule_test: z.array(outcome) })) });
  const stories = suite.parse(parse(await text('test/alerts/alerts.test.yaml'))).tests;
  const told = stories.map(({ alert_rule_test: outcomes }) => ({
    alert: outcomes[0]?.alertname,
    fires: outcomes.some(({ exp_alerts: fired }) => fired.length > 0),
  }));
  for (const { alert } of await alerts()) {
    expect(told).toContainEqual({ alert, fires: true });
    expect(told).toContainEqual({ alert, fires: false });
  }
});

/** The reasons that no alert asks for, and why: nothing is wrong, its owner sees it at once, or an alert asks for the cause. */
const needsNoAlert: ReadonlyMap<string, string> = new Map([
  ...['Available', 'Stopped', 'Observed', 'Suspended'].map(
    (reason) => [reason, 'it is as its spec says'] as const,
  ),
  ['PeeringPending', 'the owner of the other side has to accept, and may take days'],
  [
    'WaitingForReference',
    'its own manifest names what is not there: objects may be applied in any order',
  ],
  [
    'Pending',
    'ManagedDbOperatorDown, ManagedDbNoLeader and ManagedDbWorkQueueStuck ask whether somebody looks',
  ],
  ['Abandoned', 'ManagedDbAbandoned counts the events: the object is gone'],
  ['Retained', 'the user asked for it, and the object is gone'],
]);

test('each reason is asked for by an alert, or says why it needs none', async () => {
  const all = await alerts();
  const asked = all.flatMap(({ expr }) =>
    [
      ...expr.matchAll(
        /managed_db_(?:objects|oldest_(?:unsynced|held_change)_age_seconds)\{(?:kind=~?"[^"]+", )?reason=~?"([^"]+)"\}/gu,
      ),
    ].flatMap(([, words = '']) => words.split('|')),
  );
  const stalled = all.some(({ expr }) => expr.includes('managed_db_stalled_objects'))
    ? reasons.stalled
    : [];
  const alerted = new Set<string>([...asked, ...stalled]);
  const known = Object.values(reasons).flat();
  expect([...alerted].filter((reason) => !known.some((each) => each === reason))).toEqual([]);
  expect(known.filter((reason) => alerted.has(reason) === needsNoAlert.has(reason))).toEqual([]);
  const named = [...needsNoAlert.values()].flatMap((why) => why.match(/ManagedDb\w+/gu) ?? []);
  expect(named.filter((name) => !all.some(({ alert }) => alert === name))).toEqual([]);
});

/** A query without all that is in parentheses. */
function outermost(expr: string): string {
  const less = expr.replaceAll(/\([^()]*\)/gu, '');
  return less === expr ? expr : outermost(less);
}

const isBounded = (expr: string) => /[<>] [0-9.]+$/u.test(expr) && !/\bor\b/u.test(outermost(expr));

test('the number at the end of a query bounds all of it, since the chart sets it as the threshold', async () => {
  // The first has no number, the second a number for each unit: answers of the cloud, objects, and seconds of waiting.
  const others = ['ManagedDbOperatorDown', 'ManagedDbRateLimited'];
  expect((await alerts()).filter(({ expr }) => !isBounded(expr)).map(({ alert }) => alert)).toEqual(
    others,
  );
});

test('alerts, dashboard and runbooks ask only for what is served, and each metric of ours is on the dashboard', async () => {
  const served = new Set([...ofOurs.keys(), ...ofUsage].flatMap(asQueried));
  const asked = (await allQueries()).map(({ where, expr }) => ({
    where,
    names: [...metricNamesIn(expr)],
  }));
  // A test in a running operator checks the default metrics of the Prometheus client: test/integration/metrics.test.ts.
  const unknown = asked.flatMap(({ where, names }) =>
    names
      .filter((name) => !served.has(name) && !/^(?:process|nodejs)_/u.test(name))
      .map((name) => `${where}: ${name}`),
  );
  expect(unknown).toEqual([]);
  const shown = new Set(
    asked.filter(({ where }) => where.startsWith('panel ')).flatMap(({ names }) => names),
  );
  expect(
    [...ofOurs.keys(), ...ofUsage].filter(
      (name) => !asQueried(name).some((part) => shown.has(part)),
    ),
  ).toEqual([]);
});

test('names that other operators serve as well are asked of ours alone', async () => {
  const ours = 'on (job, instance)';
  const general = /\b(?:workqueue|rest_client|leader_election|process|nodejs)_/u;
  expect(
    (await allQueries())
      .filter(({ expr }) => general.test(expr) && !expr.includes(ours))
      .map(({ where }) => where),
  ).toEqual([]);
});

test('the metric names of a query are found without labels, functions and values', () => {
  const expr =
    'sum by (kind_of) (rate(a_total{b_c="d_e"}[5m]) and on (job_x) f_g) / histogram_quantile(0.9, h_bucket)';
  expect(metricNamesIn(expr)).toEqual(new Set(['a_total', 'f_g', 'h_bucket']));
});

test('the dashboard asks the data source that is chosen, and no panel lies on another', async () => {
  const { panels, templating, schemaVersion } = await dashboard();
  expect(schemaVersion).toBeGreaterThanOrEqual(39);
  expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' });
  const sources = panels.flatMap(({ datasource, targets = [] }) => [
    datasource,
    ...targets.map((target) => target.datasource),
  ]);
  expect(new Set(sources.filter((source) => source !== undefined).map(({ uid }) => uid))).toEqual(
    new Set(['${datasource}']),
  );
  const taken = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
  );
  expect(new Set(taken).size).toBe(taken.length);
  expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  expect(panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual([
    'Health and leader',
    'Objects',
    'Cloud',
    'Queue and API server',
    'Process',
    'Databases of a tenant',
  ]);
});

test('kube-state-metrics is told of the kinds by the group and version that are served, and of fields that there are', async () => {
  const page = await text('deploy/helm/managed-db-operator/files/custom-resource-state.yaml');
  const resource = z.object({
    groupVersionKind: z.object({ group: z.string(), version: z.string(), kind: z.string() }),
  });
  const config = z
    .object({ kind: z.string(), spec: z.object({ resources: z.array(resource) }) })
    .parse(parse(page));
  expect(config.kind).toBe('CustomResourceStateMetrics');
  expect(config.spec.resources.map(({ groupVersionKind }) => groupVersionKind)).toEqual([
    { group: 'managed-db.io', version: 'v1alpha1', kind: '*' },
  ]);
});
