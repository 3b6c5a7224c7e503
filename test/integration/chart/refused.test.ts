import { describe, expect, inject, test } from 'vitest';
import * as z from 'zod';
import { leaves, needed } from '../../../scripts/chart/render-values.ts';
import { chartValues } from '../../../scripts/chart/values.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { settingsTable } from '../../../src/config/settings-table.ts';
import { kubectl } from '../../control-plane/kubectl.ts';
import { everywhere } from './everywhere.ts';
import { operatorArgs } from './operator-args.ts';
import { at, inGroups, merged, templates } from './templates.ts';

/** Before it creates any object, Helm refuses values that the API server or the starting operator refuses. */

const controlPlane = inject('controlPlane');
const { render, refusal } = templates(controlPlane);

/** A pattern too long to read. */
const tooLong = /pattern '.{81,}'/u;
const many = 99_999_999_999;
const longest = 'x'.repeat(254);
const volume = (name: string) => ({ extraVolumes: [{ name, emptyDir: {} }] });
const mount = (name: string, mountPath: string) => ({ extraVolumeMounts: [{ name, mountPath }] });
const simulated = { config: { cloudUrl: '' }, simulator: { enabled: true } };
const election = (
  leaderElectLeaseDuration: string,
  leaderElectRenewDeadline: string,
  leaderElectRetryPeriod: string,
) => ({
  config: { leaderElectLeaseDuration, leaderElectRenewDeadline, leaderElectRetryPeriod },
});

/** Each alone is wrong: Helm names the place. */
const wrong = (
  [
    ['replicas', many],
    ['replicas', -1],
    ['image.repository', 'Managed DB'],
    ['image.tag', 'a b'],
    ['imagePullSecrets', [{ name: 'My_Secret' }], 'imagePullSecrets/0/name'],
    ['config.cloudCaFile', 'ca.crt'],
    ['config.namespaces', ['shop', 'shop'], 'config/namespaces'],
    ['config.namespaces', ['*'], 'config/namespaces/0'],
    ['config.sizes', [{ cpuMillis: 500 }], 'config/sizes/0'],
    ['config.regions', ["eu'1"], 'config/regions/0'],
    ['config.operatorCredentialsNamespaces', ['a,b'], 'config/operatorCredentialsNamespaces/0'],
    ['config.acceptObjectsOfCluster', ['a,b'], 'config/acceptObjectsOfCluster/0'],
    ['config.ledgerNamespace', 'Ledger'],
    ['config.ledgerNamespace', ''],
    ['config.databaseUser', ''],
    ['config.databaseName', 'a\nb'],
    ['config.workers', many],
    ['config.rateLimit', 0],
    ['config.controllerRing', 'Databases'],
    ['config.controllerRing', 'x'.repeat(64)],
    ['config.leaderElectLeaseDuration', '15'],
    ['config.leaderElectLeaseDuration', '1500ms'],
    ['config.leaderElectRenewDeadline', '99999999999s'],
    ['credentials.existingSecret', 'My_Secret'],
    ['credentials.key', '..'],
    ['simulator.port', 65_536],
    ['simulator.latencyMs', many],
    ['serviceAccount.name', 'Operator'],
    ['serviceAccount.annotations', { 'a b': 'x' }, 'serviceAccount/annotations'],
    [
      'networkPolicy.extraEgress',
      [{ ports: [{ port: 3128, protocol: 'tcp' }] }],
      'networkPolicy/extraEgress/0/ports/0/protocol',
    ],
    ['metrics.service.annotations', { 'a b': 'x' }, 'metrics/service/annotations'],
    ['metrics.podMonitor.interval', '30 s'],
    ['metrics.podMonitor.labels', { release: 'a b' }, 'metrics/podMonitor/labels/release'],
    ['metrics.dashboard.annotations', { 'a b': 'x' }, 'metrics/dashboard/annotations'],
    ['metrics.serviceMonitor.interval', '30 s'],
    ['metrics.serviceMonitor.labels', { release: 'a b' }, 'metrics/serviceMonitor/labels/release'],
    ['metrics.prometheusRule.runbookUrl', 'https://a: b'],
    ['resources', { limits: { memory: '1 GB' } }, 'resources/limits/memory'],
    ['resources', { limits: { ram: '1Gi' } }, 'resources/limits'],
    ['simulator.resources', { limit: { memory: '1Gi' } }, 'simulator/resources'],
    ['podSecurityContext', { runAsUser: 'postgres' }, 'podSecurityContext/runAsUser'],
    ['securityContext', { privilege: true }, 'securityContext'],
    ['deploymentAnnotations', { '-': 'x' }, 'deploymentAnnotations'],
    ['podLabels', { team: 'data & ml' }, 'podLabels/team'],
    ['commonLabels', { team: longest }, 'commonLabels/team'],
    ['nodeSelector', { 'disk/': 'ssd' }, 'nodeSelector'],
    ['tolerations', [{ operator: 'Is' }], 'tolerations/0/operator'],
    ['affinity', { nodes: {} }, 'affinity'],
    ['topologySpreadConstraints', [{ topologyKey: 'zone' }], 'topologySpreadConstraints/0'],
    ['dnsConfig', { nameservers: ['10.0.0.1 10.0.0.2'] }, 'dnsConfig/nameservers/0'],
    ['dnsConfig', { nameservers: ['10.0.0.256'] }, 'dnsConfig/nameservers/0'],
    ['dnsConfig', { nameservers: ['fd00:::1'] }, 'dnsConfig/nameservers/0'],
    ['dnsConfig', { searches: ['shop_example'] }, 'dnsConfig/searches/0'],
    ['dnsConfig', { options: ['ndots'] }, 'dnsConfig/options/0'],
    ['priorityClassName', 'High!'],
    ['extraEnv', [{ name: '2a', value: 'x' }], 'extraEnv/0/name'],
    ['extraEnv', [{ name: 'A', value: 2 }], 'extraEnv/0/value'],
    ['extraVolumes', [{ name: 'My', emptyDir: {} }], 'extraVolumes/0/name'],
    [
      'dnsConfig',
      { nameservers: ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'] },
      'dnsConfig/nameservers',
    ],
    ['extraEnv', [{ name: 'A', valueFrom: {} }], 'extraEnv/0/valueFrom'],
    [
      'extraEnv',
      [{ name: 'A', valueFrom: { secretKeyRef: { nam: 'a', key: 'b' } } }],
      'extraEnv/0/valueFrom/secretKeyRef',
    ],
    [
      'extraEnv',
      [
        {
          name: 'A',
          valueFrom: {
            fieldRef: { fieldPath: 'metadata.name' },
            secretKeyRef: { name: 'a', key: 'b' },
          },
        },
      ],
      'extraEnv/0/valueFrom',
    ],
    ['extraVolumes', [{ name: 'a', secret: { name: 'b' } }], 'extraVolumes/0/secret'],
    ['extraVolumes', [{ name: 'a', secret: {} }], 'extraVolumes/0/secret'],
    ['extraVolumes', [{ name: 'a', emptyDir: {}, configMap: { name: 'b' } }], 'extraVolumes/0'],
    [
      'extraVolumes',
      [{ name: 'a', secret: { secretName: 'b', defaultMode: '0444' } }],
      'extraVolumes/0/secret/defaultMode',
    ],
    ['networkPolicy.metricsFrom', [{}], 'networkPolicy/metricsFrom/0'],
    ['securityContext', { procMount: 'Unmasked' }, 'securityContext/procMount'],
    ['extraVolumeMounts', [{ name: 'ca', mountPath: 'a:b' }], 'extraVolumeMounts/0/mountPath'],
    ['nameOverride', 'My DB'],
    ['fullnameOverride', '1-db'],
    ['revisionHistoryLimit', many],
    ['livenessTimeoutSeconds', 0],
  ] satisfies readonly (readonly [path: string, value: unknown, place?: string])[]
).map(([path, value, place = path.replaceAll('.', '/')]) => ({ path, value, place }));

const block = (cidr: string, except: readonly string[] = []) => [{ ipBlock: { cidr, except } }];
const addresses = (where: string, text: string) =>
  `networkPolicy.${where}.ipBlock: "${text}" must be a range of addresses, such as`;
const notEvery = (text: string) =>
  [
    'config.healthAddress',
    text,
    `config.healthAddress: "${text}" must be every address of the Pod, :8080, 0.0.0.0:8080 or [::]:8080`,
  ] as const;

/** Each alone is wrong, too, but a pattern would be too long to read, or Helm would quote a secret: a sentence instead. */
const told: readonly (readonly [path: string, value: unknown, sentence: string])[] = [
  ...['127.0.0.1:8080', 'localhost:8080', '0.0.0.0:0', '0.0.0.0:65536', ':0', '8080', ''].map(
    notEvery,
  ),
  [
    'credentials.apiKey',
    's3cret ',
    'credentials.apiKey: must be letters, digits and signs without spaces, as the cloud gave it',
  ],
  ['credentials.apiKey', 's3cret\n', 'there may be a line break at its end'],
  ['credentials.apiKey', 's3crët', 'credentials.apiKey: must be letters, digits and signs'],
  ['networkPolicy.metricsFrom', block('10.0.0.0/33'), addresses('metricsFrom[0]', '10.0.0.0/33')],
  ['networkPolicy.metricsFrom', block('fd00:::/8'), addresses('metricsFrom[0]', 'fd00:::/8')],
  [
    'networkPolicy.metricsFrom',
    block('10.0.0.0/8', ['10.1.0.0/16', '10.2.0.0']),
    addresses('metricsFrom[0]', '10.2.0.0'),
  ],
  [
    'networkPolicy.extraEgress',
    [{}, { to: block('10.0.0.300/8') }],
    addresses('extraEgress[1].to[0]', '10.0.0.300/8'),
  ],
  [
    'networkPolicy.extraEgress',
    [{ to: [{ podSelector: {} }, ...block('fd00::/129')] }],
    addresses('extraEgress[0].to[1]', 'fd00::/129'),
  ],
];

/** The operator refuses them, too. Where there may be a password, it is s3cret. */
const notTheCloud = [
  'http://api.example.com',
  'http://localhost.example.com',
  'https://',
  'api.example.com',
  'https://api.example.com:99999',
  'https://api.example.com/?key=1',
  'https://api.example.com/#s3cret',
  'https://admin:s3cret@api.example.com',
  'HTTPS://s3cret@api.example.com',
  'https://admin:33/s3cret@api.example.com',
  'https://admin:s3@cret@api.example.com',
  'https:admin:s3cret@api.example.com',
  'admin:s3cret@api.example.com?key=s3cret',
];

/** Each value alone is right: a sentence names the contradicting values and the next action. */
const together: readonly (readonly [what: string, values: object, sentence: string])[] = [
  [
    'no cloud',
    at('config.cloudUrl', ''),
    "config.cloudUrl: say where the cloud's API is, or set simulator.enabled=true",
  ],
  [
    'a simulator and a cloud',
    at('simulator.enabled', true),
    'leave out config.cloudUrl, or simulator.enabled',
  ],
  [
    'a simulator and a key',
    merged(simulated, at('credentials.apiKey', 'a')),
    'leave out credentials.apiKey and credentials.existingSecret',
  ],
  [
    'a simulator and a Secret',
    merged(simulated, at('credentials.existingSecret', 'a')),
    'leave out credentials.apiKey',
  ],
  [
    'a simulator on the port of the probes',
    merged(simulated, at('simulator.port', 8080)),
    'simulator.port: 8080 is the port of config.healthAddress',
  ],
  [
    'a tag that would be ignored',
    { image: { tag: '1.2.3', digest: `sha256:${'a'.repeat(64)}` } },
    'image.digest counts and image.tag is ignored: leave out image.tag, or set image.digest=""',
  ],
  [
    'a value of an earlier chart',
    at('allNamespaces', true),
    'allNamespaces: leave it out: the chart looks for other installations itself',
  ],
  [
    'two keys',
    { credentials: { apiKey: 'a', existingSecret: 'b' } },
    'leave out credentials.existingSecret, or credentials.apiKey',
  ],
  [
    'nobody to run as',
    at('serviceAccount.create', false),
    'serviceAccount.name: name the ServiceAccount that exists',
  ],
  [
    'a deadline as long as the lease',
    election('15s', '15s', '2s'),
    'config.leaderElectRenewDeadline: 15s must be shorter than',
  ],
  [
    'a retry as long as the deadline',
    election('15s', '10s', '9s'),
    'config.leaderElectRetryPeriod: 9s must fit more than 1.2 times',
  ],
  [
    'no pause between retries',
    election('15s', '10s', '0s'),
    'config.leaderElectRetryPeriod: 0s must be more than 0',
  ],
  [
    'a ledger where tenants read Secrets',
    { config: { ledgerNamespace: 'shop', namespaces: ['shop'] } },
    'config.ledgerNamespace: shop is in config.namespaces, where tenants read Secrets: choose another namespace',
  ],
  [
    'a ledger in the namespace of the release',
    at('config.ledgerNamespace', 'managed-db-system'),
    'config.ledgerNamespace: managed-db-system is the namespace of the release, too: choose another namespace',
  ],
  [
    'a simulator for shards',
    merged(simulated, at('config.controllerRing', 'databases')),
    'config.controllerRing: is not for a simulator',
  ],
  [
    'another name of a shard',
    at('extraArgs', ['--shard-name=x']),
    'extraArgs: --shard-name is not for here',
  ],
  ['no flag', at('extraArgs', ['s3cret']), 'extraArgs[0]: must be --kubeconfig=… or --context=…'],
  [
    'a flag without its value',
    at('extraArgs', ['--context=x', '--kubeconfig']),
    'extraArgs[1]: must be --kubeconfig=… or --context=…',
  ],
  ['a value behind its flag', at('extraArgs', ['--api-key s3cret']), 'extraArgs[0]: must be'],
  [
    'a key as a flag',
    at('extraArgs', ['--api-key=s3cret']),
    'extraArgs: --api-key is no setting of the operator: leave it out',
  ],
  [
    'a flag that is misspelt',
    at('extraArgs', ['--wrokers=2']),
    'extraArgs: --wrokers is no setting of the operator',
  ],
  [
    'a flag that is no setting',
    at('extraArgs', ['--help=1']),
    'extraArgs: --help is no setting of the operator',
  ],
  [
    'a flag twice',
    at('extraArgs', ['--workers=2']),
    'extraArgs: --workers is set by config.workers: set it there',
  ],
  [
    'another election',
    at('extraArgs', ['--leader-elect=false']),
    'extraArgs: --leader-elect is not for here: the chart always elects',
  ],
  [
    'another Lease',
    at('extraArgs', ['--leader-elect-resource-name=x']),
    'extraArgs: --leader-elect-resource-name is not for here',
  ],
  [
    'other namespaces',
    at('extraArgs', ['--namespaces=shop']),
    'extraArgs: --namespaces is set by config.namespaces',
  ],
  [
    'another key',
    at('extraArgs', ['--api-key-file=/key']),
    'extraArgs: --api-key-file is set by the chart: put the key into a Secret',
  ],
  [
    'a key in plain sight',
    at('extraEnv', [{ name: 'MANAGED_DB_API_KEY', value: 's3cret' }]),
    'put the key into a Secret, and name that in credentials',
  ],
  [
    'a password in plain sight',
    at('extraEnv', [{ name: 'HTTPS_PROXY', value: 'http://me:s3cret@proxy' }]),
    'put it into a Secret, and name that in valueFrom',
  ],
  [
    'a password in plain sight, in a proxy without a scheme',
    at('extraEnv', [{ name: 'https_proxy', value: 'me:s3cret@proxy:3128' }]),
    'put it into a Secret, and name that in valueFrom',
  ],
  [
    'a setting twice',
    at('extraEnv', [{ name: 'MANAGED_DB_WORKERS', value: '2' }]),
    'extraEnv: MANAGED_DB_WORKERS is not for here: set config.workers',
  ],
  [
    'another election, as a variable',
    at('extraEnv', [{ name: 'MANAGED_DB_LEADER_ELECT', value: 'no' }]),
    'MANAGED_DB_LEADER_ELECT is not for here',
  ],
  [
    'a CA file in a variable, and in its value',
    merged(
      at('config.cloudCaFile', '/ca/ca.crt'),
      at('extraEnv', [{ name: 'NODE_EXTRA_CA_CERTS', value: '/ca' }]),
    ),
    'extraEnv: NODE_EXTRA_CA_CERTS is set by config.cloudCaFile: leave out one of them',
  ],
  [
    'a variable twice',
    at('extraEnv', [
      { name: 'A', value: 'x' },
      { name: 'A', value: 'y' },
    ]),
    'extraEnv: A is there twice: leave out one of them',
  ],
  [
    'a variable of two sources',
    at('extraEnv', [
      { name: 'A', value: 'x' },
      { name: 'B', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ]),
    'extraEnv: B has a value and a valueFrom',
  ],
  [
    'the threshold of an alert that has none',
    at('metrics.prometheusRule', {
      enabled: true,
      alerts: { ManagedDbOperatorDown: { threshold: 5 } },
    }),
    'metrics.prometheusRule.alerts.ManagedDbOperatorDown.threshold: this alert has no threshold',
  ],
  [
    'a label of the chart',
    at('podLabels', { 'app.kubernetes.io/name': 'x' }),
    'podLabels: the label app.kubernetes.io/name is the chart',
  ],
  [
    'rights for tenants',
    at('commonLabels', { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' }),
    'commonLabels: the label rbac.authorization.k8s.io/aggregate-to-edit is the chart',
  ],
  [
    'a label of the ledger',
    at('commonLabels', { 'managed-db.io/ledger': 'false' }),
    'commonLabels: the label managed-db.io/ledger is the chart',
  ],
  [
    'another Pod security of the ledger',
    at('commonLabels', { 'pod-security.kubernetes.io/enforce': 'privileged' }),
    'commonLabels: the label pod-security.kubernetes.io/enforce is the chart',
  ],
  [
    'a label twice',
    { commonLabels: { team: 'a' }, podLabels: { team: 'b' } },
    'podLabels: the label team is in commonLabels, too',
  ],
  [
    'a claim of the chart',
    at('deploymentAnnotations', { 'managed-db.io/lease': 'x/y' }),
    'deploymentAnnotations: managed-db.io/lease is the chart',
  ],
  [
    'an annotation of the chart',
    at('podAnnotations', { 'kubectl.kubernetes.io/default-container': 'x' }),
    'podAnnotations: kubectl.kubernetes.io/default-container is',
  ],
  [
    'a volume of the chart',
    volume('api-key'),
    'extraVolumes: there is a volume api-key already: choose another name',
  ],
  [
    'a mount of nothing',
    mount('ca', '/ca'),
    'extraVolumeMounts: there is no volume ca: add it to extraVolumes',
  ],
  [
    'a mount over another',
    merged(volume('ca'), mount('ca', '/etc/managed-db/')),
    'extraVolumeMounts: /etc/managed-db/ would hide /etc/managed-db, which the operator needs',
  ],
  ...[
    '/',
    '/app',
    '/app/dist',
    '/etc',
    '/etc/managed-db/apiKey',
    '/var/run',
    '/var/run/secrets/kubernetes.io/serviceaccount/token',
  ].map(
    (path) =>
      [
        `a mount over what the operator needs, ${path}`,
        merged(volume('ca'), mount('ca', path)),
        `extraVolumeMounts: ${path} would hide`,
      ] as const,
  ),
  [
    'two volumes at one place',
    merged(volume('ca'), {
      extraVolumeMounts: ['/ca', '/ca/'].map((mountPath) => ({ name: 'ca', mountPath })),
    }),
    'extraVolumeMounts: something is mounted at /ca/ already',
  ],
  [
    'root that must not be root',
    at('podSecurityContext.runAsUser', 0),
    'podSecurityContext.runAsUser: 0 is root',
  ],
  [
    'root in the container',
    at('securityContext.runAsUser', 0),
    'securityContext.runAsUser: 0 is root',
  ],
  [
    'privileges without escalation',
    at('securityContext.privileged', true),
    'securityContext.privileged: true needs',
  ],
  [
    'a capability by its name in the kernel',
    at('securityContext.capabilities.add', ['CAP_SYS_ADMIN']),
    'securityContext.capabilities.add: CAP_SYS_ADMIN is called SYS_ADMIN',
  ],
  [
    'a spread twice',
    at(
      'topologySpreadConstraints',
      [1, 2].map((maxSkew) => ({
        topologyKey: 'zone',
        maxSkew,
        whenUnsatisfiable: 'DoNotSchedule',
      })),
    ),
    'topologySpreadConstraints: zone with DoNotSchedule is there twice',
  ],
  [
    'a device that is asked for without a limit',
    at('resources.requests', { 'example.com/gpu': 1 }),
    'resources.requests.example.com/gpu: 1 must be in resources.limits, too',
  ],
  [
    'ports that end before they begin',
    at('networkPolicy.extraEgress', [{ ports: [{ port: 90, endPort: 80 }] }]),
    'networkPolicy.extraEgress[0].ports[0].endPort: 80 needs a port',
  ],
  [
    'less than is asked for',
    at('resources.limits.memory', '64Mi'),
    'resources.requests.memory: 96Mi is more than resources.limits.memory (64Mi)',
  ],
  [
    'less than is asked for, of the simulator',
    merged(simulated, at('simulator.resources', { requests: { cpu: 1 }, limits: { cpu: '900m' } })),
    'simulator.resources.requests.cpu: 1 is more than',
  ],
  [
    'a scrape longer than its interval',
    { metrics: { serviceMonitor: { interval: '30s', scrapeTimeout: '1m' } } },
    'metrics.serviceMonitor.scrapeTimeout: 1m must not be longer',
  ],
  [
    'a toleration of nothing',
    at('tolerations', [{ value: 'x' }]),
    'tolerations: one without a key needs the operator Exists',
  ],
  [
    'a toleration of a value that is not looked at',
    at('tolerations', [{ key: 'a', operator: 'Exists', value: 'x' }]),
    'tolerations: one with the operator Exists has no value',
  ],
  [
    'a toleration that ends, of what does not evict',
    at('tolerations', [{ key: 'a', operator: 'Exists', tolerationSeconds: 5 }]),
    'tolerationSeconds needs the effect NoExecute',
  ],
];

/** These values change the whole chart, another template refuses them, or they hide another fault: a run of their own. */
const wide = [
  'config.cloudUrl',
  'simulator',
  'image',
  'credentials',
  'allNamespaces',
  'metrics',
  'podSecurityContext',
];
const isWide = ([, values]: (typeof together)[number]) =>
  topOf(values).some((path) => wide.includes(path));

/** The parts of the chart that values set; of `config`, its values. */
function topOf(values: object): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    name === 'config'
      ? Object.keys(z.object({}).loose().parse(value)).map((key) => `config.${key}`)
      : [name],
  );
}

describe('Helm refuses', () => {
  test.concurrent.each(inGroups(wrong, ({ path }) => [path]))(
    '$path: $value, and further values of other places',
    async (...group) => {
      const said = await refusal(...group.map(({ path, value }) => at(path, value)));
      for (const { place } of group) expect(said).toContain(`at '/${place}'`);
      expect(said.match(tooLong)).toBeNull();
    },
  );

  test.concurrent.each(inGroups(told, ([path]) => [path]))(
    '%j, in a sentence',
    async (...group) => {
      const said = await refusal(...group.map(([path, value]) => at(path, value)));
      for (const [, , sentence] of group) expect(said).toContain(sentence);
      expect(said).not.toMatch(/s3cr|does not match pattern/u);
    },
  );

  test.concurrent.each(notTheCloud)(
    '%s as the URL of the cloud, in the words of the operator',
    async (url) => {
      const flag = '--cloud-url (MANAGED_DB_CLOUD_URL): ';
      const loaded = loadConfig([`--cloud-url=${url}`], {});
      const [error = ''] = loaded.state === 'wrong' ? loaded.errors : [];
      expect(error).toContain(flag);
      const said = await refusal(at('config.cloudUrl', url));
      expect(said).toContain(error.replace(flag, 'config.cloudUrl: '));
      expect(said).not.toMatch(/s3|cret|does not match pattern/u);
    },
  );

  test.concurrent.each([
    ...inGroups(
      together.filter((row) => !isWide(row)),
      ([, values]) => topOf(values),
    ),
    ...together.filter(isWide).map((row) => [row]),
  ])('%j', async (...group) => {
    const said = await refusal(...group.map(([, values]) => values));
    for (const [, , sentence] of group) expect(said).toContain(sentence);
    expect(said).not.toContain('s3cret');
  });

  test('each flag in extraArgs, unless the chart has no other place for it', async () => {
    const flags = settingsTable.map(({ flag }) => flag);
    const said = await refusal(
      at(
        'extraArgs',
        flags.map((flag) => `--${flag}=s3cret`),
      ),
    );
    const refused = flags.filter((flag) => said.includes(`extraArgs: --${flag} is`));
    const free = ['kubeconfig', 'context'];
    expect(refused).toEqual(flags.filter((flag) => !free.includes(flag)));
  });

  test('the chart without a part', async () => {
    const parts = needed.filter((path) => !path.includes('.'));
    const said = await refusal(...parts.map((path) => at(path, null)));
    for (const path of parts) expect(said).toContain(`- ${path}: null takes the default away`);
    expect(said).toContain('these values cannot be used');
  });

  test('all at once what is null and needed, and nothing that may be null', async () => {
    const nulls = leaves.map(({ path }) => at(path, null)).reduce(merged, {});
    const said = (await refusal(nulls)).match(/^- [\w.]+: null/gmu) ?? [];
    const inside = needed.filter((path) => leaves.some((leaf) => leaf.path === path));
    expect(said).toEqual(inside.map((path) => `- ${path}: null`));
    const optional = leaves.filter(
      ({ path }) => !inside.includes(path) && path !== 'config.cloudUrl',
    );
    expect(await refusal(optional.map(({ path }) => at(path, null)).reduce(merged, {}))).toBe('');
  });

  test('all at once what contradicts', async () => {
    const said = await refusal(election('8s', '10s', '9s'), at('extraArgs', ['--workers=2']));
    expect(said.match(/^- (?:config|extraArgs)/gmu)).toHaveLength(3);
  });

  test('a release whose name makes no Service', async () => {
    expect(await refusal({}, at('fullnameOverride', 'a'.repeat(53)))).toContain(
      "at '/fullnameOverride'",
    );
    expect(await templates(controlPlane, '1.db').refusal()).toContain(
      'would make a Service 1.db-managed-db-operator',
    );
  });
});

const times = ['1ms', '500ms', '1s', '2s', '1000ms', '10s', '12s', '12.5s', '15s', '1m', '0s'];

test('the chart and the operator agree about the times of the election', async () => {
  const triples = times.flatMap((lease) =>
    times.map(
      (deadline, index) => [lease, deadline, times[(index * 7 + 3) % times.length] ?? ''] as const,
    ),
  );
  const possible = triples.filter(
    ([lease]) => chartValues.safeParse(at('config.leaderElectLeaseDuration', lease)).success,
  );
  // Every fourth: each lease, deadline and retry period is among them.
  const chosen = possible.filter((_, index) => index % 4 === 0);
  const verdicts = await Promise.all(
    chosen.map(async ([lease, deadline, retry]) => {
      const flags = [
        `lease-duration=${lease}`,
        `renew-deadline=${deadline}`,
        `retry-period=${retry}`,
      ].map((each) => `--leader-elect-${each}`);
      const loaded = loadConfig(['--cloud-url=https://api.example.com', ...flags], {});
      return {
        flags,
        operator: loaded.state === 'loaded',
        chart: (await refusal(election(lease, deadline, retry))) === '',
      };
    }),
  );
  expect(verdicts.filter(({ operator, chart }) => operator !== chart)).toEqual([]);
  expect(new Set(verdicts.map(({ chart }) => chart))).toEqual(new Set([true, false]));
});

const malformed = [
  '',
  ' ',
  'A B',
  'ä',
  '-',
  'a\nb',
  'a: b',
  '{{ .x }}',
  '"',
  "'",
  '$(X)',
  '../x',
  '#',
  longest,
];
test.each(malformed)('%j is refused, or does no harm, wherever a text may be', async (text) => {
  const rendered = await render(everywhere(text));
  expect(loadConfig(operatorArgs(rendered), {})).toMatchObject({ state: 'loaded' });
  const applied = await kubectl(
    controlPlane,
    ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '-f', '-'],
    {
      input: rendered,
    },
  );
  expect(applied).toMatchObject({ stderr: '', code: 0 });
});
