import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import * as z from 'zod';
import { installYaml } from '../../scripts/chart/install-yaml.ts';
import { kubectl } from '../control-plane/kubectl.ts';
import { replicaSet, service, vpc } from '../support/manifests.ts';
import { until } from '../support/until.ts';
import { apiServer } from './crds/api-server.ts';
import { kinds, resourceTypes } from '../../src/resources/managed-object.ts';

const controlPlane = inject('controlPlane');
const server = apiServer(controlPlane);
const namespace = `t-${randomBytes(4).toString('hex')}`;
const operatorName = 'managed-db-operator';
const operator = 'system:serviceaccount:managed-db-system:managed-db-operator';
/** A user with the role edit in the namespace, which includes our roles, and a user who may also adopt. */
const tenant = `tenant-${namespace}`;
const adopter = `adopter-${namespace}`;
/** A user who may only look. */
const viewer = `viewer-${namespace}`;
/** Users who may edit the Namespace itself; the second may also approve changes in it. */
const owner = `owner-${namespace}`;
const approver = `approver-${namespace}`;

const resize = 'approval.managed-db.io/resizeService';
const approvedChange = '1000m/4GB -> 2000m/8GB';

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const run = (args: readonly string[], input?: string) =>
  kubectl(controlPlane, args, input === undefined ? {} : { input });
const dryRun = [
  'apply',
  '--server-side',
  '--force-conflicts',
  '--field-manager=test',
  '--dry-run=server',
];

const createPod = (pod: object) =>
  run(['create', '--dry-run=server', '--namespace', namespace, '-f', '-'], JSON.stringify(pod));

const plurals: Readonly<Record<string, string>> = Object.fromEntries(
  kinds.map((kind) => [kind, resourceTypes[kind].plural]),
);
const listOf = (kind: string) =>
  `/apis/managed-db.io/v1alpha1/namespaces/${namespace}/${plurals[kind] ?? ''}`;

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Creates an object, as the administrator unless `as` names a user. */
async function create(
  manifest: Manifest,
  { as, really = false }: { as?: string; really?: boolean } = {},
) {
  const answer = await server.send(
    'POST',
    `${listOf(manifest.kind)}${really ? '' : '?dryRun=All'}`,
    {
      body: manifest,
      ...(as === undefined ? {} : { as }),
    },
  );
  if (really && !answer.isAccepted) throw new Error(answer.message);
  return answer.message;
}

/** Changes an object, without effect. @param by the administrator when it is undefined */
async function patch(
  manifest: Manifest,
  change: object,
  by: string | undefined,
  more: { fieldManager?: string; subresource?: string } = {},
) {
  const { fieldManager = by === operator ? operatorName : '', subresource = '' } = more;
  const url = `${listOf(manifest.kind)}/${manifest.metadata.name}${subresource}?dryRun=All&fieldManager=${fieldManager}`;
  const as = by === undefined ? {} : { as: by };
  return (
    await server.send('PATCH', url, {
      body: change,
      contentType: 'application/merge-patch+json',
      ...as,
    })
  ).message;
}

/** Deletes an object, without effect. */
async function remove(manifest: Manifest, as = tenant) {
  return (
    await server.send('DELETE', `${listOf(manifest.kind)}/${manifest.metadata.name}?dryRun=All`, {
      as,
    })
  ).message;
}

const review = z.object({ status: z.object({ allowed: z.boolean() }) });

interface Attributes {
  readonly verb: string;
  readonly group?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly namespace?: string;
}

async function may(user: string, resourceAttributes: Attributes): Promise<boolean> {
  const groups = [
    'system:authenticated',
    ...(user === operator
      ? ['system:serviceaccounts', 'system:serviceaccounts:managed-db-system']
      : []),
  ];
  const { body } = await server.send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, groups, resourceAttributes },
    },
  });
  return review.parse(body).status.allowed;
}

beforeAll(async () => {
  const labels = {
    'pod-security.kubernetes.io/enforce': 'restricted',
    'pod-security.kubernetes.io/warn': 'restricted',
  };
  const rbac = 'rbac.authorization.k8s.io';
  const bound = (name: string, role: string) => ({
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { name: `${name}-${role}`, namespace },
    roleRef: { apiGroup: rbac, kind: role === 'adopt' ? 'Role' : 'ClusterRole', name: role },
    subjects: [{ apiGroup: rbac, kind: 'User', name }],
  });
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'managed-db-operator', namespace },
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'Role',
      metadata: { name: 'adopt', namespace },
      rules: [
        { apiGroups: ['managed-db.io'], resources: Object.values(plurals), verbs: ['adopt'] },
      ],
    },
    bound(tenant, 'edit'),
    bound(adopter, 'edit'),
    bound(adopter, 'adopt'),
    bound(viewer, 'view'),
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata: { name: `owner-${namespace}` },
      rules: [
        {
          apiGroups: [''],
          resources: ['namespaces', 'namespaces/status', 'namespaces/finalize'],
          verbs: ['create', 'delete', 'get', 'patch', 'update'],
        },
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: `owner-${namespace}` },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: `owner-${namespace}` },
      subjects: [owner, approver].map((name) => ({ apiGroup: rbac, kind: 'User', name })),
    },
    bound(approver, 'managed-db-approve'),
    bound(approver, 'edit'),
  ];
  const made = await run(
    ['create', '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
  );
  if (made.code !== 0) throw new Error(made.stderr);
  // The controller manager adds our roles to edit and view; the API server reads policies every few seconds.
  for (const user of [tenant, adopter, viewer])
    await until(`${user} to see services`, () =>
      may(user, { verb: 'list', group: 'managed-db.io', resource: 'managedservices', namespace }),
    );
  await until('the policies to be in force', async () => {
    const claimed = await create(
      service('claimed', {}, { 'managed-db.io/external-id': 'k2m9q1zx4w' }),
      { as: tenant },
    );
    const crd = await server.send('DELETE', crdUrl('managedvpcs'));
    return claimed !== '' && !crd.isAccepted;
  });
});

function dryDelete(ofNamespace: string, as?: string) {
  const by = as === undefined ? {} : { as };
  return server.send('DELETE', `/api/v1/namespaces/${ofNamespace}?dryRun=All`, by);
}

function crdUrl(plural: string): string {
  return `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.managed-db.io?dryRun=All`;
}

async function annotateCrd(value: string | null): Promise<string> {
  const change = { metadata: { annotations: { 'managed-db.io/allow-crd-deletion': value } } };
  const url = crdUrl('readreplicasets').replace('?dryRun=All', '');
  return (
    await server.send('PATCH', url, { body: change, contentType: 'application/merge-patch+json' })
  ).message;
}

describe('the shipped manifests', () => {
  test('the API server accepts every manifest and sample without a warning', async () => {
    const files = ['ledger-namespace', 'install', 'secret.example'].map(
      (name) => `deploy/${name}.yaml`,
    );
    const samples = ['all', 'vpc', 'service', 'replica-set', 'fork'].map(
      (name) => `deploy/samples/${name}.yaml`,
    );
    const results = await Promise.all([
      run([...dryRun, ...files.flatMap((file) => ['-f', root(file)])]),
      run([...dryRun, '-f', root('crds')]),
      run([...dryRun, '--namespace', namespace, ...samples.flatMap((file) => ['-f', root(file)])]),
    ]);
    expect(results.map(({ stderr, code }) => ({ stderr, code }))).toEqual(
      results.map(() => ({ stderr: '', code: 0 })),
    );
    expect(results[2].stdout.trim().split('\n')).toHaveLength(8);
  });

  test('the file of a tenant applies as it is, and gives its group the three kinds but no Secret', async () => {
    const shop = `t-${randomBytes(4).toString('hex')}`;
    const file = await readFile(root('deploy/tenant.example.yaml'), 'utf8');
    const can = async (verb: string, resource: string) => {
      const as = ['--as=jo', `--as-group=${shop}-developers`];
      return (await run(['auth', 'can-i', verb, resource, '-n', shop, ...as])).stdout.trim();
    };
    expect(await run(['apply', '-f', '-'], file.replaceAll('shop', shop))).toMatchObject({
      code: 0,
      stderr: '',
    });
    try {
      for (const plural of Object.values(plurals))
        expect([plural, await can('create', `${plural}.managed-db.io`)]).toEqual([plural, 'yes']);
      expect(await can('adopt', 'managedservices.managed-db.io')).toBe('no');
      expect(await can('get', 'secrets')).toBe('no');
    } finally {
      await run(['delete', 'namespace', shop, '--wait=false']);
    }
  });

  test('install.yaml and ledger-namespace.yaml equal the rendered chart', async () => {
    const [install, ledgerNamespace] = await Promise.all(
      ['install', 'ledger-namespace'].map((name) => readFile(root(`deploy/${name}.yaml`), 'utf8')),
    );
    expect(await installYaml(controlPlane.helmPath), 'stale: npm run install-yaml').toEqual({
      install,
      ledgerNamespace,
    });
  });

  test('the deletion of install.yaml does not delete the namespace of the ledger', async () => {
    const { stdout } = await run([
      'delete',
      '--dry-run=server',
      '--output=name',
      '-f',
      root('deploy/install.yaml'),
    ]);
    expect(stdout).toContain('namespace/managed-db-system\n');
    expect(stdout).not.toContain('namespace/managed-db-ledger\n');
  });

  test('the kustomization has all manifests, and the API server accepts it', async () => {
    const built = await run(['kustomize', root('deploy')]);
    expect(built.stderr).toBe('');
    const applied = await run([...dryRun, '--output=name', '-f', '-'], built.stdout);
    expect(applied.stderr).toBe('');
    const texts = ['ledger-namespace', 'install'].map((name) =>
      readFile(root(`deploy/${name}.yaml`), 'utf8'),
    );
    const documents = (await Promise.all(texts)).flatMap((text) => parseAllDocuments(text));
    expect(applied.stdout.trim().split('\n')).toHaveLength(documents.length);
  });

  test('a Pod of the Deployment passes restricted Pod security without a warning', async () => {
    const documents = parseAllDocuments(await readFile(root('deploy/install.yaml'), 'utf8')).map(
      (document) => document.toJS() as unknown,
    );
    const deployment = z
      .object({
        spec: z.object({
          template: z.object({ metadata: z.looseObject({}), spec: z.looseObject({}) }),
        }),
      })
      .parse(
        documents.find(
          (document) => z.looseObject({ kind: z.string() }).parse(document).kind === 'Deployment',
        ),
      );
    const { metadata, spec } = deployment.spec.template;
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: 'operator' },
      spec,
    };
    const careless = { ...pod, spec: { ...spec, securityContext: {} } };
    expect(await createPod(pod)).toEqual({
      stdout: 'pod/operator created (server dry run)\n',
      stderr: '',
      code: 0,
    });
    expect((await createPod(careless)).stderr).toContain(
      'violates PodSecurity "restricted:latest"',
    );
  });

  test('kustomize renames references, too, and the API server accepts its additions to a ReplicaSet', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kustomize-'));
    try {
      for (const name of ['samples/all.yaml', 'kustomizeconfig.yaml'])
        await writeFile(
          join(folder, name.replace('samples/', '')),
          await readFile(root(`deploy/${name}`), 'utf8'),
        );
      const kustomization = {
        namespace,
        namePrefix: 'dev-',
        resources: ['all.yaml'],
        configurations: ['kustomizeconfig.yaml'],
        labels: [{ pairs: { team: 'shop' }, includeSelectors: true, includeTemplates: true }],
      };
      await writeFile(join(folder, 'kustomization.yaml'), stringify(kustomization));
      const built = await run(['kustomize', folder]);
      expect(built.stderr).toBe('');
      expect(built.stdout).toMatch(/vpcRef:\n\s+name: dev-prod/u);
      expect(built.stdout.match(/serviceRef:\n\s+name: dev-orders/gu)).toHaveLength(2);
      expect(built.stdout).toContain('selector:');
      const applied = await run([...dryRun, '-f', '-'], built.stdout);
      expect(applied).toMatchObject({ stderr: '', code: 0 });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

const db = { group: 'managed-db.io', namespace };
const secrets = { resource: 'secrets', namespace };
const ledger = { resource: 'secrets', namespace: 'managed-db-ledger' };
const crds = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
const rbac = { group: 'rbac.authorization.k8s.io' };
const leases = { group: 'coordination.k8s.io', resource: 'leases', namespace: 'managed-db-system' };

describe('the operator', () => {
  test.each<Attributes>([
    ...['get', 'list', 'watch', 'patch'].flatMap((verb) =>
      Object.values(plurals).map((resource) => ({ ...db, verb, resource })),
    ),
    ...Object.values(plurals).map((resource) => ({
      ...db,
      verb: 'patch',
      resource,
      subresource: 'status',
    })),
    ...['get', 'list', 'watch', 'create', 'patch', 'delete'].map((verb) => ({ ...secrets, verb })),
    ...['get', 'list', 'watch', 'create', 'patch', 'delete'].map((verb) => ({ ...ledger, verb })),
    { verb: 'create', resource: 'events', namespace },
    { verb: 'patch', resource: 'events', namespace },
    { verb: 'get', resource: 'namespaces', name: 'kube-system' },
    ...['get', 'list', 'watch'].map((verb) => ({ verb, resource: 'namespaces' })),
    ...Object.values(plurals).map((plural) => ({
      ...crds,
      verb: 'get',
      name: `${plural}.managed-db.io`,
    })),
    { ...leases, verb: 'create' },
    ...['get', 'update'].map((verb) => ({ ...leases, verb, name: 'managed-db-operator' })),
  ])('may %j', async (attributes) => {
    expect(await may(operator, attributes)).toBe(true);
  });

  test.each<Attributes>([
    ...['create', 'update', 'delete', 'deletecollection'].map((verb) => ({
      ...db,
      verb,
      resource: 'managedservices',
    })),
    { ...db, verb: 'patch', resource: 'managedservices', subresource: 'finalizers' },
    { ...db, verb: 'update', resource: 'managedservices', subresource: 'status' },
    { ...db, verb: 'list', resource: '*' },
    ...['update', 'deletecollection'].map((verb) => ({ ...secrets, verb })),
    ...['update', 'deletecollection'].map((verb) => ({ ...ledger, verb })),
    { ...ledger, verb: 'get', resource: 'configmaps' },
    { verb: 'delete', resource: 'namespaces', name: 'managed-db-ledger' },
    ...['patch', 'update', 'delete', 'deletecollection'].map((verb) => ({
      ...crds,
      verb,
      name: 'managedservices.managed-db.io',
    })),
    { ...crds, verb: 'get', name: 'certificates.cert-manager.io' },
    { ...crds, verb: 'list' },
    ...['create', 'update', 'patch'].map((verb) => ({ verb, resource: 'namespaces', namespace })),
    { verb: 'delete', resource: 'namespaces', name: 'kube-system' },
    ...['pods', 'configmaps', 'nodes', 'serviceaccounts', 'services', 'persistentvolumes'].map(
      (resource) => ({
        verb: 'get',
        resource,
        namespace,
      }),
    ),
    { verb: 'list', resource: 'pods', namespace: 'managed-db-system' },
    { verb: 'create', resource: 'pods', subresource: 'exec', namespace },
    { verb: 'create', resource: 'serviceaccounts', subresource: 'token', namespace },
    { verb: 'delete', resource: 'events', namespace },
    { verb: 'get', group: 'apps', resource: 'deployments', namespace },
    ...['get', 'update'].map((verb) => ({ ...leases, verb, name: 'another' })),
    ...['list', 'watch', 'patch', 'delete', 'deletecollection'].map((verb) => ({
      ...leases,
      verb,
    })),
    { ...leases, verb: 'create', namespace },
    { verb: 'impersonate', resource: 'users' },
    { verb: 'impersonate', resource: 'serviceaccounts', namespace },
    ...['escalate', 'bind', 'create', 'patch', 'get'].flatMap((verb) => [
      { ...rbac, verb, resource: 'clusterroles' },
      { ...rbac, verb, resource: 'roles', namespace },
    ]),
    ...['create', 'patch', 'get'].map((verb) => ({
      ...rbac,
      verb,
      resource: 'clusterrolebindings',
    })),
    {
      verb: 'delete',
      group: 'admissionregistration.k8s.io',
      resource: 'validatingadmissionpolicies',
      name: 'managed-db-crds',
    },
    { verb: '*', group: '*', resource: '*' },
  ])('may not %j', async (attributes) => {
    expect(await may(operator, attributes)).toBe(false);
  });
});

describe('tenants', () => {
  test.each<Attributes>(
    ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'].flatMap(
      (verb) => Object.values(plurals).map((resource) => ({ ...db, verb, resource })),
    ),
  )('with the role edit may %j', async (attributes) => {
    expect(await may(tenant, attributes)).toBe(true);
  });

  test.each<Attributes>(
    Object.values(plurals).flatMap((resource) => [
      { ...db, verb: 'patch', resource, subresource: 'status' },
      { ...db, verb: 'update', resource, subresource: 'status' },
      { ...db, verb: 'update', resource, subresource: 'finalizers' },
      { ...db, verb: 'adopt', resource },
      { ...db, verb: 'approve', resource },
      { ...db, verb: 'get', resource, namespace: 'default' },
    ]),
  )('with the role edit may not %j: a forged status would be an adoption', async (attributes) => {
    expect(await may(tenant, attributes)).toBe(false);
  });

  test('the role view shows everything and changes nothing', async () => {
    for (const resource of Object.values(plurals)) {
      expect(await may(viewer, { ...db, verb: 'watch', resource })).toBe(true);
      for (const verb of ['create', 'update', 'patch', 'delete'])
        expect(await may(viewer, { ...db, verb, resource })).toBe(false);
    }
  });
});

const pointer = (entry: string) => ({ 'managed-db.io/ledger': entry });

const shown = { service: { metadata: { environment: 'PROD' } } };
const setProtected = { onDelete: 'Protected', observedGeneration: 1 };
const setRetain = { onDelete: 'Retain', observedGeneration: 1 };
const report = (manifest: Manifest, status: object) =>
  server.send('PATCH', `${listOf(manifest.kind)}/${manifest.metadata.name}/status`, {
    body: { status },
    contentType: 'application/merge-patch+json',
  });

describe('the policies:', () => {
  const idsAreRaw = 'serviceId and vpcId reach anything';
  const byId = replicaSet('by-id', 'orders', { serviceRef: undefined, serviceId: 'k2m9q1zx4w' });

  test.each([
    ['a service in a VPC by id', service('raw', { vpcId: '8801' })],
    ['a fork of an id', service('raw', { fork: { serviceId: 'k2m9q1zx4w', strategy: 'NOW' } })],
    ['a replica set of an id', byId],
  ])('%s needs the verb adopt, or an API key of the tenant', async (_, manifest) => {
    expect(await create(manifest, { as: tenant })).toContain(idsAreRaw);
    expect(await create(manifest, { as: adopter })).toBe('');
    const withKey = { ...manifest, spec: { ...manifest.spec, credentialsRef: { name: 'key' } } };
    expect(await create(withKey, { as: tenant })).toBe('');
  });

  test('references by name do not need the verb adopt', async () => {
    for (const manifest of [
      vpc('plain'),
      service('plain', { vpcRef: { name: 'prod' } }),
      replicaSet('plain', 'orders'),
    ])
      expect(await create(manifest, { as: tenant })).toBe('');
  });

  test.each([vpc, service])(
    'an external id needs the verb adopt, at creation and at an update',
    async (make) => {
      const claim = { 'managed-db.io/external-id': 'k2m9q1zx4w' };
      const claiming = make('claiming', {}, claim);
      expect(await create(claiming, { as: tenant })).toContain(
        `it needs the verb adopt on ${plurals[claiming.kind]}.managed-db.io`,
      );
      expect(await create(claiming, { as: adopter })).toBe('');
      const plain = make('later');
      await create(plain, { as: tenant, really: true });
      expect(await patch(plain, { metadata: { annotations: claim } }, tenant)).toContain(
        'it needs the verb adopt',
      );
      expect(await patch(plain, { metadata: { annotations: claim } }, adopter)).toBe('');
    },
  );

  test('only who may adopt sets the pointer to a ledger entry; others may keep or omit it', async () => {
    const pointing = service('pointing', {}, pointer('managedservice-1'));
    expect(await create(pointing, { as: tenant })).toContain('remove it from your manifest');
    expect(await create(pointing, { as: adopter })).toBe('');
    const plain = service('pointed', { deletionProtection: false });
    await create(plain, { as: tenant, really: true });
    expect(
      await patch(plain, { metadata: { annotations: pointer('managedservice-1') } }, operator),
    ).toBe('');
    expect(
      await patch(plain, { metadata: { annotations: pointer('managedservice-2') } }, tenant),
    ).toContain('remove it from your manifest');
    expect(await patch(plain, { spec: { cpuMillis: 2000, memoryGbs: 8 } }, tenant)).toBe('');
    expect(
      await patch(plain, { metadata: { annotations: { 'managed-db.io/ledger': null } } }, tenant),
    ).toBe('');
  });

  const perKind = [vpc('bare'), service('bare'), replicaSet('bare', 'orders')].map(
    (manifest) => [manifest.kind, manifest] as const,
  );

  test.each(perKind)(
    'only the operator, kubectl patch and kubectl edit remove the finalizer of a %s, also while it is being deleted',
    async (_, bare) => {
      const finalizers = ['managed-db.io/cloud-resource', 'example.com/other'];
      const manifest = { ...bare, metadata: { ...bare.metadata, name: 'leaving', finalizers } };
      const strip = { metadata: { finalizers: finalizers.slice(1) } };
      const managers = [
        '',
        'kubectl-replace',
        'kubectl-client-side-apply',
        'helm',
        'argocd-controller',
      ];
      const answers = () =>
        Promise.all(
          managers.map((fieldManager) => patch(manifest, strip, undefined, { fieldManager })),
        );
      const advice = `keep the finalizer managed-db.io/cloud-resource of ${manifest.kind} ${namespace}/leaving`;
      const refusals = managers.map(() => expect.stringContaining(advice) as unknown);
      await create(manifest, { really: true });
      expect(await answers()).toEqual(refusals);
      await server.send('DELETE', `${listOf(manifest.kind)}/leaving`);
      expect(await answers()).toEqual(refusals);
      expect(await patch(manifest, strip, tenant, { fieldManager: operatorName })).toContain(
        'keep the finalizer managed-db.io/cloud-resource',
      );
      for (const fieldManager of ['kubectl-patch', 'kubectl-edit'])
        expect(await patch(manifest, strip, tenant, { fieldManager })).toBe('');
      expect(await patch(manifest, strip, operator)).toBe('');
      expect(
        await patch(
          manifest,
          { metadata: { finalizers: finalizers.slice(0, 1), labels: { team: 'data' } } },
          tenant,
        ),
      ).toBe('');
    },
  );

  test.each(perKind)(
    'a %s that has a resource and lost its finalizer is deleted only after the operator restored the finalizer',
    async (_, bare) => {
      await create(bare, { really: true });
      expect(await remove(bare)).toBe('');
      await report(bare, { id: 'k2m9q1zx4w' });
      const refusal = `${bare.kind} ${namespace}/bare has lost the finalizer managed-db.io/cloud-resource`;
      for (const user of [tenant, 'system:serviceaccount:kube-system:namespace-controller'])
        expect(await remove(bare, user)).toContain(refusal);
      expect(
        (
          await server.send(
            'DELETE',
            `${listOf(bare.kind)}?dryRun=All&fieldSelector=metadata.name=bare`,
          )
        ).message,
      ).toContain(refusal);
      // The operator writes no finalizer on an object that it has not bound.
      const owned = {
        type: 'Ready',
        status: 'False',
        reason: 'NotBound',
        message: '',
        lastTransitionTime: '2026-11-21T09:00:00Z',
      };
      await report(bare, { conditions: [owned] });
      expect(await remove(bare)).toBe('');
      await report(bare, { conditions: [{ ...owned, reason: 'Available' }] });
      expect(await remove(bare)).toContain(refusal);
      await server.send('PATCH', `${listOf(bare.kind)}/bare`, {
        body: { metadata: { finalizers: ['managed-db.io/cloud-resource'] } },
        contentType: 'application/merge-patch+json',
      });
      expect(await remove(bare)).toBe('');
    },
  );

  test('tenants may edit the spec of an object that a user with the right adopted, and the operator its finalizer', async () => {
    const adopted = service(
      'adopted',
      { vpcId: '8801', deletionProtection: false },
      { 'managed-db.io/external-id': 'k2m9q1zx4w' },
    );
    await create(adopted, { as: adopter, really: true });
    expect(
      await patch(
        adopted,
        { metadata: { finalizers: ['managed-db.io/cloud-resource'] } },
        operator,
      ),
    ).toBe('');
    expect(
      await patch(adopted, { status: { id: 'k2m9q1zx4w' } }, operator, { subresource: '/status' }),
    ).toBe('');
    expect(await patch(adopted, { spec: { cpuMillis: 2000, memoryGbs: 8 } }, tenant)).toBe('');
    expect(await patch(adopted, { spec: { vpcId: null } }, tenant)).toBe('');
    expect(await patch(adopted, { spec: { vpcId: '8802' } }, tenant)).toContain(idsAreRaw);
    expect(
      await patch(
        adopted,
        { metadata: { annotations: { 'managed-db.io/external-id': 'other' } } },
        tenant,
      ),
    ).toContain('the verb adopt');
  });

  test("an id that was allowed with the tenant's own key is not allowed with the operator's key after that key is removed", async () => {
    const own = service('own-key', { vpcId: '8801', credentialsRef: { name: 'key' } });
    await create(own, { as: tenant, really: true });
    expect(await patch(own, { spec: { cpuMillis: 2000, memoryGbs: 8 } }, tenant)).toBe('');
    expect(await patch(own, { spec: { credentialsRef: null } }, tenant)).toContain(idsAreRaw);
    expect(await patch(own, { spec: { credentialsRef: null } }, adopter)).toBe('');
  });

  test.each([
    [
      'a protected VPC',
      vpc('kept', { deletionProtection: true }),
      'is protected from deletion. To delete the database',
    ],
    [
      'a service in PROD',
      service('kept', { environment: 'PROD' }),
      'because its environment is PROD',
    ],
    [
      'a replica set in PROD',
      replicaSet('kept', 'orders', { environment: 'PROD' }),
      'because its environment is PROD',
    ],
    [
      'a service in PROD whose protection is off',
      service('free', { environment: 'PROD', deletionProtection: false }),
      '',
    ],
    [
      'a protected service that stays in the cloud',
      service('retained', { deletionProtection: true, deletionPolicy: 'Retain' }),
      '',
    ],
    [
      'a service in PROD that is only observed',
      service('observed', { environment: 'PROD', managementPolicy: 'Observe' }),
      '',
    ],
    ['a service like any other', service('plain'), ''],
  ])('%s is deleted or refused as its spec says', async (_, manifest, message) => {
    await create(manifest, { really: true });
    const said = await remove(manifest);
    expect(said === '').toBe(message === '');
    expect(said).toContain(message);
  });

  test.each([
    ['shows the cloud to be PROD', service('shown'), shown, 'because its environment is PROD'],
    [
      'says Protected',
      replicaSet('shown', 'orders'),
      setProtected,
      'because its status.onDelete is Protected',
    ],
    [
      'says Protected, and shows the cloud to be PROD',
      service('shown-6'),
      { ...shown, ...setProtected },
      'because its environment is PROD',
    ],
    [
      'says Protected, and the spec DEV',
      service('shown-2', { environment: 'DEV' }),
      setProtected,
      '',
    ],
    [
      'says Protected, and the spec not to',
      service('shown-3', { deletionProtection: false }),
      setProtected,
      '',
    ],
    ['says Retain', service('shown-4', { environment: 'PROD' }), setRetain, ''],
    [
      'says Retain of an earlier spec',
      service('shown-5', { environment: 'PROD' }),
      { ...setRetain, observedGeneration: 0 },
      'PROD',
    ],
  ])(
    'for an object whose spec is silent, its status %s decides whether it is deleted',
    async (_, manifest, status, message) => {
      await create(manifest, { really: true });
      await report(manifest, status);
      const said = await remove(manifest);
      expect(said === '').toBe(message === '');
      expect(said).toContain(message);
    },
  );

  test('protection also stops the deletion of all objects of a kind', async () => {
    await create(vpc('kept-too', { deletionProtection: true }), { really: true });
    const { message } = await server.send('DELETE', `${listOf('ManagedVpc')}?dryRun=All`, {
      as: tenant,
    });
    expect(message).toContain('is protected from deletion');
  });

  test.each([
    ['a service in PROD', service('held', { environment: 'PROD' }), {}, true],
    ['a service that the cloud shows to be PROD', service('held'), shown, true],
    ['a service that is Protected', service('held'), setProtected, true],
    [
      'a service that stays in the cloud',
      service('held', { environment: 'PROD', deletionPolicy: 'Retain' }),
      {},
      false,
    ],
    [
      'a service that stays as the operator is set up',
      service('held', { environment: 'PROD' }),
      setRetain,
      false,
    ],
    [
      'a service like any other',
      service('held'),
      { onDelete: 'Delete', observedGeneration: 1 },
      false,
    ],
    [
      'a replica set with deletionProtection',
      replicaSet('held', 'orders', { deletionProtection: true }),
      {},
      true,
    ],
    ['a replica set that is Protected', replicaSet('held', 'orders'), setProtected, true],
    ['a replica set like any other', replicaSet('held', 'orders'), {}, false],
    ['a VPC with deletionProtection', vpc('held', { deletionProtection: true }), {}, true],
    ['a VPC like any other', vpc('held'), {}, false],
  ])(
    'a namespace with %s is deleted or refused like that object',
    async (_, manifest, status, isRefused) => {
      const name = `t-${randomBytes(4).toString('hex')}`;
      await server.send('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
      const list = listOf(manifest.kind).replace(namespace, name);
      expect((await server.send('POST', list, { body: manifest })).message).toBe('');
      await server.send('PATCH', `${list}/held/status`, {
        body: { status },
        contentType: 'application/merge-patch+json',
      });
      const { message } = await server.send('DELETE', `/api/v1/namespaces/${name}?dryRun=All`);
      expect(message).toContain(
        isRefused ? `this namespace holds the protected ${manifest.kind} held` : '',
      );
      expect(message === '').toBe(!isRefused);
    },
  );

  test('the namespace of a ledger is deleted only with the annotation for it, whatever its name', async () => {
    const name = `t-${randomBytes(4).toString('hex')}`;
    const labels = { 'managed-db.io/ledger': 'true' };
    await server.send('POST', '/api/v1/namespaces', { body: { metadata: { name, labels } } });
    for (const ledgerNamespace of ['managed-db-ledger', name])
      expect((await dryDelete(ledgerNamespace)).message).toContain(
        `kubectl annotate namespace ${ledgerNamespace} managed-db.io/allow-ledger-deletion=true`,
      );
    const annotations = { 'managed-db.io/allow-ledger-deletion': 'true' };
    await server.send('PATCH', `/api/v1/namespaces/${name}`, {
      body: { metadata: { annotations } },
      contentType: 'application/merge-patch+json',
    });
    expect((await dryDelete(name)).message).toBe('');
  });

  test.each(Object.values(plurals))(
    'even the administrator cannot delete the CRD %s',
    async (plural) => {
      expect((await server.send('DELETE', crdUrl(plural))).message).toContain(
        `if that is what you want: kubectl annotate crd ${plural}.managed-db.io managed-db.io/allow-crd-deletion=true`,
      );
    },
  );

  test('a CRD with the annotation for it can be deleted', async () => {
    try {
      expect(await annotateCrd('')).toBe('');
      expect((await server.send('DELETE', crdUrl('readreplicasets'))).message).toBe('');
    } finally {
      await annotateCrd(null);
    }
  });

  test('the policies ignore the CRDs of others', async () => {
    const names = { kind: 'Thing', plural: 'things' };
    const schema = { openAPIV3Schema: { type: 'object' } };
    const group = `${namespace}.example.com`;
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const crd = {
      metadata: { name: `things.${group}` },
      spec: { group, names, scope: 'Namespaced', versions },
    };
    const url = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    expect((await server.send('POST', url, { body: crd })).message).toBe('');
    expect((await server.send('DELETE', `${url}/things.${group}`)).message).toBe('');
  });

  test("the operator's CRDs are not deleted with a deletion of all CRDs", async () => {
    const all =
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All&fieldSelector=metadata.name=managedvpcs.managed-db.io';
    expect((await server.send('DELETE', all)).message).toContain('deletionProtection or not');
  });
});

/** Creates another Namespace as its owner, without effect. */
const createNamespace = async (annotations: object) =>
  (
    await server.send('POST', '/api/v1/namespaces?dryRun=All', {
      body: { metadata: { name: `${namespace}-new`, annotations } },
      as: owner,
    })
  ).message;

/** Sets the rule of the Namespace; null removes the rule. */
function requireApproval(value: string | null) {
  return server.send('PATCH', `/api/v1/namespaces/${namespace}`, {
    body: { metadata: { annotations: { 'managed-db.io/change-approval': value } } },
    contentType: 'application/merge-patch+json',
  });
}

/** The answers to the user without the verb, and to the user with it. */
function fromBoth(send: (user: string) => Promise<string>) {
  return Promise.all([tenant, approver].map(send));
}

const protection = (deletionProtection: boolean | null) => ({ spec: { deletionProtection } });

describe('in a Namespace that requires approvals', () => {
  const [plain, approved] = [
    service('governed'),
    service('approved', {}, { [resize]: approvedChange }),
  ];
  const unprotected = service('unprotected', { deletionProtection: false });
  const needsVerb = [expect.stringContaining('needs the verb approve') as unknown, ''];
  const forBoth = ['', ''];
  const approvalOf = (value: string | null, name = resize) => ({
    metadata: { annotations: { [name]: value } },
  });

  beforeAll(async () => {
    for (const each of [plain, approved, unprotected]) await create(each, { really: true });
    await requireApproval('Required');
    await until('the rule to be in force', async () => (await remove(plain)) !== '');
  });
  afterAll(async () => {
    await requireApproval(null);
    await until('the rule to end', async () => (await remove(plain)) === '');
    await Promise.all(
      [plain, approved, unprotected].map(({ metadata: { name } }) =>
        server.send('DELETE', `${listOf('ManagedService')}/${name}`),
      ),
    );
  });

  test('an approval is set and changed only with the verb, also with other annotations and at creation', async () => {
    for (const body of [
      approvalOf(approvedChange),
      approvalOf(`${approvedChange}; now`),
      approvalOf(approvedChange, 'approval.managed-db.io/anything'),
    ])
      expect(await fromBoth((user) => patch(plain, body, user))).toEqual(needsVerb);
    expect(await fromBoth((user) => patch(approved, approvalOf('x -> y'), user))).toEqual(
      needsVerb,
    );
    expect(
      await fromBoth((user) =>
        create(service('copy', {}, { [resize]: approvedChange }), { as: user }),
      ),
    ).toEqual(needsVerb);
  });

  test('an approval is removed without the verb, and stays in a write of other fields', async () => {
    const labelled = { metadata: { labels: { team: 'data' } } };
    expect(await fromBoth((user) => patch(approved, approvalOf(null), user))).toEqual(forBoth);
    expect(await fromBoth((user) => patch(approved, labelled, user))).toEqual(forBoth);
    expect(await patch(approved, approvalOf(null), operator)).toBe('');
  });

  test('the operator itself approves nothing', async () => {
    expect(await patch(plain, approvalOf(approvedChange), operator)).toContain(
      'needs the verb approve',
    );
  });

  test('no status write approves anything', async () => {
    const url = `${listOf('ManagedService')}/plain`;
    const { isAccepted } = await server.send('PATCH', `${url}/status`, {
      body: { ...approvalOf(approvedChange), status: { state: 'READY' } },
      contentType: 'application/merge-patch+json',
      as: operator,
    });
    // Before 1.36, its managedFields name the annotation that the API server has left out.
    const { body } = await server.send('GET', url);
    expect([isAccepted, body]).toMatchObject([true, { metadata: { name: 'plain' } }]);
    expect(body).not.toHaveProperty(['metadata', 'annotations', resize]);
  });

  test('the protection from deletion ends only with the verb', async () => {
    expect(await fromBoth((user) => patch(plain, protection(false), user))).toEqual(needsVerb);
    const created = service('copy', { deletionProtection: false });
    expect(await fromBoth((user) => create(created, { as: user }))).toEqual(needsVerb);
    for (const value of [true, null])
      expect(await fromBoth((user) => patch(unprotected, protection(value), user))).toEqual(
        forBoth,
      );
    const sized = { spec: { cpuMillis: 2000, memoryGbs: 8 } };
    expect(await fromBoth((user) => patch(unprotected, sized, user))).toEqual(forBoth);
  });

  test('a database without the field is protected from deletion', async () => {
    expect(await remove(plain)).toContain(
      'is protected from deletion because its namespace requires approvals',
    );
    expect(await remove(unprotected)).toBe('');
  });

  test('the Namespace is deleted only with the verb, and not while it has a protected object', async () => {
    // Two policies refuse the request, and the API server shows the answer of either.
    expect((await dryDelete(namespace, owner)).message).toMatch(
      /needs the verb approve there|holds the protected/u,
    );
    expect((await dryDelete(namespace, approver)).message).toContain('holds the protected');
  });
});

describe('the rules of a Namespace', () => {
  afterAll(() => annotate({ [windows]: null, [approval]: null }));
  const windows = 'managed-db.io/change-windows';
  const approval = 'managed-db.io/change-approval';
  const saturday = 'Sat 02:00-05:00 Europe/Berlin';
  const needed = 'need the verb approve there';
  type Annotations = Readonly<Record<string, string | null>>;
  const annotate = async (annotations: Annotations, as?: string, subresource = '', query = '') =>
    (
      await server.send('PATCH', `/api/v1/namespaces/${namespace}${subresource}${query}`, {
        body: { metadata: { annotations } },
        contentType: 'application/merge-patch+json',
        ...(as === undefined ? {} : { as }),
      })
    ).message;
  /** The answers to the user without the verb, and to the user with it. */
  const answers = (annotations: Annotations, subresource = '') =>
    Promise.all(
      [owner, approver].map((user) => annotate(annotations, user, subresource, '?dryRun=All')),
    );
  const needsVerb = [expect.stringContaining(needed) as unknown, ''];

  test('are set, changed and removed only with the verb approve in that namespace', async () => {
    for (const annotations of [
      { [windows]: saturday },
      { [windows]: '' },
      { [approval]: 'Required' },
    ])
      expect(await answers(annotations)).toEqual(needsVerb);
    expect(await answers({ [windows]: saturday }, '/status')).toEqual(needsVerb);
    await annotate({ [windows]: saturday, [approval]: 'Required' });
    for (const value of ['Sun 02:00-05:00 UTC', '', null]) {
      expect(await answers({ [windows]: value })).toEqual(needsVerb);
      expect(await answers({ [windows]: value }, '/status')).toEqual(needsVerb);
      expect(await answers({ [approval]: value })).toEqual(needsVerb);
    }
  });

  test('do not concern a user who changes other metadata of the Namespace', async () => {
    await annotate({ [windows]: saturday });
    expect(await annotate({ [windows]: saturday, 'example.com/team': 'data' }, owner)).toBe('');
    expect(await annotate({ 'example.com/team': null }, owner, '/status')).toBe('');
  });

  test('are set at the creation of a Namespace only with the verb approve there', async () => {
    expect(await createNamespace({ [windows]: saturday })).toContain(needed);
    expect(await createNamespace({ 'example.com/team': 'data' })).toBe('');
  });

  test.each<[sentence: string, annotations: Readonly<Record<string, string>>, words: string[]]>([
    [
      'readable rules',
      { [windows]: `${saturday},Wed 03:00-24:00 UTC`, [approval]: 'Required' },
      [],
    ],
    ['other annotations', { 'example.com/change-windows': 'x' }, []],
    [
      'a typo in a name',
      { 'managed-db.io/change-window': saturday },
      ['does not know the annotation managed-db.io/change-window '],
    ],
    [
      'a typo in the prefix of a name',
      { 'manged-db.io/change-windows': saturday },
      ['does not know the annotation manged-db.io/change-windows '],
    ],
    [
      'an approval with a typo in its prefix, and not of the annotation of another project',
      { 'managed-dbs.io/change-approval': 'Required', 'mongodb.example.com/change-stream': 'x' },
      ['does not know the annotation managed-dbs.io/change-approval '],
    ],
    [
      'a city alone as a time zone',
      { [windows]: `${saturday}, Sun 02:00-05:00 Berlin, Mon 02:00-05:00 UTC` },
      ['does not know the time zone of "Sun 02:00-05:00 Berlin"'],
    ],
    ['an unreadable window', { [windows]: `${saturday}, 0 2 * * 6` }, ['"0 2 * * 6" is no window']],
    [
      'too many windows',
      { [windows]: Array(11).fill(saturday).join(',') },
      ['more than 10 windows'],
    ],
    ['an unknown approval', { [approval]: 'required' }, ['write Required']],
  ])('kubectl apply warns of mistakes: %s', async (_, annotations, words) => {
    const manifest = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: `${namespace}-other`, annotations },
    };
    const { code, stderr } = await run([...dryRun, '-f', '-'], JSON.stringify(manifest));
    expect(code).toBe(0);
    const warnings = stderr.split('\n').filter((line) => line !== '');
    expect(warnings).toEqual(words.map((part): unknown => expect.stringContaining(part)));
  });
});

describe('kubectl apply warns of', () => {
  const warn = async (manifest: Manifest) => {
    const { stderr, code } = await run(
      [...dryRun, '--namespace', namespace, '-f', '-'],
      JSON.stringify(manifest),
    );
    expect(code).toBe(0);
    return stderr
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.replace(/^.* with binding 'managed-db-warnings': /u, ''));
  };
  const size = { cpuMillis: 2000, memoryGbs: 8 };
  const before = {
    ...size,
    environment: 'PROD',
    vpcRef: { name: 'prod' },
    highAvailability: { replicaCount: 2 },
  };

  test.each<[sentence: string, manifest: Manifest, words: readonly string[]]>([
    [
      'an annotation that the operator does not know',
      service('new', size, { 'managed-db.io/external-ID': 'x' }),
      ['does not know the annotation managed-db.io/external-ID'],
    ],
    [
      'a service without a size',
      service('new', { cpuMillis: undefined, memoryGbs: undefined }),
      ['spec has no size'],
    ],
    [
      'a service with half a size',
      service('new', { cpuMillis: 4000, memoryGbs: undefined }),
      ['the cloud chooses the other'],
    ],
    [
      'another name of the connection Secret',
      service('warned', { ...before, connectionSecret: { name: 'other' } }),
      ['deletes Secret "warned-db"'],
    ],
    [
      'nothing if the connection Secret gets a name that it has already',
      service('warned', { ...before, connectionSecret: { name: 'warned-db' } }),
      [],
    ],
    [
      'an adoption that changes the resource',
      service('new', size, { 'managed-db.io/external-id': 'k2m9q1zx4w' }),
      ['after the adoption, the operator changes the resource'],
    ],
    [
      'nothing if an adopted resource is only observed',
      service(
        'new',
        { ...size, managementPolicy: 'Observe' },
        { 'managed-db.io/external-id': 'k2m9q1zx4w' },
      ),
      [],
    ],
    ['nothing in a whole manifest', service('new', size, { 'example.com/team': 'data' }), []],
    ['nothing where nothing changes', service('warned', before), []],
    [
      'less memory',
      service('warned', { ...before, memoryGbs: 4 }),
      ['can interrupt connections', 'less memory: 4 GB and not 8 GB'],
    ],
    [
      'nothing if the size leaves the manifest, since the cloud keeps the size',
      service('warned', { ...before, cpuMillis: undefined, memoryGbs: undefined }),
      [],
    ],
    ['another VPC', service('warned', { ...before, vpcRef: undefined }), ['another VPC']],
    ['a stop', service('warned', { ...before, powerState: 'Stopped' }), ['cannot connect']],
    [
      'an environment without protection',
      service('warned', { ...before, environment: 'DEV' }),
      ['no longer PROD'],
    ],
    [
      'a PROD database that loses its protection by default',
      service('warned', { ...before, deletionProtection: false }),
      ['deletionProtection ends'],
    ],
    [
      'nothing if the environment leaves the manifest, since the cloud keeps PROD',
      service('warned', { ...before, environment: undefined }),
      [],
    ],
    [
      'replicas that stay',
      service('warned', { ...before, highAvailability: undefined }),
      ['To remove them, set replicaCount: 0'],
    ],
    [
      'synchronous replicas without replicas',
      service('warned', { ...before, highAvailability: { syncReplicaCount: 1 } }),
      ['set replicaCount, too'],
    ],
    [
      'nothing if deletionPolicy still retains a database without protection',
      service('warned', { ...before, deletionPolicy: 'Retain', deletionProtection: false }),
      [],
    ],
  ])('%s', async (_, manifest, words) => {
    await stored(before);
    const warnings = await until('the warnings', async () => {
      const seen = await warn(manifest);
      return seen.length === words.length ? seen : undefined;
    });
    expect(warnings).toEqual(words.map((part): unknown => expect.stringContaining(part)));
    for (const warning of warnings) expect(warning.length).toBeLessThanOrEqual(250);
  });

  const dev = { ...before, environment: 'DEV' };
  test.each<readonly [string, object, object, words: readonly string[], approval: string | null]>([
    [
      'a deletion that deletes',
      { ...dev, deletionPolicy: 'Retain' },
      dev,
      ['no longer Retain'],
      null,
    ],
    [
      'a deletion that deletes after Observe',
      { ...dev, managementPolicy: 'Observe' },
      dev,
      ['no longer Observe'],
      null,
    ],
    [
      'nothing if the environment PROD still protects a database that was retained',
      { ...before, deletionPolicy: 'Retain' },
      before,
      [],
      null,
    ],
    [
      'nothing if the Namespace still protects a database that was retained',
      { ...dev, deletionPolicy: 'Retain' },
      dev,
      [],
      'Required',
    ],
    ['nothing if the Namespace protects a database that was PROD', before, dev, [], 'Required'],
    [
      'the end of a protection that is in the spec',
      { ...dev, deletionProtection: true },
      { ...dev, deletionProtection: false },
      ['deletionProtection ends'],
      null,
    ],
  ])('%s', async (_, from, to, words, approval) => {
    await stored(from);
    await requireApproval(approval);
    try {
      const warnings = await until('the warnings', async () => {
        const seen = await warn(service('warned', to));
        return seen.length === words.length ? seen : undefined;
      });
      expect(warnings).toEqual(words.map((part): unknown => expect.stringContaining(part)));
    } finally {
      await requireApproval(null);
    }
  });
});

/** Stores the service `warned` with this spec; the cloud shows that it is PROD. */
async function stored(spec: object) {
  const warned = service('warned', spec);
  await run(
    ['apply', '--server-side', '--field-manager=test', '--namespace', namespace, '-f', '-'],
    JSON.stringify(warned),
  );
  await report(warned, {
    id: 'k2m9q1zx4w',
    service: { metadata: { environment: 'PROD' } },
  });
}
