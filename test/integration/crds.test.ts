import { isKubernetesBefore } from '../support/older-kubernetes.ts';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { kinds, resourceTypes, type Kind } from '../../src/resources/managed-object.ts';
import { kubectl } from '../control-plane/kubectl.ts';
import { until } from '../support/until.ts';
import { apiServer, type Answer } from './crds/api-server.ts';
import { createCases, updateCases } from './crds/cases.ts';
import { tableOf } from './crds/table.ts';
import { good } from './reconcile/refused-fields.ts';

// The same question to both groups: the kinds that are generated from the schemas, and the reference beside them.
const ours = 'managed-db.io';
const reference = 'reference.managed-db.io';
const groups = [ours, reference] as const;

const controlPlane = inject('controlPlane');
const server = apiServer(controlPlane);
const namespace = `t-${randomBytes(4).toString('hex')}`;
const path = (group: string, kind: Kind) =>
  `/apis/${group}/v1alpha1/namespaces/${namespace}/${resourceTypes[kind].plural}`;
const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const crd = z.looseObject({
  metadata: z.object({ name: z.string() }),
  spec: z.looseObject({ names: z.looseObject({}) }),
});

beforeAll(async () => {
  await server.send('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
  const text = await readFile(new URL('crds/reference.yaml', import.meta.url), 'utf8');
  for (const document of parseAllDocuments(text)) {
    const definition = crd.parse(document.toJS());
    // Without short names and categories: other tests say `msvc` at the same time and mean ours.
    const names = { ...definition.spec.names, shortNames: [], categories: [] };
    const made = await server.send('POST', crdPath, {
      body: { ...definition, spec: { ...definition.spec, names } },
    });
    if (!made.isAccepted) throw new Error(made.message);
  }
  for (const kind of kinds)
    await until(
      `${reference} to be served`,
      async () =>
        (await server.send('GET', path(reference, kind)).catch(() => undefined))?.isAccepted,
    );
});

afterAll(async () => {
  for (const kind of kinds)
    await server.send('DELETE', `${crdPath}/${resourceTypes[kind].plural}.${reference}`);
});

function manifest(group: string, kind: Kind, name: string, spec: unknown) {
  return {
    apiVersion: `${group}/v1alpha1`,
    kind,
    metadata: { name },
    ...(spec === undefined ? {} : { spec }),
  };
}

/** The answer of the API server, in words that are the same for both groups. */
function verdict({ code, message, body }: Answer) {
  // Several complaints come in no particular order.
  const causes = body.details?.causes
    ?.map(({ field = '', message: text = '' }) => `${field}: ${text}`)
    .toSorted();
  const said = causes === undefined ? message : causes;
  return {
    code,
    said: neutral(said),
    spec: code < 300 ? body.spec : undefined,
    status: code < 300 ? body.status : undefined,
  };
}

function neutral(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(reference, ours));
}

async function both(
  ask: (group: (typeof groups)[number]) => Promise<Answer>,
): Promise<[Answer, Answer]> {
  return Promise.all([ask(ours), ask(reference)]);
}

describe('the generated kinds accept and refuse the same manifests as the reference, with the same messages:', () => {
  const strictly = '?dryRun=All&fieldValidation=Strict';

  test.each(createCases)('a $kind $sentence', async ({ kind, spec, refused }) => {
    const [mine, theirs] = await both((group) =>
      server.send('POST', path(group, kind) + strictly, { body: manifest(group, kind, 'x', spec) }),
    );
    expect(verdict(mine)).toEqual(verdict(theirs));
    expect(mine.message).toMatch(
      refused === undefined ? /^$/u : new RegExp(RegExp.escape(refused), 'u'),
    );
  });

  test.each(updateCases.map((each, index) => ({ ...each, name: `u-${index}` })))(
    'a $kind that gets $sentence ($name)',
    async ({ kind, name, before, after, status, refused }) => {
      const [mine, theirs] = await both(async (group) => {
        const url = `${path(group, kind)}/${name}`;
        const made = await server.send('POST', path(group, kind), {
          body: manifest(group, kind, name, before),
        });
        expect(made.message).toBe('');
        if (status)
          await server.send('PATCH', `${url}/status`, {
            body: { status },
            contentType: 'application/merge-patch+json',
          });
        const { body } = await server.send('GET', url);
        const changed = {
          ...manifest(group, kind, name, after),
          metadata: body.metadata,
          status: body.status,
        };
        return server.send('PUT', url + strictly, { body: changed });
      });
      expect(verdict(mine)).toEqual(verdict(theirs));
      expect(mine.message).toMatch(
        refused === undefined ? /^$/u : new RegExp(RegExp.escape(refused), 'u'),
      );
    },
  );
});

/** A status as the operator would report it, with values that are unknown to this version. */
const report = {
  observedGeneration: 1,
  id: 'k2m9q1zx4w',
  projectId: 'prj7',
  state: 'QUANTUM',
  size: 'shared',
  onDelete: 'Protected',
  vpcId: '8801',
  peeringSummary: '1/2 active',
  binding: { name: 'full-db' },
  refusal: {
    attempt: 'a',
    failures: 1,
    at: '2026-11-21T09:30:00Z',
    message: 'no',
    stalled: 'ReasonOfTomorrow',
    waiting: 'ReasonOfTomorrow',
  },
  lastOperation: { operation: 'levitate', wanted: 'up', at: 'now', why: 'a field of tomorrow' },
  conditions: [
    {
      type: 'Ready',
      status: 'False',
      reason: 'ReasonOfTomorrow',
      message: 'the cloud is at it',
      lastTransitionTime: '2026-11-21T09:30:00Z',
      observedGeneration: 1,
    },
    {
      type: 'Synced',
      status: 'False',
      reason: 'ReasonOfTomorrow',
      message: 'the cloud is at it',
      lastTransitionTime: '2026-11-21T09:30:00Z',
      observedGeneration: 1,
    },
  ],
  service: {
    regionCode: 'mars-north-1',
    status: 'QUANTUM',
    endpoint: { host: 'full.example.com', port: 5432 },
    flux: { warp: 9 },
  },
  replicaSet: {
    status: 'QUANTUM',
    endpoint: { host: 'reads.example.com', port: 5432 },
    flux: { warp: 9 },
  },
  vpc: { status: 'QUANTUM', flux: { warp: 9 } },
  fieldOfTomorrow: { deep: [1, 'two'] },
};

describe('an object without an operator, and an object with the status of a newer operator,', () => {
  beforeAll(async () => {
    for (const group of groups)
      for (const kind of kinds)
        for (const name of ['full', 'pending']) {
          const made = await server.send('POST', path(group, kind), {
            body: manifest(group, kind, name, good[kind]),
          });
          if (!made.isAccepted) throw new Error(made.message);
        }
  });

  test.each(kinds)(
    'unknown values and fields pass and stay in the status of a %s',
    async (kind) => {
      const [mine, theirs] = await both((group) =>
        server.send('PATCH', `${path(group, kind)}/full/status?fieldValidation=Strict`, {
          body: { status: report },
          contentType: 'application/merge-patch+json',
        }),
      );
      expect(verdict(mine)).toEqual(verdict(theirs));
      expect(mine.body.status).toEqual(report);
    },
  );

  test.each([
    [
      'ManagedVpc',
      'NAME READY SYNCED REASON CIDR REGION PEERINGS AGE ID ON-DELETE MESSAGE',
      { CIDR: '10.0.0.0/16', REGION: 'eu-central-1', PEERINGS: '1/2 active' },
      { CIDR: '10.0.0.0/16', REGION: 'eu-central-1', PEERINGS: '' },
    ],
    [
      'ManagedService',
      'NAME READY SYNCED REASON STATE SIZE REGION AGE ID ENDPOINT VPC HA SECRET CHANGE-WINDOWS ON-DELETE MESSAGE',
      {
        STATE: 'QUANTUM',
        SIZE: 'shared',
        REGION: 'mars-north-1',
        ENDPOINT: 'full.example.com',
        VPC: '8801',
        HA: '',
        SECRET: 'full-db',
      },
      { STATE: '', SIZE: '', REGION: '', ENDPOINT: '', VPC: '', HA: '', SECRET: '' },
    ],
    [
      'ReplicaSet',
      'NAME READY SYNCED REASON STATE SERVICE NODES SIZE AGE ID ENDPOINT SECRET CHANGE-WINDOWS ON-DELETE MESSAGE',
      {
        STATE: 'QUANTUM',
        SERVICE: 'orders',
        NODES: '2',
        SIZE: 'shared',
        ENDPOINT: 'reads.example.com',
        SECRET: 'full-db',
      },
      { STATE: '', SERVICE: 'orders', NODES: '2', SIZE: '', ENDPOINT: '', SECRET: '' },
    ],
  ] as const)(
    'kubectl get prints a %s like the reference',
    async (kind, columns, full, pending) => {
      const rows = async (group: string, ...wide: readonly string[]) => {
        const args = [
          'get',
          `${resourceTypes[kind].plural}.v1alpha1.${group}`,
          'full',
          'pending',
          '--namespace',
          namespace,
          ...wide,
        ];
        const { stdout, stderr } = await kubectl(controlPlane, args);
        expect(stderr).toBe('');
        return {
          header: stdout.split('\n', 1)[0]?.split(/\s+/u).join(' '),
          objects: tableOf(stdout).map((row) => ({
            ...row,
            AGE: /^\d/u.test(row['AGE'] ?? '') ? 'age' : '',
          })),
        };
      };
      const [narrow, wide, theirNarrow, theirWide] = await Promise.all([
        rows(ours),
        rows(ours, '--output=wide'),
        rows(reference),
        rows(reference, '--output=wide'),
      ]);
      const unseen = { ID: '', 'ON-DELETE': '', MESSAGE: 'waiting for the operator to look at it' };
      expect(wide.header).toBe(columns);
      expect(wide.objects).toEqual([
        {
          NAME: 'full',
          READY: 'False',
          SYNCED: 'False',
          REASON: 'ReasonOfTomorrow',
          ID: 'k2m9q1zx4w',
          ...(columns.includes('CHANGE-WINDOWS') && { 'CHANGE-WINDOWS': '' }),
          'ON-DELETE': 'Protected',
          MESSAGE: 'the cloud is at it',
          AGE: 'age',
          ...full,
        },
        {
          NAME: 'pending',
          READY: 'Unknown',
          SYNCED: 'Unknown',
          REASON: 'Pending',
          ...unseen,
          ...(columns.includes('CHANGE-WINDOWS') && { 'CHANGE-WINDOWS': '' }),
          AGE: 'age',
          ...pending,
        },
      ]);
      expect(narrow.header).toBe(columns.slice(0, columns.indexOf(' ID ')));
      expect([narrow.header, wide.header]).toEqual([theirNarrow.header, theirWide.header]);
      expect(theirWide.objects).toEqual(wide.objects);
    },
  );
});

// Kubernetes 1.31 refuses these writes: the README says so.
test.skipIf(isKubernetesBefore(33))(
  'an object that breaks a new rule still accepts status writes and the removal of its finalizer',
  async () => {
    const group = 'upgrade.managed-db.io';
    const text = (
      await readFile(new URL('../../crds/managedservices.yaml', import.meta.url), 'utf8')
    ).replaceAll(/\bmanaged-db\.io\b/gu, group);
    const definition = crd.parse(parse(text));
    const today = {
      ...definition,
      metadata: { name: `managedservices.${group}` },
      spec: {
        ...definition.spec,
        names: { ...definition.spec.names, shortNames: [], categories: [] },
      },
    };
    const newer: ReadonlySet<string> = new Set([
      'x-kubernetes-validations',
      'pattern',
      'maximum',
      'format',
    ]);
    const yesterday: unknown = JSON.parse(
      JSON.stringify(today, (key, value: unknown) => (newer.has(key) ? undefined : value)),
    );
    const definitionPath = `${crdPath}/managedservices.${group}`;
    expect((await server.send('POST', crdPath, { body: yesterday })).message).toBe('');
    const services = path(group, 'ManagedService');
    await until(
      'yesterday to be served',
      async () => (await server.send('GET', services).catch(() => undefined))?.isAccepted,
    );
    const self = { serviceRef: { name: 'self' }, strategy: 'NOW' };
    const body = manifest(group, 'ManagedService', 'self', {
      fork: self,
      highAvailability: { replicaCount: 0, syncReplicaCount: 1 },
      cpuMillis: 2 ** 53,
      vpcRef: { name: '..' },
    });
    const made = await server.send('POST', services, {
      body: {
        ...body,
        metadata: { ...body.metadata, finalizers: ['managed-db.io/cloud-resource'] },
      },
    });
    expect(made.message).toBe('');
    const patch = (at: string, change: object) =>
      server.send('PATCH', at, { body: change, contentType: 'application/merge-patch+json' });
    expect((await patch(definitionPath, { spec: today.spec })).message).toBe('');
    const again = manifest(group, 'ManagedService', 'other', {
      highAvailability: { replicaCount: 0, syncReplicaCount: 1 },
    });
    await until(
      'today to be in force',
      async () =>
        !(await server.send('POST', `${services}?dryRun=All`, { body: again })).isAccepted,
    );
    expect((await patch(`${services}/self/status`, { status: { state: 'READY' } })).message).toBe(
      '',
    );
    // The API server validates changed fields, and accepts unchanged older values.
    expect((await patch(`${services}/self`, { spec: { environment: 'DEV' } })).message).toBe('');
    expect((await patch(`${services}/self`, { spec: { cpuMillis: 2 ** 52 } })).message).toContain(
      'up to 2147483647',
    );
    expect((await patch(`${services}/self`, { spec: { cpuMillis: 1000 } })).message).toBe('');
    expect((await server.send('DELETE', `${services}/self`)).message).toBe('');
    expect((await patch(`${services}/self`, { metadata: { finalizers: null } })).message).toBe('');
    expect((await server.send('GET', `${services}/self`)).code).toBe(404);
    await server.send('DELETE', definitionPath);
  },
);

test('server-side apply of a manifest without its last field removes that field, and leaves only defaults', async () => {
  for (const spec of [{ powerState: 'Running' }, undefined]) {
    const input = JSON.stringify(manifest(ours, 'ManagedService', 'shrinking', spec));
    const applied = await kubectl(
      controlPlane,
      ['apply', '--server-side', '-n', namespace, '-f', '-'],
      { input },
    );
    // The policies of another test file may warn that it has no size.
    expect(applied).toMatchObject({ code: 0 });
  }
  expect((await server.send('GET', `${path(ours, 'ManagedService')}/shrinking`)).body.spec).toEqual(
    {},
  );
});

test.each([
  ['managedservice.spec', ['The wanted service', 'fork', 'cpuMillis']],
  [
    'managedservice.spec.fork',
    ['Makes the service as a copy of another', 'strategy', '-required-'],
  ],
  ['msvc.spec.connectionSecret.labels', ['Labels to put on the Secret']],
  ['managedvpc.spec.peerings.peerVpcId', ["The other VPC's id at its own provider"]],
  ['mvpc.spec.cidr', ['Address range, without host bits']],
  ['readreplicaset.spec.nodes', ['Number of nodes. Fixed at creation.']],
  ['rrset.spec.serviceRef', ['ManagedService in this namespace whose data the replicas show']],
])('kubectl explain %s prints the manual', async (field, words) => {
  const { stdout, stderr } = await kubectl(controlPlane, ['explain', field]);
  expect(stderr).toBe('');
  const text = stdout.replaceAll(/\s+/gu, ' ');
  for (const word of [`GROUP: ${ours}`, ...words]) expect(text).toContain(word);
});

test('kubectl get managed-db lists all kinds', async () => {
  const { stdout, stderr } = await kubectl(controlPlane, [
    'api-resources',
    '--categories=managed-db',
    '--no-headers',
    '--output=name',
  ]);
  expect(stderr).toBe('');
  expect(stdout.trim().split('\n').toSorted()).toEqual(
    Object.values(resourceTypes)
      .map(({ plural }) => `${plural}.${ours}`)
      .toSorted(),
  );
});
