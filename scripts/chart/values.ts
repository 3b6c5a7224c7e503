import * as z from 'zod';
import { configValues } from './config-values.ts';
import * as k8s from './kubernetes-values.ts';

// The single source of values.yaml, values.schema.json and docs/reference/values.md. The values under config come from the operator's own settings.

/** Values that belong together; each has its default. */
function part<Shape extends z.core.$ZodLooseShape>(description: string, shape: Shape) {
  return z.strictObject(shape).optional().describe(description);
}

/** The values of a ServiceMonitor, and of a PodMonitor. */
const monitor = {
  enabled: z.boolean().default(false).describe('make it'),
  labels: k8s.labels.default({}).describe('labels that your Prometheus selects by'),
  interval: k8s.optionalDuration.default('').describe('how often; default: that of Prometheus'),
  scrapeTimeout: k8s.optionalDuration
    .default('')
    .describe('how long it may take; default: that of Prometheus'),
  relabelings: z.array(k8s.anything).default([]).describe('relabelings of the target'),
  metricRelabelings: z.array(k8s.anything).default([]).describe('relabelings of the samples'),
};

export const chartValues = z.strictObject({
  replicas: z
    .int()
    .min(0)
    .max(100)
    .default(2)
    .describe(
      'number of Pods; a single Pod acts, the rest wait with warm caches, unless config.controllerRing lets them share the objects',
    ),
  image: part('the image; build it with docker build, or take that of a release', {
    repository: k8s.imageRepository.default('managed-db-operator').describe('registry and name'),
    tag: k8s.imageTag
      .default('')
      .describe(
        'tag; default: the chart\'s appVersion. Only with image.digest="", which a release has set',
      ),
    digest: k8s.imageDigest.default('').describe('sha256:…; counts instead of the tag'),
    pullPolicy: z
      .enum(['Always', 'IfNotPresent', 'Never'])
      .default('IfNotPresent')
      .describe('when it is pulled'),
  }),
  imagePullSecrets: k8s.imagePullSecrets
    .default([])
    .describe('Secrets for a private registry, as {name: …}'),
  config: configValues
    .optional()
    .describe('settings of the operator: config.cloudUrl becomes the flag --cloud-url'),
  credentials: part(
    "the operator's own API key, for namespaces in config.operatorCredentialsNamespaces",
    {
      existingSecret: k8s.optionalName
        .default('')
        .describe(
          'Secret with the key; default: <name>-key. It may be missing: each namespace may have a key of its own',
        ),
      key: k8s.secretKey.default('apiKey').describe('entry of that Secret'),
      apiKey: z
        .string()
        // A check says it, since Helm would quote the key.
        .refine((key) => /^[!-~]*$/u.test(key))
        .default('')
        .describe(
          'the key itself: then the chart makes the Secret. It stays in the values of the release: for trying out only',
        ),
    },
  ),
  simulator: part(
    'a cloud in memory beside the operator, to try things out: one Pod, and a new Pod is a new, empty cloud',
    {
      enabled: z.boolean().default(false).describe('use it instead of config.cloudUrl'),
      port: k8s.portNumber.default(8081).describe('port on the loopback of the Pod'),
      latencyMs: z
        .int()
        .min(0)
        .max(3_600_000)
        .default(3_000)
        .describe('how long it works on a change'),
      resources: k8s.resources
        .default({ requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '128Mi' } })
        .describe('of its container'),
    },
  ),
  crds: part('the CustomResourceDefinitions, which all installations of a cluster share', {
    install: z
      .boolean()
      .default(true)
      .describe('make them, and keep them up to date; false where another installation does'),
    keep: z
      .boolean()
      .default(true)
      .describe(
        'helm uninstall leaves them, and with them all objects and databases; false asks for their deletion, which a policy allows only once they are annotated',
      ),
  }),
  ledger: part(
    'the namespace config.ledgerNamespace, which all installations of a cluster may share',
    {
      createNamespace: z
        .boolean()
        .default(true)
        .describe(
          'make it; false where the namespace exists, such as that of another installation. Once made it stays',
        ),
    },
  ),
  policies: part('ValidatingAdmissionPolicies, which all installations of a cluster share', {
    install: z
      .boolean()
      .default(true)
      .describe(
        'make them; false where another installation does. Without them tenants can take over and delete databases of other tenants. Once made they stay',
      ),
  }),
  tenantRoles: part(
    'ClusterRoles for tenants, added to admin, edit and view; all installations of a cluster share them',
    {
      create: z
        .boolean()
        .default(true)
        .describe('make them; false where another installation does. Once made they stay'),
    },
  ),
  rbac: part("the operator's own rights", {
    create: z
      .boolean()
      .default(true)
      .describe(
        'make roles and bindings: Roles in config.namespaces, or a ClusterRole where that is empty. By them another installation notices this one',
      ),
  }),
  serviceAccount: part('the ServiceAccount that the operator runs as', {
    create: z.boolean().default(true).describe('make it'),
    name: k8s.optionalName.default('').describe('its name; default: that of the installation'),
    annotations: k8s.annotations.default({}).describe('annotations'),
  }),
  podDisruptionBudget: part('PodDisruptionBudget: one Pod at a time may be away', {
    enabled: z.boolean().default(true).describe('make it'),
  }),
  networkPolicy: part(
    'NetworkPolicy: in to the metrics; out to names, the API server and the cloud',
    {
      enabled: z.boolean().default(false).describe('make it'),
      metricsFrom: k8s.peers
        .default([])
        .describe('who may come in, as in ingress.from; default: all'),
      extraEgress: k8s.egress
        .default([])
        .describe('more that may go out, as in egress; a proxy, say'),
    },
  ),
  metrics: part('objects for Prometheus and Grafana; /metrics itself is always served', {
    service: part('Service of the metrics, for a Prometheus without its operator', {
      annotations: k8s.annotations
        .default({})
        .describe('annotations, such as prometheus.io/scrape'),
    }),
    serviceMonitor: part('ServiceMonitor of the Prometheus operator', monitor),
    podMonitor: part(
      'PodMonitor of the Prometheus operator, in place of the ServiceMonitor',
      monitor,
    ),
    prometheusRule: part(
      'PrometheusRule of the Prometheus operator, with alerts; each has a runbook',
      {
        enabled: z.boolean().default(false).describe('make it'),
        labels: k8s.labels.default({}).describe('labels that your Prometheus selects by'),
        runbookUrl: z
          .union([z.literal(''), k8s.url])
          .default('')
          .describe(
            'URL of the folder docs/runbooks of your copy, for the links in alerts; default: alerts have no links',
          ),
        alerts: z
          .record(
            z.string().regex(/^ManagedDb[A-Za-z]+$/u),
            z.strictObject({
              enabled: z.boolean().optional(),
              severity: z.string().min(1).optional(),
              threshold: z.number().optional(),
              for: z
                .string()
                .regex(/^\d+[smhd]$/u)
                .optional(),
            }),
          )
          .default({})
          .describe(
            'changes of single alerts by name: enabled, severity, threshold (the number at the end of expr), for',
          ),
      },
    ),
    dashboard: part('dashboard for Grafana, as a ConfigMap', {
      enabled: z.boolean().default(false).describe('make it'),
      labels: k8s.labels
        .default({ grafana_dashboard: '1' })
        .describe("labels that Grafana's sidecar looks for"),
      annotations: k8s.annotations.default({}).describe('annotations, such as grafana_folder'),
    }),
  }),
  resources: k8s.resources
    .default({ requests: { cpu: '100m', memory: '96Mi' }, limits: { memory: '256Mi' } })
    .describe('of the container'),
  podSecurityContext: k8s.podSecurityContext
    .default({
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    .describe('of the Pod'),
  securityContext: k8s.securityContext
    .default({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    .describe('of the container'),
  deploymentAnnotations: k8s.annotations.default({}).describe('annotations of the Deployment'),
  revisionHistoryLimit: z
    .int()
    .min(0)
    .max(1_000)
    .default(10)
    .describe('how many old ReplicaSets of Kubernetes stay, for kubectl rollout undo'),
  livenessTimeoutSeconds: z
    .int()
    .min(1)
    .max(3_600)
    .default(5)
    .describe('how long /healthz may take before it counts as a failure'),
  podLabels: k8s.labels.default({}).describe('more labels of the Pods'),
  podAnnotations: k8s.annotations.default({}).describe('more annotations of the Pods'),
  commonLabels: k8s.labels.default({}).describe('more labels of everything'),
  nodeSelector: k8s.labels
    .default({ 'kubernetes.io/os': 'linux' })
    .describe(
      'labels of the nodes that Pods may run on; null in the place of a value leaves that label out',
    ),
  tolerations: k8s.tolerations.default([]).describe('taints that Pods accept'),
  affinity: k8s.affinity.default({}).describe('affinity of the Pods'),
  topologySpreadConstraints: k8s.topologySpreadConstraints
    .default([])
    .describe('spread of the Pods; default: over nodes and zones where it is possible'),
  dnsConfig: k8s.dnsConfig.default({}).describe('DNS settings of the Pods'),
  priorityClassName: k8s.optionalName
    .default('')
    .describe('PriorityClass of the Pods, such as system-cluster-critical'),
  extraArgs: z
    // A check reports it, since Helm would quote a value that may be a secret.
    .array(z.string().refine((text) => /^--(?:kubeconfig|context)=\P{Cc}+$/u.test(text)))
    .default([])
    .describe(
      'more flags, each --name=value: kubeconfig and context. The other flags are values under config',
    ),
  extraEnv: k8s.env
    .default([])
    .describe(
      'more variables of the container, as {name: …, value: …}. Not MANAGED_DB_…: those are values under config and credentials',
    ),
  extraVolumes: k8s.volumes.default([]).describe('more volumes of the Pods'),
  extraVolumeMounts: k8s.volumeMounts.default([]).describe('more mounts of the container'),
  nameOverride: k8s
    .optionalInstallationName(52)
    .default('')
    .describe(
      'name of the chart in labels and names; for the first install: later, it would change immutable fields',
    ),
  fullnameOverride: k8s
    .optionalInstallationName(52)
    .default('')
    .describe(
      'name of everything that is made; for the first install: later it makes everything once more, and removes the old',
    ),
});

/**
 * Accepted without effect: values that Helm hands a dependency of an umbrella chart, and a default that
 * `--reuse-values` carries along.
 */
export const ignoredValues = {
  global: z.looseObject({}).optional(),
  enabled: z.boolean().optional(),
  allNamespaces: z.boolean().optional(),
};

/** Names of other charts, and the values of this chart. The schema lets them through to a check, which reports the right name. */
export const misnomers: Readonly<Record<string, string>> = {
  replicaCount: 'use replicas',
  'image.registry': 'use image.repository, which has registry and name',
  'image.name': 'use image.repository',
  apiKey: 'use credentials.apiKey',
  cloudUrl: 'use config.cloudUrl',
  namespaces: 'use config.namespaces',
  watchNamespaces: 'use config.namespaces',
  logLevel: 'use config.logLevel',
  'metrics.enabled': 'use metrics.serviceMonitor.enabled; /metrics itself is always served',
  serviceMonitor: 'use metrics.serviceMonitor',
  podMonitor: 'use metrics.podMonitor',
  prometheusRule: 'use metrics.prometheusRule',
  dashboard: 'use metrics.dashboard',
  grafana: 'use metrics.dashboard',
  service: 'use metrics.service',
  'podDisruptionBudget.minAvailable':
    'use podDisruptionBudget.enabled: one Pod at a time may be away',
  'podDisruptionBudget.maxUnavailable':
    'use podDisruptionBudget.enabled: one Pod at a time may be away',
  installCRDs: 'use crds.install',
  'crds.enabled': 'use crds.install',
  'serviceAccount.automountServiceAccountToken': 'the operator needs its token',
  strategy: 'the chart sets the strategy of the Deployment',
  livenessProbe: 'use livenessTimeoutSeconds',
  readinessProbe: 'the chart sets the probe',
  env: 'use extraEnv',
  args: 'use extraArgs',
  extraContainers: 'add containers with a policy, or with kustomize',
  initContainers: 'add containers with a policy, or with kustomize',
  hostNetwork: 'the operator needs no network of the node',
  labels: 'use commonLabels',
  annotations: 'use deploymentAnnotations or podAnnotations',
};
