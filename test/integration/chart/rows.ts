import { readdirSync } from 'node:fs';
import { definitions } from '../../../src/resources/definitions.ts';

/** A path in the values, a value for it, and all changes of the manifests; `+` is new, `-` is gone. */
export interface Row {
  readonly path: string;
  readonly value: unknown;
  /** Further values that the value needs; both sides of the comparison have them. */
  readonly given?: object;
  readonly changes: readonly string[];
}

function row(path: string, value: unknown, changes: readonly string[], given?: object): Row {
  return { path, value, changes, ...(given ? { given } : {}) };
}

const pod = 'Deployment spec.template.spec';
const runbooks = readdirSync(new URL('../../../docs/runbooks', import.meta.url)).filter(
  (name) => name !== 'README.md',
);
const operator = `${pod}.containers[operator]`;
const simulator = `${pod}.initContainers[simulator]`;

/** A setting that replaces its default, or adds a flag. */
function setting(name: string, value: unknown, ...flags: readonly string[]): Row {
  return row(
    `config.${name}`,
    value,
    flags.map(
      (flag) =>
        `${flag.startsWith('-- ') ? '-' : '+'} ${operator}.args ${flag.replace(/^-- /u, '')}`,
    ),
  );
}

const valuesPolicy = 'sizes-and-regions.managed-db-operator.managed-db-system';
const ofValues = ['', 'Binding'].map(
  (kind) => `+ ValidatingAdmissionPolicy${kind}/${valuesPolicy}`,
);

const settings: readonly Row[] = [
  setting('cloudUrl', 'https://other.example.com/v1', '--cloud-url=https://other.example.com/v1'),
  row('config.cloudCaFile', '/ca/$ca.crt', [
    `+ ${operator}.env[NODE_EXTRA_CA_CERTS].name NODE_EXTRA_CA_CERTS`,
    `+ ${operator}.env[NODE_EXTRA_CA_CERTS].value /ca/$$ca.crt`,
  ]),
  row(
    'config.sizes',
    [
      { cpuMillis: 500, memoryGbs: 2 },
      { cpuMillis: 16_000_000, memoryGbs: 64 },
      { cpuMillis: 'shared', memoryGbs: 'shared' },
    ],
    ofValues,
  ),
  row('config.regions', ['eu-central-1'], ofValues),
  setting(
    'operatorCredentialsNamespaces',
    ['shop', 'blog'],
    '--operator-credentials-namespaces=shop,blog',
  ),
  setting('deletionPolicy', 'Retain', '--deletion-policy=Retain'),
  setting('managementPolicy', 'Observe', '--management-policy=Observe'),
  setting('databaseUser', 'admin', '--database-user=admin'),
  setting('databaseName', 'main', '--database-name=main'),
  setting('sharedProjectAdoption', true, '--shared-project-adoption=true'),
  setting('acceptObjectsOfCluster', ['3f1c'], '--accept-objects-of-cluster=3f1c'),
  setting('workers', 1_000_000, '--workers=1000000'),
  setting('rateLimit', 5, '--rate-limit=5'),
  setting('rateBurst', 6, '--rate-burst=6'),
  setting('leaderElectLeaseDuration', '30s', '--leader-elect-lease-duration=30s'),
  setting('leaderElectRenewDeadline', '8s', '--leader-elect-renew-deadline=8s'),
  setting('leaderElectRetryPeriod', '1s', '--leader-elect-retry-period=1s'),
  setting('logLevel', 'debug', '--log-level=debug'),
  setting('logFormat', 'pretty', '--log-format=pretty'),
];

const image: readonly Row[] = [
  row('image.repository', 'images.example/ours', [`+ ${operator}.image images.example/ours:0.1.0`]),
  row('image.tag', '1.2.3', [`+ ${operator}.image managed-db-operator:1.2.3`]),
  row('image.digest', `sha256:${'a'.repeat(64)}`, [
    `+ ${operator}.image managed-db-operator@sha256:${'a'.repeat(64)}`,
  ]),
  row('image.pullPolicy', 'Always', [`+ ${operator}.imagePullPolicy Always`]),
  row(
    'imagePullSecrets',
    [{ name: 'registry' }],
    [`+ ${pod}.imagePullSecrets[registry].name registry`],
  ),
];

const podRows: readonly Row[] = [
  row('replicas', 3, ['+ Deployment spec.replicas 3']),
  row('deploymentAnnotations', { note: 'x' }, ['+ Deployment metadata.annotations.note x']),
  row('revisionHistoryLimit', 2, ['+ Deployment spec.revisionHistoryLimit 2']),
  row('livenessTimeoutSeconds', 9, [`+ ${operator}.livenessProbe.timeoutSeconds 9`]),
  row('dnsConfig', { searches: ['example.com'] }, [`+ ${pod}.dnsConfig.searches example.com`]),
  row('resources', { limits: { memory: '1Gi' } }, [`+ ${operator}.resources.limits.memory 1Gi`]),
  row('podSecurityContext', { runAsUser: 1000 }, [`+ ${pod}.securityContext.runAsUser 1000`]),
  row('securityContext', { procMount: 'Default' }, [
    `+ ${operator}.securityContext.procMount Default`,
  ]),
  row('podLabels', { team: 'data' }, ['+ Deployment spec.template.metadata.labels.team data']),
  row('podAnnotations', { note: 'x' }, ['+ Deployment spec.template.metadata.annotations.note x']),
  row('nodeSelector', { disk: 'ssd' }, [`+ ${pod}.nodeSelector.disk ssd`]),
  row(
    'tolerations',
    [{ key: 'db', operator: 'Exists' }],
    [`+ ${pod}.tolerations.key db`, `+ ${pod}.tolerations.operator Exists`],
  ),
  row('affinity', { podAntiAffinity: { x: 'y' } }, [`+ ${pod}.affinity.podAntiAffinity.x y`]),
  row(
    'topologySpreadConstraints',
    [{ topologyKey: 'rack', maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule' }],
    [
      `+ ${pod}.topologySpreadConstraints.topologyKey rack`,
      `+ ${pod}.topologySpreadConstraints.maxSkew 2`,
      `+ ${pod}.topologySpreadConstraints.whenUnsatisfiable DoNotSchedule`,
      `- ${pod}.topologySpreadConstraints.labelSelector.matchLabels.app.kubernetes.io/name managed-db-operator`,
      `- ${pod}.topologySpreadConstraints.labelSelector.matchLabels.app.kubernetes.io/instance managed-db-operator`,
      `- ${pod}.topologySpreadConstraints.matchLabelKeys pod-template-hash`,
    ],
  ),
  row('priorityClassName', 'system-cluster-critical', [
    `+ ${pod}.priorityClassName system-cluster-critical`,
  ]),
  row('extraArgs', ['--context=other'], [`+ ${operator}.args --context=other`]),
  row(
    'extraEnv',
    [{ name: 'HTTPS_PROXY', value: 'http://proxy' }],
    [
      `+ ${operator}.env[HTTPS_PROXY].name HTTPS_PROXY`,
      `+ ${operator}.env[HTTPS_PROXY].value http://proxy`,
    ],
  ),
  row(
    'extraVolumes',
    [{ name: 'ca', configMap: { name: 'ca' } }],
    [`+ ${pod}.volumes[ca].name ca`, `+ ${pod}.volumes[ca].configMap.name ca`],
  ),
  row(
    'extraVolumeMounts',
    [{ name: 'ca', mountPath: '/ca' }],
    [`+ ${operator}.volumeMounts[ca].name ca`, `+ ${operator}.volumeMounts[ca].mountPath /ca`],
    { extraVolumes: [{ name: 'ca', emptyDir: {} }] },
  ),
];

const simulated = { config: { cloudUrl: '' }, simulator: { enabled: true } };
const peer = { podSelector: { matchLabels: { app: 'prometheus' } } };
/** The values of a monitor of the Prometheus operator. */
function monitorRows(name: string, kind: string, endpoints: string): readonly Row[] {
  const given = { metrics: { [name]: { enabled: true } } };
  return [
    row(`metrics.${name}.enabled`, true, [`+ ${kind}`]),
    row(
      `metrics.${name}.labels`,
      { release: 'prometheus' },
      [`+ ${kind} metadata.labels.release prometheus`],
      given,
    ),
    row(`metrics.${name}.interval`, '30s', [`+ ${kind} spec.${endpoints}.interval 30s`], given),
    row(
      `metrics.${name}.scrapeTimeout`,
      '20s',
      [`+ ${kind} spec.${endpoints}.scrapeTimeout 20s`],
      given,
    ),
    ...['relabelings', 'metricRelabelings'].map((list) =>
      row(
        `metrics.${name}.${list}`,
        [{ action: 'labeldrop' }],
        [`+ ${kind} spec.${endpoints}.${list}.action labeldrop`],
        given,
      ),
    ),
  ];
}

const parts: readonly Row[] = [
  row('config.usageMetrics', true, [`+ ${operator}.args --usage-metrics=true`]),
  ...[
    ['serviceMonitor', 'ServiceMonitor spec.endpoints'] as const,
    ['podMonitor', 'PodMonitor spec.podMetricsEndpoints'] as const,
  ].map(([name, endpoints]) =>
    row(
      'config.usageMetrics',
      true,
      [
        `+ ${operator}.args --usage-metrics=true`,
        `+ ${endpoints}.honorLabels true`,
        `+ ${endpoints}.path /metrics/usage`,
        `+ ${endpoints}.relabelings.action replace`,
        `+ ${endpoints}.relabelings.sourceLabels __metrics_path__`,
        `+ ${endpoints}.relabelings.targetLabel metrics_path`,
      ],
      { metrics: { [name]: { enabled: true } } },
    ),
  ),
  row('config.healthAddress', '[::]:9090', [
    '+ Service spec.ports[metrics].port 9090',
    `+ ${operator}.args --health-address=[::]:9090`,
    `+ ${operator}.ports[health].containerPort 9090`,
  ]),
  row(
    'config.ledgerNamespace',
    'passwords',
    [
      `+ ${operator}.args --ledger-namespace=passwords`,
      '+ Role/managed-db-system:managed-db-operator metadata.namespace passwords',
      '+ RoleBinding/managed-db-system:managed-db-operator metadata.namespace passwords',
    ],
    { config: { namespaces: ['shop'] } },
  ),
  row('config.controllerRing', 'databases', [
    `+ ${operator}.args --controller-ring=databases`,
    `+ ${operator}.args --shard-name=$(POD_NAME)`,
    `+ ${operator}.env[POD_NAME].name POD_NAME`,
    `+ ${operator}.env[POD_NAME].valueFrom.fieldRef.fieldPath metadata.name`,
    '+ Deployment spec.strategy.type Recreate',
    '- Deployment spec.strategy.rollingUpdate.maxSurge 1',
    '- Deployment spec.strategy.rollingUpdate.maxUnavailable 0',
    '- Role rules.resourceNames managed-db-operator',
  ]),
  row('credentials.existingSecret', 'key-of-ours', [
    `+ ${pod}.volumes[api-key].secret.secretName key-of-ours`,
  ]),
  row('credentials.key', 'token', [`+ ${operator}.args --api-key-file=/etc/managed-db/token`]),
  row('credentials.apiKey', 'abc', ['+ Secret/managed-db-operator-key']),
  row('serviceAccount.create', false, ['- ServiceAccount/ours'], {
    serviceAccount: { name: 'ours' },
  }),
  row('serviceAccount.name', 'ours', [
    '+ ServiceAccount/ours',
    '- ServiceAccount',
    '+ ClusterRoleBinding/managed-db-system:managed-db-operator subjects.name ours',
    '+ RoleBinding subjects.name ours',
    `+ ${pod}.serviceAccountName ours`,
  ]),
  row('serviceAccount.annotations', { 'example.com/role': 'x' }, [
    '+ ServiceAccount metadata.annotations.example.com/role x',
  ]),
  row('rbac.create', false, [
    '- ClusterRole/managed-db-system:managed-db-operator',
    '- ClusterRoleBinding/managed-db-system:managed-db-operator',
    '- Role',
    '- RoleBinding',
  ]),
  row('tenantRoles.create', true, [
    '+ ClusterRole/managed-db-edit',
    '+ ClusterRole/managed-db-view',
    '+ ClusterRole/managed-db-plan',
    '+ ClusterRole/managed-db-approve',
    '+ ClusterRole/managed-db-service-binding',
  ]),
  row('podDisruptionBudget.enabled', false, ['- PodDisruptionBudget']),
  row('networkPolicy.enabled', true, ['+ NetworkPolicy']),
  row(
    'networkPolicy.metricsFrom',
    [peer],
    ['+ NetworkPolicy spec.ingress.from.podSelector.matchLabels.app prometheus'],
    {
      networkPolicy: { enabled: true },
    },
  ),
  row(
    'networkPolicy.extraEgress',
    [{ ports: [{ port: 3128 }] }],
    ['+ NetworkPolicy spec.egress.ports.port 3128'],
    {
      networkPolicy: { enabled: true },
    },
  ),
  row('metrics.service.annotations', { 'prometheus.io/scrape': 'true' }, [
    '+ Service metadata.annotations.prometheus.io/scrape true',
  ]),
  ...monitorRows('serviceMonitor', 'ServiceMonitor', 'endpoints'),
  ...monitorRows('podMonitor', 'PodMonitor', 'podMetricsEndpoints'),
  row('metrics.prometheusRule.enabled', true, ['+ PrometheusRule']),
  row(
    'metrics.prometheusRule.labels',
    { release: 'prometheus' },
    ['+ PrometheusRule metadata.labels.release prometheus'],
    {
      metrics: { prometheusRule: { enabled: true } },
    },
  ),
  row(
    'metrics.prometheusRule.runbookUrl',
    'https://wiki.example/db/',
    runbooks.map(
      (page) =>
        `+ PrometheusRule spec.groups[managed-db-operator].rules.annotations.runbook_url https://wiki.example/db/${page}`,
    ),
    { metrics: { prometheusRule: { enabled: true } } },
  ),
  row(
    'metrics.prometheusRule.alerts',
    { ManagedDbSlow: { severity: 'page' } },
    ['+ PrometheusRule spec.groups[managed-db-operator].rules.labels.severity page'],
    { metrics: { prometheusRule: { enabled: true } } },
  ),
  row('metrics.dashboard.enabled', true, ['+ ConfigMap/managed-db-operator-dashboard']),
  row(
    'metrics.dashboard.labels',
    { grafana_folder: 'db' },
    ['+ ConfigMap/managed-db-operator-dashboard metadata.labels.grafana_folder db'],
    { metrics: { dashboard: { enabled: true } } },
  ),
  row(
    'metrics.dashboard.annotations',
    { grafana_folder: 'db' },
    ['+ ConfigMap/managed-db-operator-dashboard metadata.annotations.grafana_folder db'],
    { metrics: { dashboard: { enabled: true } } },
  ),
  row(
    'simulator.port',
    9_000,
    [`+ ${simulator}.args --port=9000`, `+ ${operator}.args --cloud-url=http://127.0.0.1:9000`],
    simulated,
  ),
  row('simulator.latencyMs', 3_000_000, [`+ ${simulator}.args --latency=3000000`], simulated),
  row(
    'simulator.resources',
    { limits: { memory: '1Gi' } },
    [`+ ${simulator}.resources.limits.memory 1Gi`],
    simulated,
  ),
];

const plurals = definitions.map(({ plural }) => plural);
const ofNamespaces = plurals.map((plural) =>
  plural === 'managedservices' ? 'namespaces' : `namespaces-${plural}`,
);
const guards = [
  'deletion-protection',
  'crds',
  ...ofNamespaces,
  'adoption',
  'approvals',
  'namespace-rules',
  'namespace-warnings',
  'ledger',
  'ledger-namespace',
  'finalizers',
  'installations',
  'warnings',
];

/** The annotations that make Helm, Argo CD and Flux leave an object. */
export const kept = [
  'helm.sh/resource-policy keep',
  'argocd.argoproj.io/sync-options Prune=false,Delete=false',
  'kustomize.toolkit.fluxcd.io/prune disabled',
];

const shared: readonly Row[] = [
  row(
    'crds.keep',
    false,
    plurals.flatMap((plural) =>
      kept.map(
        (words) =>
          `- CustomResourceDefinition/${plural}.managed-db.io metadata.annotations.${words}`,
      ),
    ),
    { crds: { install: true }, policies: { install: true }, tenantRoles: { create: true } },
  ),
  row(
    'crds.install',
    true,
    plurals.map((plural) => `+ CustomResourceDefinition/${plural}.managed-db.io`),
  ),
  row('ledger.createNamespace', true, ['+ Namespace/managed-db-ledger']),
  row(
    'policies.install',
    true,
    guards.flatMap((name) => [
      `+ ValidatingAdmissionPolicy/managed-db-${name}`,
      `+ ValidatingAdmissionPolicyBinding/managed-db-${name}`,
    ]),
  ),
];

/**
 * The test compares each row with the chart's defaults, without the long objects that all installations of a
 * cluster share.
 */
export const rows: readonly Row[] = [...settings, ...image, ...podRows, ...parts, ...shared];
