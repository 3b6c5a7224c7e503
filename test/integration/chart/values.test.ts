import { beforeAll, describe, expect, inject, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { leaves, needed } from '../../../scripts/chart/render-values.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { definitions } from '../../../src/resources/definitions.ts';
import { difference, linesOf } from './difference.ts';
import { operatorArgs } from './operator-args.ts';
import { kept, rows, type Row } from './rows.ts';
import { at, inGroups, merged, templates } from './templates.ts';

const { render, refusal, notes } = templates(inject('controlPlane'));

const rule = z.object({
  apiGroups: z.array(z.string()),
  resources: z.array(z.string()),
  resourceNames: z.array(z.string()).default([]),
});
const roles = z.object({
  kind: z.enum(['Role', 'ClusterRole']),
  metadata: z.object({ namespace: z.string().optional() }),
  rules: z.array(rule),
});

/** `where: resources`, for each rule. Of Namespaces, with the names of tenants. */
function rights(manifests: string): readonly string[] {
  const found = parseAllDocuments(manifests).flatMap(
    (document) => roles.safeParse(document.toJS()).data ?? [],
  );
  return found.flatMap(({ metadata, rules }) =>
    rules.map(({ resources, resourceNames }) => {
      const own = resourceNames.filter(
        (name) => resources[0] === 'namespaces' && name !== 'kube-system',
      );
      return `${metadata.namespace ?? 'cluster'}: ${[...resources, ...own].join(' ')}`;
    }),
  );
}

const simulated = { config: { cloudUrl: '' }, simulator: { enabled: true } };

const limitedTo = (...namespaces: readonly string[]) => ({ config: { namespaces } });

const withKeys = (...operatorCredentialsNamespaces: readonly string[]) => ({
  config: { operatorCredentialsNamespaces },
});
const warnings = async (values: object) => (await notes(values)).match(/WARNING: [\w.]+/gu) ?? [];

/** Values that change much: each has a sentence instead of a row. */
const sentences: Readonly<Record<string, (without: string) => Promise<void>>> = {
  'config.namespaces': async () => {
    const lease = ['managed-db-system: leases', 'managed-db-system: leases'];
    const inCluster = ['cluster: namespaces', 'cluster: customresourcedefinitions'];
    const ownNamespaces = 'cluster: namespaces shop blog';
    const always = [...inCluster, ...lease];
    const plurals = definitions.map(({ plural }) => plural);
    const objects = [plurals.join(' '), plurals.map((plural) => `${plural}/status`).join(' ')];
    const each = (where: string) =>
      [...objects, 'secrets', 'events'].map((resources) => `${where}: ${resources}`);
    expect(rights(await render()).toSorted()).toEqual([...each('cluster'), ...always].toSorted());
    const limited = await render(limitedTo('shop', 'blog'));
    expect(rights(limited).toSorted()).toEqual(
      [
        ...each('shop'),
        ...each('blog'),
        'managed-db-ledger: secrets',
        ...always,
        ownNamespaces,
      ].toSorted(),
    );
    expect(operatorArgs(limited)).toContain('--namespaces=shop,blog');
    const guards = [...linesOf(limited)].filter((line) =>
      /^ValidatingAdmissionPolicy\/\S+$/u.test(line),
    );
    expect(guards.toSorted()).toEqual(
      plurals
        .map(
          (plural) => `ValidatingAdmissionPolicy/${plural}.managed-db-operator.managed-db-system`,
        )
        .toSorted(),
    );
    // Objects may wait for an operator after the release has gone.
    const lines = linesOf(limited);
    expect(
      guards.filter(
        (guard) => !kept.every((words) => lines.has(`${guard} metadata.annotations.${words}`)),
      ),
    ).toEqual([]);
  },
  'simulator.enabled': async (without) => {
    const changed = difference(
      linesOf(without),
      linesOf(await render(at('config.cloudUrl', ''), at('simulator.enabled', true))),
    );
    const operator = 'Deployment spec.template.spec.containers[operator]';
    expect(changed).toContain(`+ ${operator}.args --cloud-url=http://127.0.0.1:8081`);
    expect(changed).toContain(`+ ${operator}.args --operator-credentials-namespaces=*`);
    expect(changed).toContain(`+ ${operator}.env[MANAGED_DB_API_KEY].value simulator-key`);
    expect(changed).toContain('- Deployment spec.template.spec.volumes[api-key].name api-key');
    expect(changed).toContain(
      '+ Deployment spec.template.spec.initContainers[simulator].restartPolicy Always',
    );
    // Each Pod would have its own cloud.
    expect(changed).toContain('+ Deployment spec.replicas 1');
    expect(linesOf(await render(simulated, at('replicas', 0)))).toContain(
      'Deployment spec.replicas 0',
    );
    expect(changed).toContain('+ Deployment spec.strategy.type Recreate');
  },
  nameOverride: async () => {
    const lines = linesOf(await render(at('nameOverride', 'db')));
    expect(lines).toContain('Deployment spec.selector.matchLabels.app.kubernetes.io/name db');
    expect(lines).toContain('Deployment');
  },
  fullnameOverride: async () => {
    const names = [...linesOf(await render(at('fullnameOverride', 'db')))].filter(
      (line) => !line.includes(' '),
    );
    expect(names.filter((name) => !/[/:]db$/u.test(name))).toEqual([]);
    expect(names).toContain('Deployment/db');
  },
  commonLabels: async () => {
    const all = {
      crds: { install: true },
      ledger: { createNamespace: true },
      policies: { install: true },
      tenantRoles: { create: true },
    };
    const lines = linesOf(await render(all, at('commonLabels', { team: 'data' })));
    const objects = [...lines].filter((line) => !line.includes(' '));
    expect(objects.filter((name) => !lines.has(`${name} metadata.labels.team data`))).toEqual([]);
    expect(lines).toContain('Deployment spec.template.metadata.labels.team data');
  },
};

const leases = z.object({
  kind: z.literal('Role'),
  rules: z.array(
    z.object({
      resources: z.tuple([z.literal('leases')]),
      resourceNames: z.array(z.string()).default([]),
    }),
  ),
});

test('all replicas of a release share one Lease, even if an upgrade renames other parts', async () => {
  const usual = ['--leader-elect=true', '--leader-elect-resource-name=managed-db-operator'];
  for (const values of [
    {},
    at('replicas', 1),
    at('nameOverride', 'db'),
    at('fullnameOverride', 'db'),
    simulated,
  ]) {
    const manifests = await render(values);
    expect(operatorArgs(manifests)).toEqual(expect.arrayContaining(usual));
    const [role] = parseAllDocuments(manifests).flatMap(
      (document) => leases.safeParse(document.toJS()).data ?? [],
    );
    expect(role?.rules.flatMap(({ resourceNames }) => resourceNames)).toEqual([
      'managed-db-operator',
    ]);
  }
});

test('a rollout ends no Pod before a new one is ready, and has one more at most', async () => {
  const strategy = [...linesOf(await render())].filter((line) =>
    line.startsWith('Deployment spec.strategy.'),
  );
  expect(strategy.toSorted()).toEqual([
    'Deployment spec.strategy.rollingUpdate.maxSurge 1',
    'Deployment spec.strategy.rollingUpdate.maxUnavailable 0',
    'Deployment spec.strategy.type RollingUpdate',
  ]);
});

test.each(kept)(
  'an uninstall, or a tool that prunes, keeps the parts that other releases or existing objects need: %s',
  async (words) => {
    const shared = {
      crds: { install: true },
      ledger: { createNamespace: true },
      policies: { install: true },
      tenantRoles: { create: true },
    };
    const lines = linesOf(await render(shared, at('crds.keep', false)));
    const marked = [...lines]
      .filter((line) => line.endsWith(` metadata.annotations.${words}`))
      .map((line) => line.replace(/ .*$/u, ''));
    const own = linesOf(await render());
    const staying = [...lines].filter(
      (line) => /^(?:Namespace|Validating|ClusterRole\/)\S+$/u.test(line) && !own.has(line),
    );
    expect(marked.toSorted()).toEqual(staying.toSorted());
    expect(marked).not.toEqual([]);
  },
);

/** Two values that change the same place need runs of their own. Flags are apart, although they are in one list. */
const placesOf = ({ path, changes }: Row) => [
  path,
  ...changes.map((line) =>
    line
      .split(' ')
      .slice(1, line.includes('.args ') ? 4 : 3)
      .join(' '),
  ),
];

describe('a value of the chart', () => {
  let plain: string;
  beforeAll(async () => {
    plain = await render();
  });

  /** The chart refuses them beside another value of these rows. */
  const exclusive = ['image.tag', 'credentials.existingSecret', 'metrics.podMonitor.enabled'];
  const alone = rows.filter(
    ({ path, given, changes }) =>
      given || exclusive.includes(path) || changes.some((line) => line.startsWith('-')),
  );
  const together = rows.filter((row) => !alone.includes(row));
  test.concurrent.each([...inGroups(together, placesOf), ...alone.map((row) => [row])])(
    '$path changes only its part of the rendered manifests',
    async (...group) => {
      const given = group.flatMap((row) => row.given ?? []);
      const [without, withIt] = await Promise.all([
        given.length > 0 ? render(...given) : plain,
        render(...given, ...group.map(({ path, value }) => at(path, value))),
      ]);
      const changes = new Set(group.flatMap((row) => row.changes));
      expect(difference(linesOf(without), linesOf(withIt)).toSorted()).toEqual(
        [...changes].toSorted(),
      );
      expect(loadConfig(operatorArgs(withIt), {})).toMatchObject({ state: 'loaded' });
    },
  );

  test.concurrent.each(Object.entries(sentences))(
    '%s has its effect in the running operator',
    async (_, sentence) => {
      await expect(sentence(plain)).resolves.toBeUndefined();
    },
  );

  test('every value has a test', () => {
    const tested = new Set([...rows.map(({ path }) => path), ...Object.keys(sentences)]);
    expect([...tested].toSorted()).toEqual(leaves.map(({ path }) => path).toSorted());
  });

  test('of an umbrella chart, or the default of an earlier chart, is ignored', async () => {
    const ignored = {
      global: { imageRegistry: 'registry.example.com' },
      enabled: true,
      allNamespaces: false,
    };
    expect(await render(ignored)).toBe(plain);
  });

  test('that is null takes a default away where nothing depends on it', async () => {
    const taken = await render(at('nodeSelector', { 'kubernetes.io/os': null }));
    expect(difference(linesOf(plain), linesOf(taken))).toEqual([
      '- Deployment spec.template.spec.nodeSelector.kubernetes.io/os linux',
    ]);
  });

  const allOn = {
    networkPolicy: { enabled: true },
    metrics: {
      serviceMonitor: { enabled: true },
      prometheusRule: { enabled: true },
      dashboard: { enabled: true },
    },
    config: { namespaces: ['shop'], operatorCredentialsNamespaces: ['*'] },
  };
  const inDefaults = leaves.flatMap(({ path, default: given }) =>
    typeof given === 'object' && given !== null && !Array.isArray(given)
      ? Object.keys(given).map((name) => at(path, { [name]: null }))
      : [],
  );
  const optional = leaves.filter(
    ({ path }) => !needed.includes(path) && path !== 'config.cloudUrl',
  );

  test.concurrent.each([
    ['and so may each of them', optional.map(({ path }) => at(path, null))],
    ['and so may each part of a default', inDefaults],
  ])('all that nothing depends on may be null, %s', async (_, nulls) => {
    for (const parts of [allOn, merged(allOn, simulated)])
      expect(await notes(parts, ...nulls)).toMatch(/^NOTES:/u);
  });

  test.concurrent.each([
    ['https://[fd00::1]/api', []],
    ['https://[fd00::1]:8443/api', ['8443']],
    ['https://api.example.com:8443/v1:7', ['8443']],
  ])('config.cloudUrl %s opens its port alone to the cloud', async (cloudUrl, ports) => {
    const lines = linesOf(
      await render(at('networkPolicy.enabled', true), at('config.cloudUrl', cloudUrl)),
    );
    const always = ['53', '443', '6443'].map(
      (port) => `NetworkPolicy spec.egress.ports.port ${port}`,
    );
    const opened = [...lines].filter((line) =>
      line.startsWith('NetworkPolicy spec.egress.ports.port '),
    );
    expect(new Set(opened)).toEqual(
      new Set([...always, ...ports.map((port) => `NetworkPolicy spec.egress.ports.port ${port}`)]),
    );
  });

  test.concurrent.each([
    [
      'that is misspelt',
      at('config.cloudUrll', 'x'),
      "additional properties 'cloudUrll' not allowed",
    ],
    [
      'with the name of another chart',
      at('replicaCount', 3),
      'replicaCount: this chart has no such value: use replicas',
    ],
    [
      'with the name of another chart below a part',
      at('image.registry', 'x'),
      'image.registry: this chart has no such value',
    ],
    [
      'that takes each sample twice',
      merged(at('metrics.serviceMonitor.enabled', true), at('metrics.podMonitor.enabled', true)),
      'metrics.podMonitor.enabled: with metrics.serviceMonitor.enabled each sample would be taken twice',
    ],
    [
      'of another type',
      at('config.workers', 'many'),
      "at '/config/workers': got string, want integer",
    ],
    [
      'that the operator would refuse',
      at('config.namespaces', ['Shop']),
      "at '/config/namespaces/0'",
    ],
  ])('%s is refused with a reason', async (_, values, reason) => {
    expect(await refusal(values)).toContain(reason);
  });

  test.concurrent.each([
    [
      'with a key for all',
      at('config.operatorCredentialsNamespaces', ['*']),
      'kubectl rollout status',
    ],
    [
      'with a key in the values',
      merged(withKeys('default'), at('credentials.apiKey', 'abc')),
      'WARNING: credentials.apiKey is now in the values of this release',
    ],
    ['without a cloud', simulated, 'a new Pod is a new, empty cloud'],
  ])('%s ends in the next step', async (_, values, words) => {
    const said = await notes(values);
    expect(said).toContain(words);
    expect(said).toContain('kubectl wait -n default managedservice/orders --for=condition=Ready');
    expect(said).not.toContain('abc');
    expect(said).not.toContain('credentialsRef');
  });

  test.concurrent.each([
    ['nobody', {}, '<namespace>', true],
    ['two others', withKeys('shop', 'blog'), 'shop', false],
    ['default, too', withKeys('shop', 'default'), 'default', false],
    [
      'one of those that are looked after',
      merged(limitedTo('shop', 'blog'), withKeys('blog')),
      'blog',
      false,
    ],
    [
      'none of those that are looked after',
      merged(limitedTo('shop'), withKeys('blog')),
      'shop',
      true,
    ],
    [
      'all, of which some are looked after',
      merged(limitedTo('shop'), withKeys('*')),
      'shop',
      false,
    ],
  ])(
    '%s may use the key: the next step is where it works',
    async (_, values, namespace, needsKey) => {
      const said = await notes(values);
      expect(said).toContain(`kubectl wait -n ${namespace} managedservice/orders`);
      expect(said).toContain(`namespace: ${namespace}\n`);
      expect([said.includes('credentialsRef:'), said.includes('may use the operator')]).toEqual([
        needsKey,
        needsKey,
      ]);
    },
  );

  test('a value with dangerous consequences is rendered with a warning', async () => {
    const dangerous = { policies: { install: false }, config: { sharedProjectAdoption: true } };
    expect(await warnings(dangerous)).toEqual(
      ['policies.install', 'config.sharedProjectAdoption'].map((name) => `WARNING: ${name}`),
    );
    expect(await warnings({ policies: { install: true } })).toEqual([]);
  });
});
