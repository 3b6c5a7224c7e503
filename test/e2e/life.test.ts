import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { resourceTypes } from '../../src/resources/managed-object.ts';
import { ringLabel, shardLabel } from '../../src/resources/shard-labels.ts';
import type { Kind } from '../../src/simulator/store.ts';
import { replicaSet, service, vpc } from '../support/manifests.ts';
import { play } from '../support/play.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { chartBefore } from './chart-before.ts';
import { chartOf } from './chart-of.ts';
import { granted, used, type Right } from './rights.ts';
import type { RunningPod } from './running-pod.ts';
import { gapsIn, holderOf } from './tenures.ts';
import { eventually, found, startCluster, type E2eCluster } from './cluster.ts';
import { isWeekly } from '../support/weekly.ts';

/** The life of an installation, in order: each story begins where the story before it ended. */

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const samples = path('deploy/samples/all.yaml');
const system = 'managed-db-system';
const release = 'managed-db-operator';
const kinds = Object.values(resourceTypes)
  .map(({ plural }) => plural)
  .join(',');

let cluster: E2eCluster;
const values = (more: object = {}) => ({
  config: {
    cloudUrl: cluster.cloudUrl,
    operatorCredentialsNamespaces: ['*'],
    rateLimit: 1_000,
    rateBurst: 1_000,
    ...more,
  },
});
const lease = `/apis/coordination.k8s.io/v1/namespaces/${system}/leases/${release}`;
const inLoad = '/apis/managed-db.io/v1alpha1/namespaces/load/managedservices';
const loaded = Array.from({ length: 20 }, (_, index) => `db-${index}`);
const send = (method: 'POST' | 'PATCH', url: string, body: object) =>
  cluster.server.send(method, url, {
    body,
    contentType: method === 'POST' ? 'application/json' : 'application/merge-patch+json',
  });
/** The rights that the roles granted while the operator watched all namespaces. */
let allRights: ReadonlySet<Right>;
const definition = () =>
  cluster.kubectl(['get', 'crd', 'managedservices.managed-db.io', '-o', 'json']);
const edit = (object: string, change: object) =>
  cluster.kubectl(['patch', '-n', 'shop', object, '--type=merge', '-p', JSON.stringify(change)]);
const field = (object: string, jsonPath: string) =>
  cluster.kubectl(['get', '-n', 'shop', object, '-o', `jsonpath={${jsonPath}}`]);
const resizeOrders = async (cpuMillis: number) => {
  await edit('managedservice/orders', { spec: { cpuMillis, memoryGbs: cpuMillis / 250 } });
  await eventually('the resize', async () =>
    (await field('managedservice/orders', '.status.size')).startsWith(`${cpuMillis}m/`),
  );
};
const inCloud = (kind: Kind) =>
  cluster.project.everCreated.filter((each) => each.kind === kind && each.deletedAt === undefined)
    .length;
const untilReady = (namespace: string) =>
  cluster.kubectl([
    'wait',
    '-n',
    namespace,
    kinds,
    '--all',
    '--for=condition=Synced',
    '--timeout=120s',
  ]);

/** Helm returns when the new Pods are ready. The leader may be the last old Pod to end. */
async function upgradeTo(more: object): Promise<void> {
  const old = cluster.kubelet.pods();
  await cluster.helmChart(['upgrade', release], system, values(more));
  await eventually('the old Pods to end', () =>
    Promise.resolve(!cluster.kubelet.pods().some((pod) => old.includes(pod))),
  );
}

/** The Pod that holds the Lease. All Pods have the name of this machine, so the Pods' logs identify the holder. */
function leaderPod(): Promise<RunningPod> {
  return found('a Pod to hold the Lease', async () => {
    const holder = await holderOf(lease, cluster.server);
    const isIts = (line: string) =>
      line.includes(`"identity":"${holder}"`) && line.includes('"msg":"the lease is held"');
    return cluster.kubelet.pods().find((pod) => pod.output().split('\n').some(isIts));
  });
}

const listed = z.object({
  items: z.array(
    z.object({
      kind: z.string(),
      metadata: z.object({ name: z.string(), resourceVersion: z.string() }),
    }),
  ),
});
/** Every object of ours with its version: equal lists prove that no client wrote an object. */
async function versions(namespace: string): Promise<readonly string[]> {
  const { items } = listed.parse(
    JSON.parse(await cluster.kubectl(['get', '-n', namespace, kinds, '-o', 'json'])),
  );
  return items
    .map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`)
    .toSorted();
}

beforeAll(async () => {
  cluster = await startCluster();
}, 120_000);
afterAll(async () => {
  const { crashes } = cluster.kubelet;
  await cluster[Symbol.asyncDispose]();
  if (crashes.length > 0) throw new Error(crashes.join('\n'));
});

describe('an installation', { timeout: 180_000 }, () => {
  test('is made with helm install, and all samples become Ready', async () => {
    await cluster.kubectl(['create', 'namespace', system]);
    await cluster.kubectl([
      'label',
      'namespace',
      system,
      'pod-security.kubernetes.io/enforce=restricted',
    ]);
    await cluster.kubectl([
      'create',
      'secret',
      'generic',
      `${release}-key`,
      '-n',
      system,
      `--from-literal=apiKey=${cluster.project.apiKey}`,
    ]);
    const notes = await cluster.helmChart(['install', release], system, values());
    await cluster.kubectl([
      'rollout',
      'status',
      '-n',
      system,
      `deployment/${release}`,
      '--timeout=10s',
    ]);
    const [, nextStep = ''] = /The next step is a database:\n\n(.*)/su.exec(notes) ?? [];
    expect(await play(cluster.plane.handle, nextStep)).toMatch(
      /managedservice\S*\/orders condition met[^]*servicebinding\.io\/postgresql/u,
    );
    await cluster.kubectl(['delete', '-n', 'default', 'managedservice/orders', '--timeout=120s']);
    await cluster.kubectl(['create', 'namespace', 'shop']);
    await cluster.kubectl(['apply', '--server-side', '-n', 'shop', '-f', samples]);
    await untilReady('shop');
    expect(
      await cluster.kubectl([
        'get',
        'secret',
        '-n',
        'shop',
        'orders-db',
        '-o',
        'jsonpath={.data.uri}',
      ]),
    ).not.toBe('');
    expect(inCloud('service')).toBe(2);
    const ofOperator = ['-l', `app.kubernetes.io/instance=${release}`, '-o', 'json'];
    allRights = granted(await cluster.kubectl(['get', 'roles,clusterroles', '-A', ...ofOperator]));
  });

  test('is left alone by manifests that are applied again and again', async () => {
    const before = { versions: await versions('shop'), mutations: cluster.mutations() };
    for (let round = 0; round < 5; round++)
      await cluster.kubectl(['apply', '--server-side', '-n', 'shop', '-f', samples]);
    expect(await versions('shop')).toEqual(before.versions);
    expect(cluster.mutations()).toEqual(before.mutations);
  });

  test('does what edits say, the second time as the first', async () => {
    for (const [cpuMillis, memoryGbs] of [
      [2000, 8],
      [1000, 4],
      [2000, 8],
    ]) {
      await edit('managedservice/orders', { spec: { cpuMillis, memoryGbs } });
      await untilReady('shop');
      expect(await field('managedservice/orders', '.status.size')).toBe(
        `${cpuMillis}m/${memoryGbs}GB`,
      );
    }
    expect(cluster.project.commits.get('resizeService')).toBe(3);
    await edit('managedservice/orders', { spec: { connectionSecret: { name: 'orders-main' } } });
    await eventually(
      'the Secret to have moved',
      async () => (await field('managedservice/orders', '.status.binding.name')) === 'orders-main',
    );
    await cluster.kubectl([
      'wait',
      '-n',
      'shop',
      'secret/orders-db',
      '--for=delete',
      '--timeout=60s',
    ]);
    expect(await field('secret/orders-main', '.data.uri')).not.toBe('');
  });

  test.each([
    ['createVpc', vpc('slow')],
    ['createService', service('slow')],
    ['createReplicaSet', replicaSet('slow', 'orders')],
  ] as const)(
    'an edit while the cloud carries out %s is not lost, and nothing is made twice',
    async (operation, manifest) => {
      const before = cluster.project.calls.get(operation) ?? 0;
      cluster.project.faults.add({ kind: 'delayReply', operation, delayMs: 2_000, times: 1 });
      await cluster.kubectl(['apply', '-n', 'shop', '-f', '-'], JSON.stringify(manifest));
      await eventually('the request', () =>
        Promise.resolve((cluster.project.calls.get(operation) ?? 0) > before),
      );
      await edit(`${manifest.kind === 'ReplicaSet' ? 'readreplicasets' : manifest.kind}/slow`, {
        metadata: { labels: { team: 'data' } },
      });
      await untilReady('shop');
      expect(cluster.project.calls.get(operation)).toBe(before + 1);
    },
  );

  test('is heard by Helm: a chart with a database in it is installed when that is Ready, and uninstalled when it is gone', async () => {
    await using folder = await temporaryFolder();
    const before = inCloud('service');
    const wait = ['--wait', '--timeout', '120s'];
    await cluster.helm(
      ['install', 'app', await chartOf(folder.path, 'app', [service('of-app')]), ...wait],
      'shop',
    );
    expect(
      await field('managedservice/of-app', '.status.conditions[?(@.type=="Ready")].status'),
    ).toBe('True');
    await cluster.helm(['uninstall', 'app', ...wait], 'shop');
    expect(inCloud('service')).toBe(before);
  });

  test('is upgraded under load: nothing is asked of the cloud twice, and nothing is left out', async () => {
    await cluster.kubectl(['create', 'namespace', 'load']);
    for (const name of loaded) await send('POST', inLoad, service(name));
    await untilReady('load');
    const before = new Map(cluster.project.calls);
    const change = {
      environment: 'PROD',
      deletionProtection: false,
      cpuMillis: 2000,
      memoryGbs: 8,
    };
    const done = new AbortController();
    const upgraded = async () => {
      for (const config of [{ logLevel: 'debug' }, { workers: 4 }]) {
        const holder = await holderOf(lease, cluster.server);
        await upgradeTo(config);
        // Helm does not wait for the end of the old Pods, and an old Pod may still hold the Lease.
        await until(
          'another holder',
          async () => !['', holder].includes(await holderOf(lease, cluster.server)),
        );
      }
      done.abort();
    };
    const edited = async () => {
      let created = 0;
      for (; !done.signal.aborted || created < loaded.length; created++) {
        await send('POST', inLoad, service(`more-${created}`));
        const name = loaded[created];
        if (name !== undefined) await send('PATCH', `${inLoad}/${name}`, { spec: change });
        await pause(400);
      }
      return created;
    };
    const [created, , gaps] = await Promise.all([
      edited(),
      upgraded(),
      gapsIn(lease, cluster.server, done.signal),
    ]);
    expect(gaps.length).toBeGreaterThanOrEqual(2);
    expect(gaps.every((gap) => gap < 15_000)).toBe(true);
    await untilReady('load');
    const asked = (operation: string) =>
      (cluster.project.calls.get(operation) ?? 0) - (before.get(operation) ?? 0);
    const changes = [
      'createService',
      'setServiceEnvironment',
      'resizeService',
      'deleteService',
      'updateServicePassword',
    ];
    // As many as an installation that is left in peace would ask: two that act at once would see the same edit.
    expect(changes.map((operation) => [operation, asked(operation)])).toEqual([
      ['createService', created],
      ['setServiceEnvironment', loaded.length],
      ['resizeService', loaded.length],
      ['deleteService', 0],
      ['updateServicePassword', 0],
    ]);
    expect(inCloud('service')).toBe(3 + loaded.length + created);
  });

  test('is rolled back without a word to the cloud', async () => {
    const before = cluster.mutations();
    await cluster.helm(['rollback', release, '--wait', '--timeout', '120s'], system);
    const args = await cluster.kubectl([
      'get',
      '-n',
      system,
      `deployment/${release}`,
      '-o',
      'jsonpath={.spec.template.spec.containers[0].args}',
    ]);
    expect(args).toContain('--log-level=debug');
    await untilReady('shop');
    expect(cluster.mutations()).toEqual(before);
  });

  // safety/frozen-process.test.ts has a leader that hangs, and attack/failover.test.ts with processes.
  test.runIf(isWeekly)(
    'is upgraded while its leader hangs: what that one had in hand is asked of the cloud once',
    async () => {
      // So slow that some edits are decided, and wait for their turn.
      await upgradeTo({ rateLimit: 2, rateBurst: 2 });
      const leader = await leaderPod();
      const resizes = (of: 'calls' | 'commits') => cluster.project[of].get('resizeService') ?? 0;
      const before = resizes('calls');
      const { asked, carriedOut } = cluster.mutations();
      for (const name of loaded)
        await send('PATCH', `${inLoad}/${name}`, { spec: { cpuMillis: 1000, memoryGbs: 4 } });
      await eventually('the first edits to be under way', () =>
        Promise.resolve(resizes('calls') > before + 2),
      );
      const signal = (name: NodeJS.Signals) => leader.processes.map((child) => child.kill(name));
      expect(signal('SIGSTOP')).toEqual([true]);
      const upgrade = cluster.helmChart(['upgrade', release], system, values());
      await eventually('another one to make the edits', () =>
        Promise.resolve(resizes('commits') >= before + loaded.length),
      );
      signal('SIGCONT');
      await upgrade;
      await eventually('it to end', () =>
        Promise.resolve(cluster.kubelet.pods().every((pod) => pod !== leader)),
      );
      await untilReady('load');
      expect(resizes('calls') - before).toBe(loaded.length);
      expect(cluster.mutations()).toEqual({
        asked: asked + loaded.length,
        carriedOut: carriedOut + loaded.length,
      });
    },
  );

  test('gives back what a namespace held when that is deleted', async () => {
    for (const manifest of [vpc('net'), replicaSet('reads', 'db-0')])
      await cluster.kubectl(['apply', '-n', 'load', '-f', '-'], JSON.stringify(manifest));
    await untilReady('load');
    await cluster.kubectl(['delete', 'namespace', 'load', '--timeout=120s']);
    expect(inCloud('service')).toBe(3);
    await untilReady('shop');
  });

  test('has used each of its rights, and asked for nothing else', async () => {
    const { rights, forbidden } = await used(
      cluster.plane.auditLogPath,
      `system:serviceaccount:${system}:${release}`,
    );
    expect(forbidden).toEqual([]);
    // The verb adopt is asked for by a policy, not by the API server.
    const askable = [...allRights].filter((each) => !each.startsWith('adopt '));
    expect([...rights].toSorted()).toEqual(askable.toSorted());
  });

  // chart/ has the strategy that ends the old Pods first, and safety/shards.test.ts the shards.
  test.runIf(isWeekly)(
    'goes over to shards by an upgrade, and back, and no process that has all objects is there beside a shard',
    async () => {
      const ring = 'databases';
      const resizes = () => cluster.project.calls.get('resizeService') ?? 0;
      const isShard = ({ pod }: RunningPod) =>
        pod.spec.containers.some(({ args }) => args.includes(`--controller-ring=${ring}`));
      const upgraded = async (more: object) => {
        const ended = new AbortController();
        const upgrade = upgradeTo(more).finally(() => ended.abort());
        for (; !ended.signal.aborted; await pause(20))
          expect(new Set(cluster.kubelet.pods().map(isShard)).size).toBeLessThan(2);
        await upgrade;
      };
      const before = resizes();
      await upgraded({ controllerRing: ring });
      const shards = cluster.kubelet.pods().map(({ pod }) => pod.metadata.name);
      expect(shards.length).toBe(2);
      const holders = [
        '-l',
        `${ringLabel}=${ring}`,
        '-o',
        'jsonpath={.items[*].spec.holderIdentity}',
      ];
      await eventually(
        'each to hold a Lease',
        async () =>
          (await cluster.kubectl(['get', 'leases', '-n', system, ...holders]))
            .split(' ')
            .toSorted()
            .join() === shards.toSorted().join(),
      );
      for (const [index, shard] of shards.entries()) {
        await cluster.kubectl([
          'label',
          '-n',
          'shop',
          kinds,
          '--all',
          '--overwrite',
          `${shardLabel(ring)}=${shard}`,
        ]);
        await resizeOrders(index === 0 ? 4000 : 3000);
      }
      await upgraded({});
      await resizeOrders(2000);
      expect(resizes()).toBe(before + 3);
    },
  );

  test('leaves definitions, objects, databases and the ledger when it is uninstalled', async () => {
    const before = { mutations: cluster.mutations(), services: inCloud('service') };
    await cluster.helm(['uninstall', release, '--wait', '--timeout', '120s'], system);
    await eventually('the Pods to end', () => Promise.resolve(cluster.kubelet.pods().length === 0));
    expect((await versions('shop')).length).toBe(7);
    expect({ mutations: cluster.mutations(), services: inCloud('service') }).toEqual(before);
    expect(
      await cluster.kubectl([
        'get',
        'namespace',
        'managed-db-ledger',
        '-o',
        'jsonpath={.status.phase}',
      ]),
    ).toBe('Active');
    await expect(
      cluster.kubectl(['delete', 'crd', 'managedservices.managed-db.io', '--wait=false']),
    ).rejects.toThrow('allow-crd-deletion');
  });

  test('is made again, by the version before, and goes on as if nothing had happened', async () => {
    const before = { mutations: cluster.mutations(), versions: await versions('shop') };
    await using folder = await temporaryFolder();
    await cluster.helmChart(['install', release], system, values(), await chartBefore(folder.path));
    expect(await definition()).not.toContain('x-kubernetes-validations');
    await untilReady('shop');
    expect({ mutations: cluster.mutations(), versions: await versions('shop') }).toEqual(before);
  });

  test('is upgraded from the version before: the definitions say more, and no object is touched', async () => {
    const before = { mutations: cluster.mutations(), versions: await versions('shop') };
    await cluster.helmChart(['upgrade', release], system, values({ namespaces: ['shop'] }));
    expect(await definition()).toContain('x-kubernetes-validations');
    await untilReady('shop');
    expect({ mutations: cluster.mutations(), versions: await versions('shop') }).toEqual(before);
  });

  test('has a second one beside it, with a cloud of its own, and neither may see what the other looks after', async () => {
    for (const name of ['second', 'blog']) await cluster.kubectl(['create', 'namespace', name]);
    const before = cluster.mutations();
    const shared = {
      crds: { install: false },
      ledger: { createNamespace: false },
      policies: { install: false },
      tenantRoles: { create: false },
    };
    const simulator = { enabled: true, latencyMs: 100 };
    await cluster.helmChart(['install', release], 'second', {
      ...shared,
      simulator,
      config: { namespaces: ['blog'] },
    });
    await cluster.kubectl(['apply', '-n', 'blog', '-f', samples]);
    await untilReady('blog');
    expect(cluster.mutations()).toEqual(before);
    const may = (installation: string, namespace: string) =>
      cluster
        .kubectl([
          'auth',
          'can-i',
          'get',
          'secrets',
          '-n',
          namespace,
          `--as=system:serviceaccount:${installation}:${release}`,
        ])
        .then((answer) => answer.trim())
        .catch(() => 'no');
    expect([await may(system, 'shop'), await may(system, 'blog')]).toEqual(['yes', 'no']);
    expect([await may('second', 'shop'), await may('second', 'blog')]).toEqual(['no', 'yes']);
  });

  test('keeps the rights that it has in a namespace until nothing there needs them', async () => {
    const remove = () => cluster.kubectl(['delete', 'namespace', 'blog', '--timeout=120s']);
    await expect(remove()).rejects.toThrow(`kubectl delete ${kinds} --all -n blog`);
    await cluster.kubectl(['delete', '-n', 'blog', kinds, '--all', '--timeout=120s']);
    await remove();
    await cluster.kubectl(['create', 'namespace', 'elsewhere']);
    await cluster.kubectl(['apply', '-n', 'elsewhere', '-f', path('deploy/samples/vpc.yaml')]);
    await cluster.kubectl(['delete', 'namespace', 'elsewhere', '--timeout=120s']);
  });

  test('is gone with its own namespace, and no database with it', async () => {
    const before = { mutations: cluster.mutations(), versions: await versions('shop') };
    await cluster.kubectl(['delete', 'namespace', system, '--timeout=120s']);
    await eventually('its Pods to end', () =>
      Promise.resolve(cluster.kubelet.pods().every(({ pod }) => pod.metadata.namespace !== system)),
    );
    expect({ mutations: cluster.mutations(), versions: await versions('shop') }).toEqual(before);
  });
});
