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
  return `# Metrics

Generated from src/operator/metrics/definitions.ts by npm run generate. Do not edit.

The operator serves \`/metrics\` at \`--health-address\` (port 8080), in the text format of Prometheus. The alerts over them are in [runbooks](../runbooks/README.md).

- Labels take only the values below, for any input of users, the cloud and the API server; \`other\` replaces all other values. On \`/metrics\` no label holds the name or the id of an object: [usage](#usage-of-each-database) has an own page, and [kube-state-metrics](#per-object) serves the conditions of each object.
- Only the leader among replicas exports metrics of objects, so you need no sum over replicas. Sum the counters of all replicas. Each [shard](../sharding.md) exports its own objects: sum them, but take the maximum of \`managed_db_watched_objects\`.
- \`workqueue_*\`, \`rest_client_*\` and \`leader_election_master_status\` have the names, labels and buckets of controller-runtime and client-go, so that dashboards and alerts for operators fit. \`workqueue_retries_total\` counts only failed reconciles, not planned reconciles.
- Counters that the alerts watch for growth are served from the start, at 0: Prometheus sees no growth in a series that begins at 1.
- A refusal of the cloud, or of a write by Kubernetes, is no \`error\` of a reconcile: the object reports it.

| metric | type | labels | meaning |
|---|---|---|---|
${definitions.map(row).join('\n')}
| \`process_*\`, \`nodejs_*\` | | | memory, CPU, file descriptors, event loop and garbage collection, as the Prometheus client for Node has them |

## Usage of each database

With \`--usage-metrics\` (chart: \`config.usageMetrics\`) the operator serves the figures of the cloud about each database on \`/metrics/usage\`. They come from lists that the operator reads anyway, so they cost no call, and they are at most 75 s old. Figures from a list that is older than five minutes are left out, and so is a stopped database. A megabyte of the cloud counts as 1000² bytes. Only the leader serves them, and each shard those of its own objects.

The ServiceMonitor and the PodMonitor of the chart scrape this page with \`honorLabels\`, so that \`namespace\` is the namespace of the object, and alerts reach the tenant. In your own scrape configuration, set \`metrics_path: /metrics/usage\` and \`honor_labels: true\`. The answer 404 means that the flag is off. A Prometheus that enforces its own namespace label ignores honorLabels. Relabelings of the chart's monitor hold for both pages; the label \`metrics_path\` tells their series \`up\` apart. The names of all objects are readable for any client that reaches the port.

| metric | type | labels | meaning |
|---|---|---|---|
${usage.map(row).join('\n')}

## Per object

kube-state-metrics gives figures for each object, with its name and namespace: hand it \`deploy/helm/managed-db-operator/files/custom-resource-state.yaml\` (\`--custom-resource-state-config-file\`), and let its ServiceAccount list and watch the three kinds and \`customresourcedefinitions\`. The labels are \`namespace\` and \`name\`, and \`customresource_kind\` is the kind. Missing parts of an object are left out.

| metric | further labels | meaning |
|---|---|---|
${perObject.map(({ name, help, labels }) => `| \`${name}\` | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`).join('\n')}
`;
}

function row({ name, type, help, labels }: Definition): string {
  const each = Object.entries(labels).map(
    ([label, allowed]) => `\`${label}\`: ${valuesOf(allowed)}`,
  );
  return `| \`${name}\` | ${type} | ${each.join('; ')} | ${help} |`;
}

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
