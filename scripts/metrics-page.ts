import type { Definition, Label } from '../src/operator/metrics/definition.ts';

/** A figure that kube-state-metrics gives for each object that has it. */
export interface PerObject {
  readonly name: string;
  readonly help: string;
  /** Beside those that all of them have. */
  readonly labels: readonly string[];
}

/** The page on the metrics for Prometheus: those of the operator, and those of kube-state-metrics for each object. */
export function metricsPage(
  definitions: readonly Definition[],
  usage: readonly Definition[],
  perObject: readonly PerObject[],
): string {
  const shared = sharedLabels(definitions);
  const row = rowBeside(shared);
  return `# Metrics

Generated from src/operator/metrics/definitions.ts by npm run generate. Do not edit.

The operator serves \`/metrics\` at \`--health-address\` (port 8080), in the text format of Prometheus. The alerts over them are in [runbooks](../runbooks/README.md).

- Labels take only the values below; \`other\` replaces all other values. On \`/metrics\`, no label has the name or the id of an object: see [usage](#usage-of-each-database) and [kube-state-metrics](#per-object).
- Only the leader exports metrics of objects. Each [shard](../sharding.md) exports its own objects: sum them, but take the maximum of \`managed_db_watched_objects\`. Sum the counters of all replicas.
- \`workqueue_*\`, \`rest_client_*\` and \`leader_election_master_status\` have the names, labels and buckets of controller-runtime and client-go, so that dashboards for operators fit.
- Counters that the alerts watch for growth start at 0: Prometheus sees no growth in a series that begins at 1.
- A refusal of the cloud, or of a write by Kubernetes, is no \`error\` of a reconcile: the object reports it.

These labels have the same values in several metrics:

| label | values |
|---|---|
${shared.map(({ label, values }) => `| \`${label}\` | ${values} |`).join('\n')}

| metric | type | labels | meaning |
|---|---|---|---|
${definitions.map(row).join('\n')}
| \`process_*\`, \`nodejs_*\` | | | memory, CPU, file descriptors, event loop and garbage collection, as the Prometheus client for Node has them |

## Usage of each database

With \`--usage-metrics\` (chart: \`config.usageMetrics\`), the operator serves the cloud's figures about each database on \`/metrics/usage\`. They come from lists that the operator reads anyway, and are at most 75 s old. The page omits stopped databases, and figures from a list that is older than five minutes. A megabyte of the cloud counts as 1000² bytes.

The monitors of the chart scrape this page with \`honorLabels\`, so \`namespace\` is the namespace of the object, and alerts reach the tenant. A Prometheus that enforces its own namespace label ignores this. In your own scrape configuration, set \`metrics_path: /metrics/usage\` and \`honor_labels: true\`. The answer 404 means that the flag is off. Relabelings of the chart's monitor apply to both pages; the label \`metrics_path\` distinguishes their series \`up\`. Any client that reaches the port can read the names of all objects.

| metric | type | labels | meaning |
|---|---|---|---|
${usage.map(row).join('\n')}

## Per object

kube-state-metrics serves figures for each object. Pass it \`deploy/helm/managed-db-operator/files/custom-resource-state.yaml\` with \`--custom-resource-state-config-file\`, and let its ServiceAccount list and watch the three kinds and \`customresourcedefinitions\`. Each metric has the labels \`namespace\`, \`name\` and \`customresource_kind\`. A missing part of an object has no series.

| metric | further labels | meaning |
|---|---|---|
${perObject.map(({ name, help, labels }) => `| \`${name}\` | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`).join('\n')}
`;
}

interface SharedLabel {
  readonly label: string;
  readonly values: string;
}

/** The labels with the same values in several metrics. No two of them have the same name. */
function sharedLabels(definitions: readonly Definition[]): readonly SharedLabel[] {
  const all = definitions.flatMap(({ labels }) =>
    Object.entries(labels).map(([label, allowed]) => ({ label, values: valuesOf(allowed) })),
  );
  const isSame = (one: SharedLabel, other: SharedLabel) =>
    one.label === other.label && one.values === other.values;
  return all.filter(
    (each, index) =>
      all.findIndex((other) => isSame(each, other)) === index &&
      all.filter((other) => isSame(each, other)).length > 1,
  );
}

const rowBeside =
  (shared: readonly SharedLabel[]) =>
  ({ name, type, help, labels }: Definition): string => {
    const each = Object.entries(labels).map(([label, allowed]) => {
      const values = valuesOf(allowed);
      const isShared = shared.some((other) => other.label === label && other.values === values);
      return isShared ? `\`${label}\`` : `\`${label}\`: ${values}`;
    });
    return `| \`${name}\` | ${type} | ${each.join('; ')} | ${help} |`;
  };

function valuesOf(label: Label): string {
  if ('setting' in label) return label.setting;
  return (
    label.shown ??
    label.values
      .slice(0, -1)
      .map((value) => `\`${value}\``)
      .join(', ')
  );
}
