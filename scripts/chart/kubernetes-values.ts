import { isIPv4, isIPv6 } from 'node:net';
import * as z from 'zod';
import { checkedPatterns } from './checked-patterns.ts';

// The values that the API server accepts in the parts that the chart passes on to it. It would refuse the rest in the middle of an installation.
// Helm knows no look-ahead (RE2), and a length as a repetition of at most 1000. It quotes the pattern that refuses a value, so patterns are short.

const label = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const subdomain = '[a-z0-9]+((-+|\\.)[a-z0-9]+)*';
const qualified = '([A-Za-z0-9][-.\\w]{0,61})?[A-Za-z0-9]';
const key = `(${subdomain}/)?${qualified}`;
const maxInt32 = 2_147_483_647;

/** The whole text, or, where the pattern is optional, nothing. */
function matching(pattern: string, maxLength = 253): z.ZodString {
  return z
    .string()
    .max(maxLength)
    .regex(new RegExp(`^(${pattern})$`, 'u'));
}

export const optional = (pattern: string): string => `(${pattern})?`;
export const name = matching(subdomain);
export const optionalName = matching(optional(subdomain));
/** Of a release or a chart: it begins the name of a Service, which no digit may begin. */
export const optionalInstallationName = (maxLength: number): z.ZodString =>
  matching(optional('[a-z](?:[-a-z0-9]*[a-z0-9])?'), maxLength);
/** Of an entry of a Secret, which is a file, too. */
export const secretKey = matching('\\.?[-_a-zA-Z0-9][-._a-zA-Z0-9]*');
export const imageRepository = matching(
  '([A-Za-z0-9][-.A-Za-z0-9]*(:\\d{1,5})?/)?[a-z0-9]+(([-._]+|/)[a-z0-9]+)*',
);
export const imageTag = matching(optional('[A-Za-z0-9_][-.A-Za-z0-9_]{0,127}'));
export const imageDigest = matching(optional('sha256:[a-f0-9]{64}'));
/** Of Prometheus. */
export const optionalDuration = matching(optional('[1-9]\\d{0,8}(?:ms|s|m|h)'));
/** Stands in YAML as it is. */
export const url = matching('[^\\s\\p{Cc}"\'#{}\\[\\]]*[^\\s\\p{Cc}"\'#{}\\[\\]:]', 2_000);

const keys = matching(key, 317);
const labelValue = matching(optional(qualified), 63);
export const labels = z.record(keys, labelValue);
export const annotations = z.record(keys, z.string());
const int = z.int().min(0).max(maxInt32);
export const portNumber = z.int().min(1).max(65_535);

const quantity = z.union([
  z.number().min(0),
  matching('(?:\\d+\\.?\\d*|\\.\\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][-+]?\\d{1,2})?', 63),
]);
const resourceName = matching(
  `cpu|memory|ephemeral-storage|hugepages-\\d+[KMG]i|${subdomain}/${qualified}`,
  317,
);
export const resources = z.partialRecord(
  z.enum(['requests', 'limits']),
  z.record(resourceName, quantity),
);

/** Passed on as it is. */
export const anything = z.record(z.string(), z.unknown());
const selector = z.strictObject({
  matchLabels: labels.optional(),
  matchExpressions: z
    .array(
      z.strictObject({
        key: keys,
        operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
        values: z.array(labelValue).optional(),
      }),
    )
    .optional(),
});

export const imagePullSecrets = z.array(z.strictObject({ name }));
export const tolerations = z.array(
  z.strictObject({
    key: matching(optional(key), 317).optional(),
    operator: z.enum(['Exists', 'Equal', 'Lt', 'Gt']).optional(),
    value: labelValue.optional(),
    effect: z.enum(['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
    tolerationSeconds: z.int().optional(),
  }),
);
export const topologySpreadConstraints = z.array(
  z.strictObject({
    maxSkew: int.min(1),
    topologyKey: keys,
    whenUnsatisfiable: z.enum(['DoNotSchedule', 'ScheduleAnyway']),
    labelSelector: selector.optional(),
    minDomains: int.min(1).optional(),
    nodeAffinityPolicy: z.enum(['Honor', 'Ignore']).optional(),
    nodeTaintsPolicy: z.enum(['Honor', 'Ignore']).optional(),
    matchLabelKeys: z.array(keys).optional(),
  }),
);
export const affinity = z.partialRecord(
  z.enum(['nodeAffinity', 'podAffinity', 'podAntiAffinity']),
  anything,
);
const ipv4 = z.string().refine(isIPv4).meta({ format: 'ipv4' });
const ipv6 = z.string().refine(isIPv6).meta({ format: 'ipv6' });
export const dnsConfig = z
  .strictObject({
    nameservers: z.array(z.union([ipv4, ipv6])).max(3),
    searches: z.array(matching('\\.|_?[a-z0-9]+((-+|\\._?)[a-z0-9]+)*\\.?')),
    options: z.array(z.strictObject({ name: z.string().min(1), value: z.string().optional() })),
  })
  .partial();

const user = z.int().min(0).max(maxInt32);
const profile = z.strictObject({
  type: z.enum(['RuntimeDefault', 'Unconfined', 'Localhost']),
  localhostProfile: z.string().min(1).optional(),
});
const seLinuxOptions = z.strictObject({
  user: z.string().optional(),
  role: z.string().optional(),
  type: z.string().optional(),
  level: z.string().optional(),
});
const ofBoth = {
  runAsUser: user,
  runAsGroup: user,
  runAsNonRoot: z.boolean(),
  seccompProfile: profile,
  appArmorProfile: profile,
  seLinuxOptions,
  windowsOptions: anything,
};
export const podSecurityContext = z
  .strictObject({
    ...ofBoth,
    fsGroup: user,
    fsGroupChangePolicy: z.enum(['OnRootMismatch', 'Always']),
    supplementalGroups: z.array(user),
    supplementalGroupsPolicy: z.enum(['Merge', 'Strict']),
    seLinuxChangePolicy: z.enum(['Recursive', 'MountOption']),
    sysctls: z.array(z.strictObject({ name: z.string().min(1), value: z.string() })),
  })
  .partial();
const capabilities = z.array(matching('[A-Z][A-Z0-9_]*', 63)).optional();
export const securityContext = z
  .strictObject({
    ...ofBoth,
    allowPrivilegeEscalation: z.boolean(),
    readOnlyRootFilesystem: z.boolean(),
    privileged: z.boolean(),
    // Unmasked needs hostUsers=false, which no value sets.
    procMount: z.enum(['Default']),
    capabilities: z.strictObject({ add: capabilities, drop: capabilities }),
  })
  .partial();

const entry = { key: secretKey, optional: z.boolean().optional() };
const given = z.string().min(1);
export const env = z.array(
  z.strictObject({
    name: matching('[-._A-Za-z][-._A-Za-z0-9]*'),
    value: z.string().optional(),
    valueFrom: z
      .strictObject({
        secretKeyRef: z.strictObject({ name, ...entry }).optional(),
        configMapKeyRef: z.strictObject({ name, ...entry }).optional(),
        fieldRef: z.strictObject({ fieldPath: given, apiVersion: given.optional() }).optional(),
        resourceFieldRef: z
          .strictObject({
            resource: given,
            containerName: given.optional(),
            divisor: quantity.optional(),
          })
          .optional(),
        fileKeyRef: z
          .strictObject({ volumeName: matching(label), path: given, ...entry })
          .optional(),
      })
      .meta({ minProperties: 1, maxProperties: 1 })
      .optional(),
  }),
);
const mode = z.int().min(0).max(0o777).optional();
const files = {
  items: z.array(z.strictObject({ key: secretKey, path: given, mode })).optional(),
  defaultMode: mode,
  optional: z.boolean().optional(),
};
const readOnly = z.boolean().optional();
export const volumes = z.array(
  z
    .strictObject({
      name: matching(label),
      configMap: z.strictObject({ name, ...files }).optional(),
      secret: z.strictObject({ secretName: name, ...files }).optional(),
      emptyDir: z
        .strictObject({ medium: z.string().optional(), sizeLimit: quantity.optional() })
        .optional(),
      persistentVolumeClaim: z.strictObject({ claimName: name, readOnly }).optional(),
      hostPath: z.strictObject({ path: given, type: z.string().optional() }).optional(),
      nfs: z.strictObject({ server: given, path: matching('/.*', 4_096), readOnly }).optional(),
      image: z
        .strictObject({
          reference: given,
          pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional(),
        })
        .optional(),
      ...Object.fromEntries(
        ['projected', 'csi', 'downwardAPI', 'ephemeral'].map((source) => [
          source,
          anything.optional(),
        ]),
      ),
    })
    // The name and a single source.
    .meta({ maxProperties: 2 }),
);
export const volumeMounts = z.array(
  z.strictObject({
    name: matching(label),
    mountPath: matching('/[^:\\p{Cc}]*', 4_096),
    readOnly: z.boolean().optional(),
    recursiveReadOnly: z.enum(['Disabled', 'IfPossible', 'Enabled']).optional(),
    subPath: z.string().optional(),
    subPathExpr: z.string().optional(),
    mountPropagation: z.enum(['None', 'HostToContainer', 'Bidirectional']).optional(),
  }),
);

const blocks = new RegExp(checkedPatterns.cidr, 'u');
const cidr = z.string().refine((text) => blocks.test(text));
export const peers = z.array(
  z
    .strictObject({
      podSelector: selector.optional(),
      namespaceSelector: selector.optional(),
      ipBlock: z.strictObject({ cidr, except: z.array(cidr).optional() }).optional(),
    })
    .meta({ minProperties: 1 }),
);
export const egress = z.array(
  z.strictObject({
    to: peers.optional(),
    ports: z
      .array(
        z.strictObject({
          port: z.union([portNumber, matching('[a-z0-9](?:[-a-z0-9]{0,13}[a-z0-9])?')]).optional(),
          endPort: portNumber.optional(),
          protocol: z.enum(['TCP', 'UDP', 'SCTP']).optional(),
        }),
      )
      .optional(),
  }),
);
