import { connectionLabel } from '../../../src/resources/annotations.ts';
import {
  connectionAnnotations,
  connectionSecretType,
} from '../../../src/resources/connection-secret.ts';
import { resourceHash } from '../../../src/reconcile/ledger/entry.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import type { KubectlResult } from '../../control-plane/kubectl.ts';
import { fork, replicaSet, service, vpc } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { ledgerNamespace, startWorld, type World } from '../../support/world.ts';

/**
 * Two tenants of the same operator, each with the role edit in its own namespace: Ann uses the operator's
 * key, Bob his own key.
 */
interface Tenant {
  readonly world: World;
  readonly user: string;
  kubectl(args: readonly string[], manifest?: object): Promise<KubectlResult>;
}

let ann: Tenant;
let bob: Tenant;
let annsService = '';
let bobsService = '';

async function tenant(world: World, name: string): Promise<Tenant> {
  const user = `${name}-${world.namespace}`;
  await made(
    world.kubectl(['create', 'rolebinding', user, '--clusterrole=edit', `--user=${user}`]),
  );
  return {
    world,
    user,
    kubectl: (args, manifest) =>
      world.kubectl(
        [`--as=${user}`, ...args],
        manifest === undefined ? undefined : JSON.stringify(manifest),
      ),
  };
}

const apply = (who: Tenant, manifest: object) => who.kubectl(['apply', '-f', '-'], manifest);
async function made(attempt: Promise<KubectlResult>): Promise<void> {
  const { code, stderr } = await attempt;
  if (code !== 0) throw new Error(stderr);
}

/** Runs kubectl as a tenant in the namespace of the other tenant. */
const elsewhere = (who: Tenant, other: Tenant, args: readonly string[], manifest?: object) =>
  who.kubectl([`--namespace=${other.world.namespace}`, ...args], manifest);
const own = { credentialsRef: { name: 'cloud' } };

beforeAll(async () => {
  ann = await tenant(await startWorld(), 'ann');
  bob = await tenant(await startWorld({ settings: { operatorCredentialsNamespaces: [] } }), 'bob');
  await until(
    'the role edit to have our verbs',
    async () => (await ann.kubectl(['auth', 'can-i', 'create', 'managedservices'])).code === 0,
  );
  const key = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'cloud' },
    stringData: { apiKey: bob.world.project.apiKey },
  };
  for (const manifest of [
    vpc('net', { name: 'net' }),
    service('db', { vpcRef: { name: 'net' } }),
    replicaSet('reads', 'db'),
  ])
    await made(apply(ann, manifest));
  for (const manifest of [key, service('db', own)]) await made(apply(bob, manifest));
  await ann.world.untilReady('replicaSet', 'reads');
  await bob.world.untilReady('service', 'db');
  annsService = (await ann.world.service('db'))?.status?.id ?? '';
  bobsService = (await bob.world.service('db'))?.status?.id ?? '';
  return async () => {
    await ann.world[Symbol.asyncDispose]();
    await bob.world[Symbol.asyncDispose]();
  };
});

describe('the API server allows a tenant:', () => {
  test.each<[string, () => Promise<KubectlResult>]>([
    ['see the objects', () => ann.kubectl(['get', 'managed-db'])],
    ['read the connection Secret', () => ann.kubectl(['get', 'secret', 'db-db'])],
    [
      'change a value',
      () =>
        ann.kubectl([
          'patch',
          'managedservice',
          'db',
          '--type=merge',
          '-p',
          '{"spec":{"environment":"DEV"}}',
        ]),
    ],
    [
      'ask for a sync',
      () =>
        ann.kubectl([
          'annotate',
          'managedservice',
          'db',
          'reconcile.managed-db.io/requestedAt=now',
        ]),
    ],
    [
      'rotate the password',
      () =>
        ann.kubectl([
          'patch',
          'managedservice',
          'db',
          '--type=merge',
          '-p',
          '{"spec":{"password":{"rotation":"1"}}}',
        ]),
    ],
    ['fork', () => apply(ann, fork('drill', 'db'))],
    ['delete the fork', () => ann.kubectl(['delete', 'managedservice', 'drill', '--timeout=30s'])],
    ['bring a key', () => bob.kubectl(['get', 'secret', 'cloud'])],
    [
      'name an id with a key of their own',
      () =>
        apply(
          bob,
          replicaSet('raw', '', { ...own, serviceRef: undefined, serviceId: bobsService }),
        ),
    ],
  ])('%s', async (_, attempt) => {
    expect(await attempt()).toMatchObject({ code: 0 });
  });

  test('a reference by id with an own key works', async () => {
    await bob.world.untilReady('replicaSet', 'raw');
    expect((await bob.world.replicaSet('raw'))?.status?.id).toBeDefined();
  });
});

describe('the API server refuses a tenant:', () => {
  const forbidden =
    /forbidden|is written by the operator alone|needs the verb adopt|set credentialsRef to a key of your own|deletes every|is protected/u;
  test.each<[string, () => Promise<KubectlResult>]>([
    ["see another tenant's objects", () => elsewhere(bob, ann, ['get', 'managedservices'])],
    ["read another tenant's Secret", () => elsewhere(bob, ann, ['get', 'secret', 'db-db'])],
    [
      "delete another tenant's service",
      () => elsewhere(bob, ann, ['delete', 'managedservice', 'db', '--wait=false']),
    ],
    [
      'create something in another namespace',
      () => elsewhere(bob, ann, ['apply', '-f', '-'], service('mine')),
    ],
    [
      'write status',
      () =>
        ann.kubectl([
          'patch',
          'managedservice',
          'db',
          '--subresource=status',
          '--type=merge',
          '-p',
          '{"status":{"id":"x"}}',
        ]),
    ],
    [
      'write a pointer',
      () =>
        ann.kubectl([
          'annotate',
          '--overwrite',
          'managedservice',
          'db',
          'managed-db.io/ledger=managedservice-x',
        ]),
    ],
    [
      'create with a pointer',
      () => apply(ann, service('forged', {}, { 'managed-db.io/ledger': 'managedservice-x' })),
    ],
    ['read the ledger', () => ann.kubectl([`--namespace=${ledgerNamespace}`, 'get', 'secrets'])],
    [
      'take over by external id',
      () => apply(ann, service('taken', {}, { 'managed-db.io/external-id': annsService })),
    ],
    [
      'take over by external id later',
      () => ann.kubectl(['annotate', 'managedservice', 'db', 'managed-db.io/external-id=x']),
    ],
    ['attach to a VPC by id', () => apply(ann, service('raw', { vpcId: '8801' }))],
    [
      'hang replicas on a service by id',
      () => apply(ann, replicaSet('raw', '', { serviceRef: undefined, serviceId: annsService })),
    ],
    [
      'fork by id',
      () =>
        apply(ann, {
          ...service('raw'),
          spec: { fork: { serviceId: annsService, strategy: 'NOW' } },
        }),
    ],
    [
      'delete a CustomResourceDefinition',
      () => ann.kubectl(['delete', 'crd', 'managedservices.managed-db.io', '--wait=false']),
    ],
    [
      'read the key of the operator',
      () => ann.kubectl(['--namespace=managed-db-system', 'get', 'secrets']),
    ],
    [
      'act as the operator',
      () =>
        ann.kubectl(['--namespace=managed-db-system', 'create', 'token', 'managed-db-operator']),
    ],
    [
      'loosen a policy',
      () =>
        ann.kubectl(['delete', 'validatingadmissionpolicy', 'managed-db-adoption', '--wait=false']),
    ],
    [
      'give away more than they have',
      () =>
        ann.kubectl([
          'create',
          'role',
          'adopter',
          '--verb=adopt',
          '--resource=managedservices.managed-db.io',
        ]),
    ],
  ])('%s', async (_, attempt) => {
    const { code, stderr } = await attempt();
    expect(stderr).toMatch(forbidden);
    expect(code).toBe(1);
  });
});

describe('the operator refuses a tenant what the API server cannot know:', () => {
  test("a namespace that may not use the operator's key", async () => {
    expect(await apply(bob, service('keyless'))).toMatchObject({ code: 0 });
    expect(await bob.world.untilReason('service', 'keyless', 'WaitingForCredentials')).toContain(
      'may not use',
    );
  });

  test('a reference to an object of another namespace finds nothing', async () => {
    expect(await apply(bob, replicaSet('theirs', 'reads-of-ann', own))).toMatchObject({ code: 0 });
    expect(await bob.world.untilReason('replicaSet', 'theirs', 'WaitingForReference')).toContain(
      `not found in namespace "${bob.world.namespace}"`,
    );
  });

  test('a key of a project does not reach an id of a second project', async () => {
    expect(
      await apply(
        bob,
        replicaSet('foreign', '', { ...own, serviceRef: undefined, serviceId: annsService }),
      ),
    ).toMatchObject({
      code: 0,
    });
    expect(await bob.world.untilReason('replicaSet', 'foreign', 'WaitingForReference')).toContain(
      annsService,
    );
    expect(ann.world.project.commits.get('createReplicaSet')).toBe(1);
  });

  test('a Secret that imitates a connection Secret gives no database of another tenant', async () => {
    const metadata = {
      name: 'thief-db',
      labels: { [connectionLabel]: 'true' },
      annotations: {
        [connectionAnnotations.owner]: 'ManagedService/thief',
        [connectionAnnotations.resource]: resourceHash(
          'ManagedService',
          ann.world.project.id,
          annsService,
        ),
        [connectionAnnotations.name]: 'thief-db',
      },
    };
    const forged = {
      apiVersion: 'v1',
      kind: 'Secret',
      type: connectionSecretType,
      metadata,
      stringData: { password: 'x' },
    };
    expect(await apply(ann, forged)).toMatchObject({ code: 0 });
    expect(await apply(ann, service('thief'))).toMatchObject({ code: 0 });
    await ann.world.untilReason('service', 'thief', 'SecretConflict');
    expect((await ann.world.service('thief'))?.status?.id).not.toBe(annsService);
    expect(await ann.kubectl(['delete', 'managedservice', 'thief', '--timeout=20s'])).toMatchObject(
      { code: 0 },
    );
    expect([
      ann.world.project.everCreated.find(({ id }) => id === annsService)?.deletedAt,
      await ann.world.secret('thief-db'),
    ]).toEqual([undefined, { password: 'x' }]);
  });
});

test('all workers create the services that waited for a start of the operator', async () => {
  await using world = await startWorld({ start: false, settings: { workers: 5 } });
  const names = ['a', 'b', 'c', 'd', 'e'];
  await world.apply(...names.map((name) => service(name)));
  world.project.faults.add({ kind: 'delay', operation: 'createService', delayMs: 20_000 });
  await world.startedOperator();
  await until('a call for each', () => world.project.calls.get('createService') === names.length);
  expect(world.project.everCreated).toHaveLength(0); // so all of them wait at the same time
});
