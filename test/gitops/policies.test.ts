import { expect, inject, test } from 'vitest';
import { secret, service } from '../support/manifests.ts';
import { until } from '../support/until.ts';
import { ledgerNamespace, startWorld, type World } from '../support/world.ts';
import { enforce, type PlatformPolicy } from './policies.ts';

/** Admission policies of a platform team, against each write of the operator. The API server itself evaluates them. */

const ours = { apiGroups: ['managed-db.io'] };
const secrets = { apiGroups: [''], resources: ['secrets'] };
const everything = [
  { apiGroups: [''], resources: ['secrets', 'configmaps'] },
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'] },
  { ...ours, resources: ['*'] },
];
const probe = secret('probe', {});
const team = {
  expression: "has(object.metadata.labels) && 'team' in object.metadata.labels",
  message: 'the label team is missing',
};
const labels = { team: 'shop' };
const restless = { endsRestless: 'the policy refused writes, and the operator tries them again' };

const within = (world: World, policy: PlatformPolicy) =>
  enforce(inject('controlPlane'), [world.namespace], policy);
const inLedger = (world: World, policy: PlatformPolicy) =>
  enforce(inject('controlPlane'), [ledgerNamespace, world.namespace], policy);

const isRefused = (world: World) => world.log.some((line) => line.includes('denied request'));
const untilRefused = (world: World) =>
  until(
    'a write to be refused',
    () => isRefused(world),
    () => world.log.slice(-15),
  );

const refused = { expression: 'false', message: 'no writes today' };
/** Writes of a ServiceAccount, such as the operator, and each new ConfigMap, by which a test sees the policy in force. */
const refusedToOperator = {
  expression:
    "request.resource.resource != 'configmaps' && !request.userInfo.username.startsWith('system:serviceaccount:')",
  message: 'no writes today',
};
const configMaps = { apiGroups: [''], resources: ['configmaps'] };
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'probe' } };

type Change = 'creation' | 'rotation' | 'deletion';
/** Each kind of write of the operator, and the changes that need it. */
const writes: readonly (readonly [string, PlatformPolicy['rules'][number], readonly Change[]])[] = [
  ['the connection Secret', secrets, ['creation', 'rotation']],
  ['the entry of the ledger', secrets, ['creation', 'rotation', 'deletion']],
  [
    'the finalizer and the annotations',
    { ...ours, resources: ['managedservices'], operations: ['UPDATE'] },
    ['creation', 'deletion'],
  ],
  [
    'the status',
    { ...ours, resources: ['managedservices/status'], operations: ['UPDATE'] },
    ['creation', 'rotation', 'deletion'],
  ],
];

const rotation = { spec: { password: { rotation: 'first' } } };

test.each(writes)(
  'a policy that refuses %s delays a creation, a rotation and a deletion, and each is done once afterwards',
  async (write, rule, needing) => {
    await using world = await startWorld(restless);
    const enforceIn = write === 'the entry of the ledger' ? inLedger : within;
    const during = async (change: Change, request: () => Promise<void>) => {
      world.log.length = 0;
      await using _ = await enforceIn(world, {
        rules: [rule, configMaps],
        check: refusedToOperator,
        probe: configMap,
      });
      await request();
      if (needing.includes(change)) await untilRefused(world);
    };
    await during('creation', () => world.apply(service('orders')));
    await world.untilReady('service', 'orders');
    await during('rotation', () => world.patch('service', 'orders', rotation));
    await world.untilReady('service', 'orders');
    const { id = '' } = (await world.service('orders'))?.status ?? {};
    expect((await world.secret('orders-db'))?.['password']).toBe(
      world.project.stores.service.get(id)?.password,
    );
    await during('deletion', () => world.delete('service', 'orders'));
    await world.untilGone('service', 'orders');
    expect(world.project.commits.get('createService')).toBe(1);
    expect(world.project.commits.get('deleteService')).toBe(1);
    expect(world.project.everCreated.every(({ deletedAt }) => deletedAt !== undefined)).toBe(true);
  },
);

test('a policy that refuses events changes nothing for the databases', async () => {
  await using world = await startWorld();
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'probe' },
    involvedObject: { namespace: world.namespace },
  };
  await using _ = await within(world, {
    rules: [{ apiGroups: ['', 'events.k8s.io'], resources: ['events'] }],
    check: refused,
    probe: event,
  });
  await world.applyUntilReady(service('orders'));
  await world.remove('service', 'orders');
  expect(Object.fromEntries(world.project.commits)).toEqual({ createService: 1, deleteService: 1 });
});

test('a policy that requires a label on Secrets is quoted in its own words, and connectionSecret.labels satisfies it', async () => {
  await using world = await startWorld();
  await using _ = await within(world, { rules: [secrets], check: team, probe });
  await world.apply(service('orders'));
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain(team.message);
  await world.patch('service', 'orders', { spec: { connectionSecret: { labels } } });
  await world.untilReady('service', 'orders');
  expect(world.project.commits.get('createService')).toBe(1);
});

test('objects with the label that a policy requires everywhere are resized and deleted', async () => {
  await using world = await startWorld();
  await using _ = await within(world, { rules: everything, check: team, probe });
  const orders = service('orders', { connectionSecret: { labels } });
  const labelled = { ...orders, metadata: { ...orders.metadata, labels } };
  await world.applyUntilReady(labelled);
  await world.patch('service', 'orders', { spec: { cpuMillis: 2000, memoryGbs: 8 } });
  await world.untilReady('service', 'orders');
  expect((await world.service('orders'))?.status?.size).toBe('2000m/8GB');
  await world.remove('service', 'orders');
});

test('a policy that adds a label and an annotation to each object disturbs nothing, in the ledger too', async () => {
  await using world = await startWorld();
  const added =
    "Object{metadata: Object.metadata{labels: Object.metadata.labels{cost_center: 'shop'}, annotations: Object.metadata.annotations{platform_seen: 'yes'}}}";
  await using _ = await inLedger(world, {
    rules: everything,
    change: { patchType: 'ApplyConfiguration', applyConfiguration: { expression: added } },
    probe,
  });
  await world.applyUntilReady(service('orders'));
  const labelled = ['get', 'managedservices,secrets', '-l', 'cost_center', '-o', 'name'];
  expect((await world.kubectl(labelled)).stdout).toContain('managedservice.managed-db.io/orders');
  const { uid } = (await world.service('orders'))?.metadata ?? {};
  const inLedgerToo = await world.kubectl([...labelled, '-n', ledgerNamespace]);
  expect(inLedgerToo.stdout).toContain(`secret/managedservice-${uid}`);
  await world.patch('service', 'orders', rotation);
  await world.untilReady('service', 'orders');
  await world.remove('service', 'orders');
});

test('a policy that replaces all labels of Secrets is reported, and the Secret heals afterwards', async () => {
  await using world = await startWorld(restless);
  const replaced = "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'team': 'platform'}}]";
  {
    await using _ = await within(world, {
      rules: [secrets],
      change: { patchType: 'JSONPatch', jsonPatch: { expression: replaced } },
      probe,
    });
    await world.apply(service('orders'));
    expect(await world.untilReason('service', 'orders', 'NotConverging')).toContain(
      'Secret "orders-db" is missing or lost its label',
    );
  }
  await world.untilReady('service', 'orders');
  expect(world.project.commits.get('createService')).toBe(1);
});

test('a policy that gives a database its size is the first writer, and the operator creates that size once', async () => {
  await using world = await startWorld();
  const size = 'Object{spec: Object.spec{cpuMillis: 500, memoryGbs: 2}}';
  const bare = { ...service('orders'), spec: {} };
  await using _ = await within(world, {
    rules: [{ ...ours, resources: ['managedservices'] }],
    condition: '!has(object.spec.cpuMillis) && !has(object.spec.memoryGbs)',
    change: { patchType: 'ApplyConfiguration', applyConfiguration: { expression: size } },
    probe: { ...service('probe'), spec: {} },
  });
  await world.applyUntilReady(bare);
  expect((await world.service('orders'))?.status?.size).toBe('500m/2GB');
  expect([...world.project.commits]).toEqual([['createService', 1]]);
});
