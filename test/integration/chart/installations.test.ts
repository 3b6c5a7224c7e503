import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startControlPlane, type ControlPlane } from '../../control-plane/control-plane.ts';
import { kubectl } from '../../control-plane/kubectl.ts';
import { chart, helm, type HelmResult } from '../../support/helm.ts';
import { service } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { everywhere } from './everywhere.ts';
import { merged } from './templates.ts';

/**
 * Installations beside and after each other. With any tool, no two installations with different Leases manage
 * the same objects.
 */

const cloudUrl = 'https://api.example.com';
const shared = {
  crds: { install: false },
  ledger: { createNamespace: false },
  policies: { install: false },
  tenantRoles: { create: false },
};
const over = (...namespaces: readonly string[]) => ({
  ...shared,
  config: { cloudUrl, namespaces },
});
const all = over();

let plane: ControlPlane;
const run = (args: readonly string[], input?: string) =>
  kubectl(plane.handle, args, input === undefined ? {} : { input });
const installed = ['first', 'second'];
/** Without quotes, YAML takes them for a number, a boolean or nothing. */
const notTexts = ['1e3', 'true', 'null'];
/** A release in the namespace of its name. */
const onChart = (
  command: readonly string[],
  release: string,
  values: object,
): Promise<HelmResult> =>
  helm(plane.handle, [...command, release, chart, '--namespace', release], values);
const works = async (...args: Parameters<typeof onChart>): Promise<void> => {
  const { code, stderr } = await onChart(...args);
  if (code !== 0) throw new Error(stderr);
};
/** Also removes the objects that other tools applied. */
const remove = async (release: string) => {
  await helm(plane.handle, ['uninstall', release, '--namespace', release, '--ignore-not-found']);
  await run([
    'delete',
    'clusterroles,clusterrolebindings,roles,rolebindings',
    '-A',
    '-l',
    `app.kubernetes.io/instance=${release}`,
  ]);
};
/** As a GitOps tool does it, which renders without a cluster. */
const appliedRights = async (release: string, values: object, ...options: readonly string[]) => {
  const { stdout } = await onChart(
    ['template', '--show-only=templates/rbac.yaml'],
    release,
    values,
  );
  return run(['apply', '--server-side', '--force-conflicts', ...options, '-f', '-'], stdout);
};
const madeBy = async (release: string): Promise<string> => {
  const kinds =
    'clusterroles,clusterrolebindings,roles,rolebindings,serviceaccounts,services,deployments,poddisruptionbudgets';
  return (
    await run(['get', kinds, '-A', '-o', 'name', '-l', `app.kubernetes.io/instance=${release}`])
  ).stdout;
};

const removeShop = () => run(['delete', 'namespace', 'shop', '--timeout=30s']);

const finalizers = (value: readonly string[]) => [
  '--type=merge',
  '-p',
  JSON.stringify({ metadata: { finalizers: value } }),
];

const overlaps: readonly (readonly [name: string, first: object, second: object, both: string])[] =
  [
    ['all namespaces, and all', all, all, 'all namespaces'],
    ['all namespaces, then some', all, over('blog'), 'blog'],
    ['some namespaces, then all', over('shop'), all, 'shop'],
    ['some that are the same', over('shop', 'blog'), over('blog'), 'blog'],
  ];

beforeAll(async () => {
  plane = await startControlPlane({});
  for (const name of [...installed, ...notTexts, 'shop', 'blog'])
    await run(['create', 'namespace', name]);
  // The shared objects stay after the first installation is removed.
  await works(['install'], 'first', { config: { cloudUrl } });
  await until(
    'the policies to be in force',
    async () => (await appliedRights('second', all)).code !== 0,
  );
  await Promise.all(installed.map(remove));
});
afterAll(() => plane.stop());

describe.each(overlaps)('two installations over %s', (_, first, second, both) => {
  const refusal = `the installation first in namespace first looks after ${both} already`;
  beforeAll(async () => {
    await works(['install'], 'first', first);
  });
  afterAll(() => Promise.all(installed.map(remove)));

  test('are refused by the chart, before it makes anything', async () => {
    const { code, stderr } = await onChart(['install'], 'second', second);
    expect(code).toBe(1);
    expect(stderr).toContain(refusal);
    expect(await madeBy('second')).toBe('');
  });

  test('are refused by the API server, whoever applies them, and the second has no right', async () => {
    const { code, stderr } = await appliedRights('second', second);
    expect(code).toBe(1);
    expect(stderr).toContain(refusal);
    expect(await madeBy('second')).not.toMatch(/second:second/u);
  });
});

describe('an installation that makes no bindings, since those of its ServiceAccount are there,', () => {
  const release = ['second', '--namespace', 'first'];
  const borrowed = {
    ...all,
    rbac: { create: false },
    serviceAccount: { create: false, name: 'first-managed-db-operator' },
  };
  const refusal = 'the installation first in namespace first looks after all namespaces already';
  const rendered = async () =>
    (await helm(plane.handle, ['template', chart, '--name-template', ...release], borrowed)).stdout;
  beforeAll(() => works(['install'], 'first', all));
  afterAll(() => remove('first'));

  test('is refused by the chart', async () => {
    const { stderr } = await helm(
      plane.handle,
      ['install', chart, '--name-template', ...release],
      borrowed,
    );
    expect(stderr).toContain(refusal);
    expect(await madeBy('second')).toBe('');
  });

  test('is refused by the API server', async () => {
    const { stderr } = await run(
      ['apply', '--server-side', '--dry-run=server', '-f', '-'],
      await rendered(),
    );
    expect(stderr).toContain(refusal);
  });
});

test.each([
  ['true', { apiKey: '' }],
  ['null', { apiKey: '' }],
  ['1e3', { existingSecret: '' }],
])(
  'the name %s stays a text in all values, as release and as namespace, with the credentials but for %j',
  async (text, credentials) => {
    // A Service is called by a letter first.
    const fullnameOverride = /^[a-z]/u.test(text) ? text : 'db';
    const ledgerNamespace = notTexts[(notTexts.indexOf(text) + 1) % notTexts.length];
    const metrics = { dashboard: { enabled: true } };
    const parts = {
      config: { ledgerNamespace },
      networkPolicy: { enabled: true },
      metrics,
      fullnameOverride,
      credentials,
    };
    await works(['install'], text, [everywhere(text), parts, shared].reduce(merged));
    expect(await madeBy(text)).toContain(`${text}:${fullnameOverride}`);
    await remove(text);
  },
);

const ledger = 'managed-db-ledger';
const made = {
  ...shared,
  ledger: { createNamespace: true },
  config: { cloudUrl, namespaces: ['shop'], ledgerNamespace: 'passwords' },
};

describe('the namespace of the ledger', () => {
  afterEach(() => Promise.all(installed.map(remove)));

  test('is made at an install, stays after an uninstall, and does not hinder the next install', async () => {
    for (let round = 0; round < 2; round++) {
      await works(['install'], 'first', made);
      await remove('first');
      const { stdout } = await run([
        'get',
        'namespace',
        'passwords',
        '-o',
        'jsonpath={.metadata.labels}',
      ]);
      expect(JSON.parse(stdout)).toMatchObject({
        'managed-db.io/ledger': 'true',
        'pod-security.kubernetes.io/enforce': 'restricted',
      });
    }
  });

  test('that is missing and shall not be made is named before anything is made', async () => {
    const missing = { ...shared, config: { cloudUrl, ledgerNamespace: 'nowhere' } };
    const { stderr } = await onChart(['install'], 'first', missing);
    expect(stderr).toContain(
      'config.ledgerNamespace: there is no namespace nowhere: set ledger.createNamespace=true',
    );
    expect(await madeBy('first')).toBe('');
  });

  test('has a Role of each installation with config.namespaces, and no other', async () => {
    await works(['install'], 'first', over('shop'));
    await works(['install'], 'second', over('blog'));
    const names = (await run(['get', 'roles,rolebindings', '-n', ledger, '-o', 'name'])).stdout
      .trim()
      .split('\n');
    const own = installed.map(
      (release) => `.rbac.authorization.k8s.io/${release}:${release}-managed-db-operator`,
    );
    expect(names.toSorted()).toEqual(
      ['role', 'rolebinding'].flatMap((kind) => own.map((name) => `${kind}${name}`)).toSorted(),
    );
    const asSecond = '--as=system:serviceaccount:second:second-managed-db-operator';
    expect((await run(['auth', 'can-i', 'create', 'secrets', '-n', ledger, asSecond])).stdout).toBe(
      'yes\n',
    );
    expect((await run(['auth', 'can-i', 'get', 'configmaps', '-n', ledger, asSecond])).stdout).toBe(
      'no\n',
    );
    expect(
      (await run(['auth', 'can-i', 'deletecollection', 'secrets', '-n', ledger, asSecond])).stdout,
    ).toBe('no\n');
  });
});

const metadata = (name: string, labels: object, annotations: object = {}) => ({
  name,
  labels: { 'app.kubernetes.io/part-of': 'managed-db', ...labels },
  annotations,
});
const binding = (name: string, role: string, annotations: object = {}) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: metadata(name, {}, annotations),
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [],
});
const own = 'first:first-managed-db-operator';
const forget = ['managed-db.io/lease-', 'managed-db.io/namespaces-'];
/** The namespaces of another installation, as named in a refusal; undefined without a refusal. */
const taken = ({ stderr }: { readonly stderr: string }) =>
  /looks after (.*?) already/u.exec(stderr)?.[1];

const changed = async (...deployment: readonly string[]) =>
  taken(await run(['annotate', 'deployment', '-n', 'first', ...deployment]));
const secondOverAll = async () => taken(await appliedRights('second', all, '--dry-run=server'));

describe('an installation whose binding says nothing of its Lease', () => {
  afterEach(async () => {
    await remove('first');
    await run(['delete', 'clusterrolebinding', own, '--ignore-not-found']);
    await run(['delete', 'deployment', 'other', '-n', 'first']);
  });

  test.each([
    ['made by hand', { rbac: { create: false } }],
    ['left by a rollback to an earlier chart', {}],
  ])('since it was %s, does not keep its own Deployment from being changed', async (_, values) => {
    await works(['install'], 'first', { ...all, ...values });
    await run(['apply', '-f', '-'], JSON.stringify(binding(own, own)));
    await run(['annotate', 'clusterrolebinding', own, ...forget]);
    await run(['create', 'deployment', 'other', '-n', 'first', '--image=other']);
    await run([
      'label',
      'deployment',
      'other',
      '-n',
      'first',
      'app.kubernetes.io/part-of=managed-db',
    ]);
    const claim = ['other', 'managed-db.io/lease=first/other', '--dry-run=server'];
    await until('the binding to count', async () => (await changed(...claim)) === 'all namespaces');
    expect(await changed('first-managed-db-operator', 'note=x')).toBeUndefined();
    await works(['upgrade'], 'first', { ...all, ...values });
  });
});

describe('an object that is labelled as part of an installation and names no Lease', () => {
  test.each([
    ['counts, as a binding that an earlier chart made', own, own, 'all namespaces'],
    ['does not count as a binding of another role', own, 'view', undefined],
    ['does not count as a binding of another name', 'tools', 'tools', undefined],
  ])('%s', async (_, name, role, expected) => {
    const claim = { 'managed-db.io/lease': 'first/x', 'managed-db.io/namespaces': 'shop' };
    await run(['apply', '-f', '-'], JSON.stringify(binding(name, role, claim)));
    await until('the binding to count', async () => (await secondOverAll()) === 'shop');
    await run(['annotate', 'clusterrolebinding', name, ...forget]);
    try {
      await until(
        'the binding to be seen without its Lease',
        async () => (await secondOverAll()) !== 'shop',
      );
      expect(await secondOverAll()).toBe(expected);
      const byChart = await onChart(['install', '--dry-run=server'], 'second', all);
      expect(taken(byChart)).toBe(expected);
      const advice = `if it is gone already: kubectl delete clusterrolebinding ${name}`;
      expect(byChart.stderr.includes(advice)).toBe(expected !== undefined);
    } finally {
      await run(['delete', 'clusterrolebinding', name]);
    }
  });

  test.each([
    [
      'counts, as a Deployment that an earlier chart made',
      { 'helm.sh/chart': 'managed-db-operator-0.1.0' },
      'all namespaces',
    ],
    ['does not count as another Deployment', {}, undefined],
  ])('%s', async (_, labels, expected) => {
    const template = {
      metadata: { labels: { app: 'tools' } },
      spec: { containers: [{ name: 'tools', image: 'tools' }] },
    };
    const spec = { replicas: 0, selector: { matchLabels: { app: 'tools' } }, template };
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadata('tools', labels),
      spec,
    };
    await run(['apply', '-n', 'second', '-f', '-'], JSON.stringify(deployment));
    expect(taken(await onChart(['install', '--dry-run=server'], 'second', all))).toBe(expected);
    await run(['delete', 'deployment', 'tools', '-n', 'second']);
  });
});

describe('two installations over namespaces of their own', () => {
  beforeAll(async () => {
    await works(['install'], 'first', over('shop'));
    await works(['install'], 'second', over('blog'));
  });
  afterAll(() => Promise.all(installed.map(remove)));

  test.each([
    ['the namespace of the other', over('shop', 'blog'), 'shop'],
    ['all namespaces', all, 'shop'],
  ])('are there side by side, and none is upgraded to %s', async (_, wider, both) => {
    const refusal = `the installation first in namespace first looks after ${both} already`;
    expect((await onChart(['upgrade'], 'second', wider)).stderr).toContain(refusal);
    expect((await appliedRights('second', wider)).stderr).toContain(refusal);
    const may = await run([
      'auth',
      'can-i',
      'get',
      'secrets',
      '-n',
      'shop',
      '--as=system:serviceaccount:second:second-managed-db-operator',
    ]);
    expect(may.stdout).toBe('no\n');
  });

  test('may be upgraded to more where no other is, and called otherwise', async () => {
    await works(['upgrade'], 'second', { ...over('blog', 'second'), fullnameOverride: 'db' });
    expect(await madeBy('second')).toContain('second:db');
  });
});

const inFirst = (command: readonly string[], release: string, values: object) =>
  helm(plane.handle, [...command, release, chart, '--namespace', 'first'], values);
const leaseOfFirst = async () => {
  const role = [
    'role',
    'first-managed-db-operator',
    '-n',
    'first',
    '-o',
    'jsonpath={.rules[*].resourceNames[0]}',
  ];
  return (await run(['get', ...role])).stdout;
};

describe('a release in the namespace of another', () => {
  const sameLease =
    'the releases first and first-managed-db-operator would share the Lease first-managed-db-operator';
  const renamed = { ...over('blog'), fullnameOverride: 'zz' };
  beforeAll(() => works(['install'], 'first', over('shop')));
  afterAll(() => remove('first'));

  test('that would have its Lease is refused by the chart, also over other namespaces', async () => {
    expect((await inFirst(['install'], 'first-managed-db-operator', renamed)).stderr).toContain(
      sameLease,
    );
    expect(await madeBy('first-managed-db-operator')).toBe('');
  });

  test('that would have its Lease is refused by the API server', async () => {
    const { stdout } = await inFirst(
      ['template', '--show-only=templates/rbac.yaml'],
      'first-managed-db-operator',
      renamed,
    );
    const { stderr } = await run(['apply', '--server-side', '--dry-run=server', '-f', '-'], stdout);
    expect(stderr).toContain(
      'the installation first in namespace first has the Lease first/first-managed-db-operator already',
    );
  });

  test.each([
    ['takes its Deployment', ['install', '--take-ownership'], 'other', over('blog')],
    [
      'is called otherwise than at its install',
      ['upgrade'],
      'first',
      { ...over('shop'), nameOverride: 'first' },
    ],
  ])('that %s is refused before anything is changed', async (_, command, release, values) => {
    const named = { ...values, fullnameOverride: 'first-managed-db-operator' };
    const { stderr } = await inFirst(command, release, named);
    expect(stderr).toContain(
      'the Deployment first-managed-db-operator in namespace first is there already, with other labels',
    );
    expect(await leaseOfFirst()).toBe('first-managed-db-operator');
  });
});

describe('an upgrade to another cloud', () => {
  afterEach(() => remove('first'));

  test('prints the old and the new address and the way back, and an upgrade in the same cloud does not', async () => {
    await works(['install'], 'first', all);
    const same = await onChart(['upgrade'], 'first', all);
    expect(same.stdout).not.toContain('the cloud was');
    const elsewhere = 'https://elsewhere.example.com';
    const { stdout, code } = await onChart(['upgrade'], 'first', {
      ...all,
      config: { ...all.config, cloudUrl: elsewhere },
    });
    expect(code).toBe(0);
    expect(stdout).toContain(
      `WARNING: the cloud was ${cloudUrl}, and now is ${elsewhere}. If that is another cloud`,
    );
    expect(stdout).toContain('helm rollback first -n first');
  });
});

describe('an installation over fewer namespaces', () => {
  const held = service('orders', { deletionProtection: false });
  beforeAll(async () => {
    await run(['apply', '-n', 'shop', '-f', '-'], JSON.stringify(held));
    await run([
      'patch',
      '-n',
      'shop',
      'managedservice/orders',
      ...finalizers(['managed-db.io/cloud-resource']),
    ]);
  });
  afterEach(() => remove('first'));
  afterAll(async () => {
    await run(['patch', '-n', 'shop', 'managedservice/orders', ...finalizers([])]);
    await run(['delete', '-n', 'shop', 'managedservice/orders', '--ignore-not-found']);
  });

  test.each([
    ['all namespaces', all],
    ['a namespace more', over('shop', 'blog')],
  ])(
    'than %s is refused while objects in the other namespaces need the operator',
    async (_, before) => {
      await works(['install'], 'first', before);
      const { stderr } = await onChart(['upgrade'], 'first', over('blog'));
      expect(stderr).toContain(
        'config.namespaces: without the namespace shop the operator could not go on with ManagedService shop/orders',
      );
      expect(stderr).toContain(
        'kubectl delete managedvpcs,managedservices,readreplicasets --all -n shop',
      );
      await works(['upgrade'], 'first', over('shop'));
    },
  );

  test('is accepted if no object in the other namespaces needs the operator', async () => {
    await works(['install'], 'first', over('shop', 'blog'));
    expect(await onChart(['upgrade'], 'first', over('shop'))).toMatchObject({
      stderr: '',
      code: 0,
    });
  });
});

const deleteIn = (namespace: string) =>
  run(['delete', '-n', namespace, 'managedservice/bare', '--dry-run=server']);

describe('an object that has a resource and lost its finalizer', () => {
  const status = ['--subresource=status', '--type=merge', '-p', '{"status":{"id":"k2m9q1zx4w"}}'];
  beforeAll(async () => {
    for (const namespace of ['shop', 'blog']) {
      await run(['apply', '-n', namespace, '-f', '-'], JSON.stringify(service('bare')));
      await run(['patch', '-n', namespace, 'managedservice/bare', ...status]);
    }
    await works(['install'], 'first', over('shop'));
  });
  afterAll(async () => {
    await remove('first');
    for (const namespace of ['shop', 'blog'])
      await run(['delete', '-n', namespace, 'managedservice/bare']);
  });

  test('cannot be deleted where an installation would restore the finalizer, and can be deleted elsewhere', async () => {
    await until('the refusal', async () =>
      (await deleteIn('shop')).stderr.includes('try again in a moment'),
    );
    expect(await deleteIn('blog')).toMatchObject({ stderr: '', code: 0 });
  });

  test('can be deleted after the uninstall of its installation, since nothing would restore the finalizer', async () => {
    await remove('first');
    const { stdout } = await until('the deletion to be accepted', async () => {
      const answer = await deleteIn('shop');
      return answer.code === 0 && answer;
    });
    expect(stdout).toContain('deleted');
  });
});

type Added = readonly [path: string, value: unknown];

/** The answer to more of the first installation's container. */
const patched = async (...added: readonly Added[]) => {
  const changes = added.map(([path, value]) => ({
    op: 'add',
    path: `/spec/template/spec/containers/0/${path}`,
    value,
  }));
  const name = ['deployment', 'first-managed-db-operator', '-n', 'first'];
  return run(['patch', ...name, '--dry-run=server', '--type=json', '-p', JSON.stringify(changes)]);
};
const flagged = (...flags: readonly string[]) =>
  patched(...flags.map((flag): Added => ['args/-', flag]));

const env = (name: string, value: string) => patched(['env', [{ name, value }]]);

describe('a Deployment by whose marks', () => {
  const wrong =
    /the annotations managed-db\.io\/lease \(first\/first-managed-db-operator\) .* do not say what the flags of this Deployment say/u;
  afterEach(() => remove('first'));

  const refused = async (...flags: readonly string[]) => {
    const { stderr, code } = await flagged(...flags);
    expect([wrong.test(stderr), code]).toEqual([true, 1]);
  };

  test('a namespace would not be seen is refused, also behind a variable or in a second argument', async () => {
    await works(['install'], 'first', over('shop'));
    await refused('--namespaces=shop,blog');
    await refused('--namespaces=*');
    const unread = [
      [flagged('--namespaces', 'blog'), '--namespaces'],
      [env('MANAGED_DB_NAMESPACES', 'blog'), 'MANAGED_DB_NAMESPACES'],
      [
        env('MANAGED_DB_LEADER_ELECT_RESOURCE_NAME', 'other'),
        'MANAGED_DB_LEADER_ELECT_RESOURCE_NAME',
      ],
    ] as const;
    for (const [patch, name] of unread)
      expect((await patch).stderr).toContain(
        `write ${name} as a flag with its value in one argument`,
      );
  });

  test('another Lease would not be seen is refused, and more may be seen than it looks after', async () => {
    await works(['install'], 'first', all);
    await refused('--leader-elect-resource-namespace=second');
    await refused('--leader-elect-resource-name=second');
    expect(await flagged('--namespaces=shop')).toMatchObject({ code: 0 });
  });

  test('the last flag is seen is taken', async () => {
    await works(['install'], 'first', over('shop', 'blog'));
    const flags = ['--namespaces=second', '--namespaces=shop, blog,'];
    expect(await flagged(...flags)).toMatchObject({ code: 0 });
  });
});

describe('an installation that is uninstalled while objects in its namespaces need it', () => {
  const needed = service('orders', { deletionProtection: false });
  beforeAll(async () => {
    await works(['install'], 'first', over('shop'));
    await run(['apply', '-n', 'shop', '-f', '-'], JSON.stringify(needed));
    await run([
      'patch',
      '-n',
      'shop',
      'managedservice/orders',
      ...finalizers(['managed-db.io/cloud-resource']),
    ]);
    await until(
      'the guard to be in force',
      async () => (await run(['delete', 'namespace', 'shop', '--dry-run=server'])).code !== 0,
    );
  });
  afterAll(() => remove('first'));

  test('leaves behind what keeps these namespaces, and is installed again as it was', async () => {
    await remove('first');
    expect((await removeShop()).stderr).toContain(
      'first kubectl delete managedvpcs,managedservices,readreplicasets --all -n shop',
    );
    await works(['install'], 'first', over('shop'));
  });

  test('says before it makes anything which namespace is being deleted, or is gone', async () => {
    await remove('first');
    await run(['patch', '-n', 'shop', 'managedservice/orders', ...finalizers([])]);
    await run(['create', 'configmap', 'last', '-n', 'shop']);
    await run(['patch', '-n', 'shop', 'configmap/last', ...finalizers(['example.com/slow'])]);
    await run(['delete', 'namespace', 'shop', '--wait=false']);
    expect((await onChart(['install'], 'first', over('shop'))).stderr).toContain(
      'config.namespaces: the namespace shop is being deleted',
    );
    await run(['patch', '-n', 'shop', 'configmap/last', ...finalizers([])]);
    await removeShop();
    const refused =
      'config.namespaces: there is no namespace shop: kubectl create namespace shop, or leave it out';
    expect((await onChart(['install'], 'first', over('shop', 'blog'))).stderr).toContain(refused);
    expect(await madeBy('first')).toBe('');
    await works(['install'], 'first', over('blog'));
    expect((await onChart(['upgrade'], 'first', over('shop', 'blog'))).stderr).toContain(refused);
  });
});
