import { expect, test } from 'vitest';
import { connectionLabel } from '../../../src/resources/annotations.ts';
import {
  connectionAnnotations,
  secretsWithData,
} from '../../../src/resources/connection-secret.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { commitsOf } from '../../support/cloud-calls.ts';
import { secretWebhook } from '../../support/connection-writes.ts';
import { holdSecret } from '../../support/hold-secret.ts';
import { letPass } from '../../support/let-pass.ts';
import { replicaSet, secret, service } from '../../support/manifests.ts';
import { agreed, cloudPassword, secretPassword } from '../../support/passwords-of.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { untilSecret } from '../../support/until-secret.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World } from '../../support/world.ts';

/** The connection Secret is a projection: the operator computes it again from ledger, cloud and spec. (docs/safety.md, The connection Secret) */

const passwordSets = (world: World) => commitsOf(world, 'updateServicePassword');
const read = (world: World, name = 'orders-db') =>
  world.kubernetes.get(secretsWithData, resourceKey(world.namespace, name));
const patch = (world: World, change: object, name = 'orders-db') =>
  world.kubectl(['patch', 'secret', name, '--type=merge', '-p', JSON.stringify(change)]);
const remove = (world: World, name = 'orders-db') =>
  world.kubectl(['delete', 'secret', name, '--timeout=15s']);
const conflict = (world: World) => world.untilReason('service', 'orders', 'SecretConflict');

/** Acts while the operator runs, or while it is down. */
const moments = ['while the operator runs', 'while the operator is down'] as const;
async function at(
  moment: (typeof moments)[number],
  world: World,
  act: () => Promise<unknown>,
): Promise<void> {
  if (moment === 'while the operator runs') await act();
  else await whileStopped(world, act);
}

test.concurrent.each(moments)(
  'a connection Secret that is deleted %s is created again with the same password',
  async (moment) => {
    await using world = await startWorld();
    const id = await readyService(world, { password: { rotation: 'x' } });
    const before = await read(world);
    await at(moment, world, () => remove(world));
    const after = await until('another Secret', () => read(world));
    expect(after.metadata.uid).not.toBe(before?.metadata.uid);
    expect([after.data, after.metadata.annotations]).toEqual([
      before?.data,
      before?.metadata.annotations,
    ]);
    expect([after.data['password'], passwordSets(world)]).toEqual([cloudPassword(world, id), 0]);
  },
);

test.concurrent.each(moments)(
  'a connection Secret whose password and host are edited %s is restored, and an event names spec.password',
  async (moment) => {
    await using world = await startWorld();
    const id = await readyService(world);
    const { data } = (await read(world)) ?? {};
    await at(moment, world, () =>
      patch(world, { stringData: { password: 'by-hand', host: 'elsewhere', theirs: 'x' } }),
    );
    await untilSecret(world, 'orders-db', { ...data, theirs: 'x' });
    expect(await world.untilEvent('orders', 'SecretConflict')).toContain(
      'to set a password, use spec.password',
    );
    await world.untilReady('service', 'orders');
    expect([await secretPassword(world), passwordSets(world)]).toEqual([
      cloudPassword(world, id),
      0,
    ]);
  },
);

test.concurrent('a connection Secret whose password is removed gets the same password again', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await patch(world, { data: { password: null, uri: null } });
  await untilSecret(world, 'orders-db', { password: cloudPassword(world, id) ?? '' });
  expect([(await read(world))?.data['uri'] === undefined, passwordSets(world)]).toEqual([false, 0]);
});

const allAnnotations = { annotations: null };
const ownLabel = { labels: { [connectionLabel]: null } };
test.concurrent.each([
  ['the label', ownLabel],
  ['the label and all annotations', { ...allAnnotations, ...ownLabel }],
])('The operator restores %s of a connection Secret within seconds', async (_, metadata) => {
  await using world = await startWorld();
  await readyService(world);
  const before = await read(world);
  world.clock.runAt(1);
  const removedAt = world.clock.now();
  await patch(world, { metadata });
  const after = await until('the metadata', async () => {
    const now = await read(world);
    return now?.metadata.labels?.[connectionLabel] &&
      now.metadata.annotations?.[connectionAnnotations.inputs]
      ? now
      : undefined;
  });
  expect(world.clock.now() - removedAt).toBeLessThan(15_000);
  expect([
    after.metadata.uid,
    after.metadata.labels,
    after.metadata.annotations,
    after.data,
  ]).toEqual([
    before?.metadata.uid,
    before?.metadata.labels,
    before?.metadata.annotations,
    before?.data,
  ]);
  world.clock.runAt(60);
  await world.untilReady('service', 'orders');
  expect(passwordSets(world)).toBe(0);
});

test.concurrent.each(moments)(
  'a connection Secret that gets another name %s keeps its password, and the Secret of the old name is deleted',
  async (moment) => {
    await using world = await startWorld();
    const id = await readyService(world);
    await at(moment, world, () =>
      world.apply(service('orders', { connectionSecret: { name: 'elsewhere' } })),
    );
    await untilSecret(world, 'elsewhere', { password: cloudPassword(world, id) ?? '' });
    await until('the old Secret to be gone', async () => (await read(world)) === undefined);
    await world.untilReady('service', 'orders');
    expect([(await world.service('orders'))?.status?.binding?.name, passwordSets(world)]).toEqual([
      'elsewhere',
      0,
    ]);
  },
);

test.concurrent('a connection Secret stays under its old name while the new name belongs to a foreign Secret', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.apply(
    secret('taken', { theirs: 'x' }),
    service('orders', { connectionSecret: { name: 'taken' } }),
  );
  expect(await conflict(world)).toContain('"taken"');
  expect([await world.secret('taken'), await secretPassword(world)]).toEqual([
    { theirs: 'x' },
    cloudPassword(world, id),
  ]);
});

test.concurrent('a service is created although a foreign Secret has the name of its connection Secret, and only a rotation waits', async () => {
  await using world = await startWorld();
  await world.apply(secret('orders-db', { theirs: 'x' }), service('orders'));
  expect(await conflict(world)).toContain('"orders-db"');
  const { status } = (await world.service('orders')) ?? {};
  expect([world.project.everCreated.length, status?.binding]).toEqual([1, undefined]);
  await world.apply(service('orders', { environment: 'PROD', password: { rotation: 'now' } }));
  await until('the change', () => commitsOf(world, 'setServiceEnvironment') === 1);
  await world.sync('service', 'orders');
  expect([await world.secret('orders-db'), passwordSets(world)]).toEqual([{ theirs: 'x' }, 0]);
  await remove(world);
  await world.untilReady('service', 'orders');
  await agreed(world, status?.id ?? '');
  expect(passwordSets(world)).toBe(1);
});

test.concurrent('a foreign Secret that replaces the connection Secret while the operator is down is left alone, and another name ends the conflict', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await whileStopped(world, async () => {
    await remove(world);
    await world.apply(secret('orders-db', { theirs: 'x' }));
  });
  await conflict(world);
  await world.sync('service', 'orders');
  expect([
    await world.secret('orders-db'),
    (await world.service('orders'))?.status?.binding,
  ]).toEqual([{ theirs: 'x' }, undefined]);
  await world.applyUntilReady(service('orders', { connectionSecret: { name: 'elsewhere' } }));
  expect([await secretPassword(world, 'elsewhere'), passwordSets(world)]).toEqual([
    cloudPassword(world, id),
    0,
  ]);
  await world.remove('service', 'orders');
  expect([await world.secret('orders-db'), await world.secret('elsewhere')]).toEqual([
    { theirs: 'x' },
    undefined,
  ]);
});

const untilPassword = (world: World, name: string, id: string) =>
  until(
    `the password of ${id} in ${name}`,
    async () => (await secretPassword(world, name)) === cloudPassword(world, id),
  );

test.concurrent('two services swap the names of their connection Secrets within seconds, and no Secret is missing meanwhile', async () => {
  await using world = await startWorld();
  const one = await readyService(world, {}, 'one');
  const two = await readyService(world, {}, 'two');
  const uids = async () => [
    (await read(world, 'one-db'))?.metadata.uid,
    (await read(world, 'two-db'))?.metadata.uid,
  ];
  const before = await uids();
  world.clock.runAt(1);
  const begunAt = world.clock.now();
  await world.apply(service('one', { connectionSecret: { name: 'two-db' } }));
  await world.apply(service('two', { connectionSecret: { name: 'one-db' } }));
  await untilPassword(world, 'two-db', one);
  await untilPassword(world, 'one-db', two);
  expect(world.clock.now() - begunAt).toBeLessThan(15_000);
  world.clock.runAt(60);
  for (const name of ['one', 'two']) await world.untilReady('service', name);
  expect([await uids(), passwordSets(world)]).toEqual([before, 0]);
  // The way back.
  await world.apply(service('one'), service('two'));
  await untilPassword(world, 'one-db', one);
  await untilPassword(world, 'two-db', two);
  for (const name of ['one', 'two']) await world.untilReady('service', name);
  expect(await uids()).toEqual(before);
  await world.remove('service', 'one');
  expect([await world.secret('one-db'), await secretPassword(world, 'two-db')]).toEqual([
    undefined,
    cloudPassword(world, two),
  ]);
});

test.concurrent('two services change the names of their connection Secrets in a chain within seconds', async () => {
  await using world = await startWorld();
  const one = await readyService(world, {}, 'one');
  const two = await readyService(world, {}, 'two');
  await world.apply(secret('third-db', { theirs: 'x' }));
  await world.apply(service('two', { connectionSecret: { name: 'third-db' } }));
  await world.untilReason('service', 'two', 'SecretConflict');
  await world.apply(service('one', { connectionSecret: { name: 'two-db' } }));
  expect(await world.untilReason('service', 'one', 'SecretConflict')).toContain('still owns');
  world.clock.runAt(1);
  const begunAt = world.clock.now();
  await remove(world, 'third-db');
  await untilPassword(world, 'third-db', two);
  await untilPassword(world, 'two-db', one);
  expect(world.clock.now() - begunAt).toBeLessThan(15_000);
  world.clock.runAt(60);
  for (const name of ['one', 'two']) await world.untilReady('service', name);
  expect(passwordSets(world)).toBe(0);
});

test.concurrent('a service and its replica set swap the names of their connection Secrets', async () => {
  await using world = await startWorld();
  await readyService(world);
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  const [first, second] = [
    await world.secret('orders-db'),
    await world.secret('reads-replicas-db'),
  ];
  await world.apply(
    service('orders', { connectionSecret: { name: 'reads-replicas-db' } }),
    replicaSet('reads', 'orders', { connectionSecret: { name: 'orders-db' } }),
  );
  await untilSecret(world, 'reads-replicas-db', first ?? {});
  await untilSecret(world, 'orders-db', second ?? {});
  await world.untilReady('service', 'orders');
  await world.untilReady('replicaSet', 'reads');
  expect(passwordSets(world)).toBe(0);
});

test.concurrent('a connection Secret that loses its label and annotations while a deletion waits is deleted with its service', async () => {
  await using world = await startWorld();
  await readyService(world);
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  await world.delete('service', 'orders');
  await world.untilReason('service', 'orders', 'DeletionBlocked');
  await patch(world, { metadata: { ...allAnnotations, ...ownLabel } });
  await world.delete('replicaSet', 'reads');
  await world.untilGone('service', 'orders');
  expect(await world.secret('orders-db')).toBeUndefined();
});

test.concurrent('a service keeps the Secret that another service asks for too, and the other service moves to another name', async () => {
  await using world = await startWorld();
  const shared = { connectionSecret: { name: 'shared-db' } };
  const first = await readyService(world, shared, 'first');
  await world.apply(service('second', shared));
  expect(await world.untilReason('service', 'second', 'SecretConflict')).toContain(
    'ManagedService/first',
  );
  const second = await readyService(world, { connectionSecret: { name: 'own-db' } }, 'second');
  expect([
    await secretPassword(world, 'shared-db'),
    await secretPassword(world, 'own-db'),
    passwordSets(world),
  ]).toEqual([cloudPassword(world, first), cloudPassword(world, second), 0]);
});

test.concurrent('an immutable connection Secret holds up a rotation, which continues after a user deletes the Secret', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const before = cloudPassword(world, id);
  await patch(world, { immutable: true });
  await world.apply(service('orders', { password: { rotation: 'now' } }));
  expect(await conflict(world)).toContain('field is immutable');
  expect([passwordSets(world), cloudPassword(world, id), await secretPassword(world)]).toEqual([
    0,
    before,
    before,
  ]);
  await remove(world);
  await world.untilReady('service', 'orders');
  await agreed(world, id, before);
  expect(passwordSets(world)).toBe(1);
});

test.concurrent('a connection Secret that returns with another type gets its content again', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const { metadata } = (await read(world)) ?? {};
  await whileStopped(world, async () => {
    await remove(world);
    const { labels, annotations } = metadata ?? {};
    const opaque = {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      metadata: { name: 'orders-db', labels, annotations },
    };
    expect(await world.kubectl(['create', '-f', '-'], JSON.stringify(opaque))).toMatchObject({
      code: 0,
    });
  });
  await until(
    'the password',
    async () => (await secretPassword(world)) === cloudPassword(world, id),
  );
  expect(passwordSets(world)).toBe(0);
});

/** No controller computes quotas in the tests' cluster, so the status is written as well. */
async function quota(world: World, most: number): Promise<void> {
  const hard = { 'count/secrets': String(most) };
  const manifest = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'secrets' },
    spec: { hard },
  };
  expect(await world.kubectl(['apply', '-f', '-'], JSON.stringify(manifest))).toMatchObject({
    code: 0,
  });
  const status = JSON.stringify({ status: { hard, used: { 'count/secrets': '0' } } });
  const patched = await world.kubectl([
    'patch',
    'resourcequota',
    'secrets',
    '--subresource=status',
    '--type=merge',
    '-p',
    status,
  ]);
  expect(patched).toMatchObject({ code: 0 });
}

test.concurrent('a service is created although a quota of Secrets is used up, reports SecretConflict, and is Ready once the quota allows its Secret', async () => {
  await using world = await startWorld();
  await quota(world, 0);
  await until('the quota to refuse a Secret', async () => {
    const probe = await world.kubectl(['create', 'secret', 'generic', 'probe', '--dry-run=server']);
    return probe.stderr.includes('exceeded quota');
  });
  await world.apply(service('orders'));
  expect(await conflict(world)).toContain('quota');
  expect([world.project.everCreated.length, await world.secret('orders-db')]).toEqual([
    1,
    undefined,
  ]);
  await quota(world, 10);
  await world.untilReady('service', 'orders');
  const { id = '' } = (await world.service('orders'))?.status ?? {};
  expect([
    await secretPassword(world),
    world.project.everCreated.length,
    passwordSets(world),
  ]).toEqual([cloudPassword(world, id), 1, 0]);
});

test.concurrent('a terminating connection Secret is reported with its foreign finalizer, holds up a rotation only, and is created again with the same password', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const before = cloudPassword(world, id);
  await holdSecret(world, 'orders-db');
  await world.kubectl(['delete', 'secret', 'orders-db', '--wait=false']);
  await world.apply(service('orders', { environment: 'PROD', password: { rotation: 'now' } }));
  expect(await conflict(world)).toContain('example.com/backup');
  await until('the change', () => commitsOf(world, 'setServiceEnvironment') === 1);
  await letPass(world, 10_000);
  expect([passwordSets(world), cloudPassword(world, id)]).toEqual([0, before]);
  await patch(world, { metadata: { finalizers: null } });
  await world.untilReady('service', 'orders');
  await agreed(world, id, before);
  expect(passwordSets(world)).toBe(1);
});

test.concurrent('a copy of a connection Secret under another name is left alone, and may be deleted', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const { metadata, data } = (await read(world)) ?? {};
  const { labels, annotations } = metadata ?? {};
  for (const name of ['copy', 'second-copy'])
    await world.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, labels, annotations },
      stringData: { ...data, host: 'edited' },
    });
  await world.sync('service', 'orders');
  await world.applyUntilReady(service('orders', { password: { rotation: 'now' } }));
  await agreed(world, id, data?.['password']);
  expect(await world.secret('copy')).toEqual({ ...data, host: 'edited' });
  expect(await remove(world, 'second-copy')).toMatchObject({ code: 0 });
  await world.remove('service', 'orders');
  expect([await world.secret('orders-db'), await world.secret('copy')]).toEqual([
    undefined,
    { ...data, host: 'edited' },
  ]);
});

test.concurrent('a service cannot get the name of a copy of its own connection Secret', async () => {
  await using world = await startWorld();
  await readyService(world);
  const { metadata } = (await read(world)) ?? {};
  const { labels, annotations } = metadata ?? {};
  await world.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'copy', labels, annotations },
    stringData: { theirs: 'x' },
  });
  await world.apply(service('orders', { connectionSecret: { name: 'copy' } }));
  expect(await conflict(world)).toContain('"copy"');
  expect(await world.secret('copy')).toEqual({ theirs: 'x' });
});

test.concurrent('the keys of the pooler leave the connection Secret when the pooler is disabled', async () => {
  await using world = await startWorld();
  await readyService(world, { connectionPooler: { enabled: true } });
  await until(
    'the keys of the pooler',
    async () => (await world.secret('orders-db'))?.['pooler-uri'],
  );
  await world.applyUntilReady(service('orders', { connectionPooler: { enabled: false } }));
  const keys = async () => Object.keys((await world.secret('orders-db')) ?? {});
  await until(
    'the keys of the pooler to be gone',
    async () => !(await keys()).some((key) => key.startsWith('pooler-')),
    keys,
  );
  expect(passwordSets(world)).toBe(0);
});

test.concurrent('an object is deleted with its service although its connection Secret was deleted before', async () => {
  await using world = await startWorld();
  await readyService(world);
  await whileStopped(world, async () => {
    await remove(world);
    await world.delete('service', 'orders');
  });
  await world.untilGone('service', 'orders');
  expect([commitsOf(world, 'deleteService'), await world.secret('orders-db')]).toEqual([
    1,
    undefined,
  ]);
});

test.concurrent('a foreign Secret that takes the place of the connection Secret while its DELETE is in flight stays', async () => {
  await using world = await startWorld({ start: false });
  let isTaken = false;
  await world.startedOperator({
    intercept: (dispatch) => (options, handler) => {
      if (isTaken || options.method !== 'DELETE' || !options.path.includes('/secrets/orders-db'))
        return dispatch(options, handler);
      isTaken = true;
      void remove(world)
        .then(() => world.apply(secret('orders-db', { theirs: 'x' })))
        .then(() => dispatch(options, handler));
      return true;
    },
  });
  await readyService(world);
  await world.remove('service', 'orders');
  expect([isTaken, await world.secret('orders-db')]).toEqual([true, { theirs: 'x' }]);
});

test.concurrent('a retained service keeps its connection Secret and its ledger entry', async () => {
  await using world = await startWorld();
  const id = await readyService(world, { deletionPolicy: 'Retain' });
  const { uid = '' } = (await world.service('orders'))?.metadata ?? {};
  const before = await read(world);
  await world.remove('service', 'orders');
  expect(await read(world)).toEqual(before);
  const entry = await world.entry({ uid });
  expect([entry?.content?.id, entry?.data['password']]).toEqual([id, cloudPassword(world, id)]);
});

test.concurrent.each([
  ['of the same name', 'orders'],
  ['of another name', 'again'],
])(
  'a retained connection Secret returns to its database when an object %s adopts it through external-id',
  async (_, name) => {
    await using world = await startWorld(sharedProject);
    const id = await readyService(world, { deletionPolicy: 'Retain' });
    await world.remove('service', 'orders');
    const before = await read(world);
    await world.applyUntilReady(
      service(
        name,
        { connectionSecret: { name: 'orders-db' } },
        { 'managed-db.io/external-id': id },
      ),
    );
    const after = await read(world);
    expect([after?.metadata.uid, after?.data, passwordSets(world)]).toEqual([
      before?.metadata.uid,
      before?.data,
      0,
    ]);
    expect(after?.metadata.annotations?.[connectionAnnotations.ownerUid]).toBe(
      (await world.service(name))?.metadata.uid,
    );
    await world.remove('service', name);
    expect([await read(world), commitsOf(world, 'deleteService')]).toEqual([undefined, 1]);
  },
);

test.concurrent('the connection Secret of a retained service is not overwritten by a new service of the same name', async () => {
  await using world = await startWorld();
  const kept = await readyService(world, { deletionPolicy: 'Retain' });
  await world.remove('service', 'orders');
  const anyway = { 'managed-db.io/create-anyway': kept };
  await world.apply(service('orders', {}, anyway));
  expect(await conflict(world)).toContain('has the password of an earlier database');
  expect(await secretPassword(world)).toBe(cloudPassword(world, kept));
  await world.applyUntilReady(service('orders', { connectionSecret: { name: 'new-db' } }, anyway));
  const id = (await world.service('orders'))?.status?.id ?? '';
  expect([await secretPassword(world), await secretPassword(world, 'new-db')]).toEqual([
    cloudPassword(world, kept),
    cloudPassword(world, id),
  ]);
  await world.remove('service', 'orders');
  expect([await secretPassword(world), await world.secret('new-db')]).toEqual([
    cloudPassword(world, kept),
    undefined,
  ]);
});

test.concurrent('a connection Secret that is deleted while the cloud refuses a change is created again', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'resizeService',
    status: 422,
    body: { message: 'too big' },
  });
  await world.apply(service('orders', { cpuMillis: 64_000 }));
  await world.untilReason('service', 'orders', 'Rejected');
  await remove(world);
  await untilSecret(world, 'orders-db', { password: cloudPassword(world, id) ?? '' });
  expect(passwordSets(world)).toBe(0);
});

test.concurrent('a service whose pooler the cloud refuses publishes its address', async () => {
  await using world = await startWorld();
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'enableServicePooler',
    status: 422,
    body: { message: 'not in your plan' },
  });
  await world.apply(service('orders', { connectionPooler: { enabled: true } }));
  await world.untilReason('service', 'orders', 'Rejected');
  const host = await until('the address', async () => (await world.secret('orders-db'))?.['host']);
  expect(host).toBe((await world.service('orders'))?.status?.service?.endpoint?.host);
});

test.concurrent('an observed object writes no Secret, and meets a foreign Secret of that name only when it is managed', async () => {
  await using world = await startWorld(sharedProject);
  await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' });
  const id = world.project.everCreated[0]?.id ?? '';
  await world.apply(secret('orders-db', { theirs: 'x' }));
  await world.apply({
    ...service('orders', {}, { 'managed-db.io/external-id': id }),
    spec: { managementPolicy: 'Observe' },
  });
  await world.untilReason('service', 'orders', 'Observed');
  await world.patch('service', 'orders', { spec: { managementPolicy: 'Manage' } });
  await conflict(world);
  await world.patch('service', 'orders', { spec: { connectionSecret: { name: 'own' } } });
  await world.untilReady('service', 'orders');
  expect([await world.secret('orders-db'), (await world.secret('own'))?.['type']]).toEqual([
    { theirs: 'x' },
    'postgresql',
  ]);
});

test.concurrent.each([403, 422])(
  'a connection Secret that a webhook refuses with %i is reported, and stored when the refusal ends',
  async (code) => {
    const { world, webhook, writes } = await secretWebhook();
    await using _ = world;
    webhook.code = code;
    webhook.refuses = () => true;
    await world.apply(service('orders', { name: 'orders' }));
    expect(await conflict(world)).toContain('not this one');
    const before = writes.length;
    await letPass(world, 30_000);
    expect(writes.length - before).toBeLessThan(3);
    expect([world.project.everCreated.length, passwordSets(world)]).toEqual([1, 0]);
    webhook.refuses = () => false;
    await world.untilReady('service', 'orders');
    const { id = '' } = (await world.service('orders'))?.status ?? {};
    expect([
      await secretPassword(world),
      world.project.everCreated.length,
      passwordSets(world),
    ]).toEqual([cloudPassword(world, id), 1, 0]);
  },
);

test.concurrent('a connection Secret of a name that a policy refuses gets another name', async () => {
  const { world, webhook } = await secretWebhook();
  await using _ = world;
  webhook.refuses = ({ path, body }) => path.endsWith('-db') || /"name":"[^"]*-db"/u.test(body);
  await world.apply(service('orders'), replicaSet('reads', 'orders'));
  await conflict(world);
  const id = await readyService(world, { connectionSecret: { name: 'orders-credentials' } });
  await world.untilReason('replicaSet', 'reads', 'SecretConflict');
  await world.applyUntilReady(
    replicaSet('reads', 'orders', { connectionSecret: { name: 'reads-credentials' } }),
  );
  for (const name of ['orders-credentials', 'reads-credentials'])
    await untilSecret(world, name, { password: cloudPassword(world, id) ?? '' });
  expect(passwordSets(world)).toBe(0);
});

test.concurrent('a service whose default Secret name is too long reports it, and another name ends the conflict', async () => {
  await using world = await startWorld();
  const name = `o${'x'.repeat(251)}`;
  await world.apply(service(name));
  expect(await world.untilReason('service', name, 'SecretConflict')).toContain(
    'choose another name',
  );
  await world.applyUntilReady(service(name, { connectionSecret: { name: 'short-db' } }));
  const { id = '' } = (await world.service(name))?.status ?? {};
  expect([await secretPassword(world, 'short-db'), passwordSets(world)]).toEqual([
    cloudPassword(world, id),
    0,
  ]);
});

test.concurrent('a rotation that waited for a Secret in the way is made as soon as that Secret is gone', async () => {
  await using world = await startWorld({ speed: 5 });
  const id = await readyService(world);
  await world.kubectl(['create', 'secret', 'generic', 'taken', '--from-literal=theirs=x']);
  await world.apply(
    service('orders', { connectionSecret: { name: 'taken' }, password: { rotation: 'one' } }),
  );
  await conflict(world);
  await world.kubectl(['delete', 'secret', 'taken']);
  const goneAt = world.clock.now();
  await world.untilReady('service', 'orders');
  expect(world.clock.now() - goneAt).toBeLessThan(30_000);
  expect([await secretPassword(world, 'taken'), passwordSets(world)]).toEqual([
    cloudPassword(world, id),
    1,
  ]);
});
