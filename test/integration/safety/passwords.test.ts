import { expect, test } from 'vitest';
import { force } from '../../../src/simulator/store.ts';
import { operatorThatDies, type Harm } from '../../crash/fence.ts';
import { callsOf, commitsOf } from '../../support/cloud-calls.ts';
import { secretWebhook } from '../../support/connection-writes.ts';
import { dropEntry, restoreEntry } from '../../support/ledger.ts';
import { letPass } from '../../support/let-pass.ts';
import { replicaSet, secret, service } from '../../support/manifests.ts';
import { agreed, cloudPassword, secretPassword } from '../../support/passwords-of.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { untilSecret } from '../../support/until-secret.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World } from '../../support/world.ts';

/** The ledger alone keeps a password, and the connection Secret shows the password that the cloud has. (docs/safety.md, Passwords) */

const calls = (world: World) => callsOf(world, 'updateServicePassword');
const sets = (world: World) => commitsOf(world, 'updateServicePassword');
const rotate = (world: World, rotation: string, more: object = {}) =>
  world.apply(service('orders', { ...more, password: { rotation } }));
const refusal = {
  kind: 'errorBefore',
  operation: 'updateServicePassword',
  status: 422,
  body: { message: 'not this one' },
} as const;
const outage = { kind: 'errorBefore', operation: 'updateServicePassword', status: 503 } as const;
const replyLost = { kind: 'replyLost', operation: 'updateServicePassword', times: 1 } as const;
const given = { password: { secretRef: { name: 'mine', key: 'password' } } };

/** The next password in the ledger, as soon as the ledger has it. */
const nextPassword = (world: World) =>
  until('a next password', async () => (await world.entry('orders'))?.data['nextPassword']);
/** Waits until the ledger has only the present password. */
async function untilSettled(world: World): Promise<void> {
  await until('a single password in the ledger', async () => {
    const entry = await world.entry('orders');
    return (
      entry?.content?.next === undefined &&
      entry?.content?.unclear === undefined &&
      Object.keys(entry?.data ?? {}).join() === 'password'
    );
  });
}

/** test/simulation has the deaths at every other call of a rotation. */
const deaths: readonly (readonly [when: string, call: string, harm: Harm])[] = [
  ['after the cloud has the password', 'POST services/*/updatePassword #1', 'replyLost'],
  ['before the connection Secret has the password', 'PATCH secrets/orders-db #2', 'beforeSent'],
];

test.concurrent.each(deaths)(
  'a rotation whose process dies %s is completed by the next process with the same password',
  async (_, call, harm) => {
    await using world = await startWorld();
    const id = await readyService(world);
    const before = cloudPassword(world, id);
    await world.stopOperators();
    const dying = await operatorThatDies(world, { call, harm });
    await rotate(world, 'one');
    await dying.died;
    const { nextPassword: next, password } = (await world.entry('orders'))?.data ?? {};
    await world.startedOperator();
    await agreed(world, id, before);
    await world.untilReady('service', 'orders');
    await untilSettled(world);
    // Before the first write nothing is known of a new password.
    const written = next ?? (password === before ? cloudPassword(world, id) : password);
    expect(cloudPassword(world, id)).toBe(written);
    expect((await world.entry('orders'))?.content).toMatchObject({
      passwordNumber: 2,
      passwordFrom: 'rotation one',
    });
  },
);

test.concurrent('a refusal of the first sending drops the next password, and the present password stays valid', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const before = cloudPassword(world, id);
  world.project.faults.add(refusal);
  await rotate(world, 'one');
  await world.untilReason('service', 'orders', 'Rejected');
  await untilSettled(world);
  expect([cloudPassword(world, id), await secretPassword(world)]).toEqual([before, before]);
});

test.concurrent('a password whose first sending got no answer stays in the ledger although the cloud refuses the second sending', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  world.project.faults.add(replyLost);
  world.project.faults.add({ ...refusal, times: 1 });
  await rotate(world, 'one');
  await world.untilReason('service', 'orders', 'Rejected');
  expect((await world.entry('orders'))?.data['nextPassword']).toBe(cloudPassword(world, id));
  await world.patch('service', 'orders', { spec: { password: null } });
  await world.untilReady('service', 'orders');
  expect(await secretPassword(world)).toBe(cloudPassword(world, id));
});

test.concurrent('a refused password without an answer to its first sending gives way to the corrected password of the user', async () => {
  await using world = await startWorld({ speed: 600 });
  const id = await readyService(world);
  await world.apply(secret('mine', { password: 'refused-by-the-cloud' }));
  world.project.faults.add({ kind: 'dropBefore', operation: 'updateServicePassword', times: 1 });
  world.project.faults.add(refusal);
  await world.apply(service('orders', given));
  await world.untilReason('service', 'orders', 'Rejected');
  world.project.faults.clear();
  world.project.faults.add(outage);
  await world.apply(secret('mine', { password: 'long-enough-by-now' }));
  await until(
    'the corrected password',
    async () => (await world.entry('orders'))?.data['nextPassword'] === 'long-enough-by-now',
  );
  expect((await world.entry('orders'))?.data['unclearPassword']).toBe('refused-by-the-cloud');
  world.project.faults.clear();
  await untilSecret(world, 'orders-db', { password: 'long-enough-by-now' });
  expect(cloudPassword(world, id)).toBe('long-enough-by-now');
  await untilSettled(world);
});

test.concurrent('an unclear password is sent again when the cloud refuses the password that superseded it', async () => {
  await using world = await startWorld({ speed: 600 });
  const id = await readyService(world);
  await world.apply(secret('mine', { password: 'taken-without-an-answer' }));
  world.project.faults.add(replyLost);
  world.project.faults.add(refusal);
  await world.apply(service('orders', given));
  await world.untilReason('service', 'orders', 'Rejected');
  await world.apply(secret('mine', { password: 'refused-from-the-first' }));
  const before = calls(world);
  await until('the second password to be refused', () => calls(world) > before);
  await until(
    'the first password to be next again',
    async () => (await world.entry('orders'))?.data['nextPassword'] === 'taken-without-an-answer',
  );
  expect(cloudPassword(world, id)).toBe('taken-without-an-answer');
  world.project.faults.clear();
  await world.apply(service('orders'));
  await untilSecret(world, 'orders-db', { password: cloudPassword(world, id) ?? '' });
});

test.concurrent('a next password is set although the connection Secret gets another name meanwhile', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  world.project.faults.add(replyLost);
  world.project.faults.add(outage);
  await rotate(world, 'one');
  await until('a try', () => calls(world) > 0);
  const next = await nextPassword(world);
  force(world.project, { kind: 'service', id, status: 'PAUSED' });
  await rotate(world, 'one', { connectionSecret: { name: 'elsewhere' } });
  await until('the Secret of the new name', () => world.secret('elsewhere'));
  world.project.faults.clear();
  force(world.project, { kind: 'service', id, status: 'READY' });
  await untilSecret(world, 'elsewhere', { password: next });
  await world.untilReady('service', 'orders');
  expect([cloudPassword(world, id), await world.secret('orders-db')]).toEqual([next, undefined]);
});

test.concurrent('a password of the user that is not UTF-8 is not sent, and the message names the Secret', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const before = cloudPassword(world, id);
  const latin = Buffer.from('p\u00e4ssw\u00f6rt-latin1', 'latin1').toString('base64');
  await world.apply(
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mine' }, data: { password: latin } },
    service('orders', given),
  );
  expect(await world.untilReason('service', 'orders', 'Rejected')).toBe(
    'the password of Secret "mine" is not text (UTF-8): put a password there that is text',
  );
  expect([cloudPassword(world, id), calls(world)]).toEqual([before, 0]);
  await world.apply(secret('mine', { password: 'of-the-user\n' }));
  await untilSecret(world, 'orders-db', { password: 'of-the-user' });
  expect(cloudPassword(world, id)).toBe('of-the-user');
});

test.concurrent('a service whose ledger entry is lost is NotBound until it is adopted, and then has its password back from the connection Secret', async () => {
  await using world = await startWorld();
  const id = await readyService(world, { password: { rotation: 'one' } });
  const before = cloudPassword(world, id);
  await whileStopped(world, () => dropEntry(world, 'orders'));
  expect(await world.untilReason('service', 'orders', 'NotBound')).toContain(
    `managed-db.io/external-id=${id}`,
  );
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/external-id': id } },
  });
  await until('the entry', async () => (await world.entry('orders'))?.data['password'] === before);
  await world.untilReady('service', 'orders');
  expect((await world.entry('orders'))?.content).toMatchObject({
    id,
    outcome: 'adopted',
    hasPassword: true,
  });
  expect([await secretPassword(world), calls(world)]).toEqual([before, 0]);
  await rotate(world, 'two');
  await agreed(world, id, before);
  expect(sets(world)).toBe(1);
});

test.concurrent('an adopted service whose ledger entry and connection Secret are lost keeps its password, and the message names spec.password.rotation', async () => {
  await using world = await startWorld(sharedProject);
  await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' });
  const id = world.project.everCreated[0]?.id ?? '';
  const adopting = { 'managed-db.io/external-id': id };
  await world.applyUntilReady(service('orders', {}, adopting));
  await world.apply(service('orders', { password: { rotation: 'one' } }, adopting));
  const before = await agreed(world, id);
  await world.untilReady('service', 'orders');
  await world.stopOperators();
  await dropEntry(world, 'orders');
  await world.kubectl(['delete', 'secret', 'orders-db']);
  await world.startedOperator(sharedProject);
  await until('the Secret', () => world.secret('orders-db'));
  await world.sync('service', 'orders');
  expect(await world.untilReason('service', 'orders', 'Available')).toContain(
    'set spec.password.rotation',
  );
  expect([cloudPassword(world, id), await secretPassword(world), sets(world)]).toEqual([
    before,
    undefined,
    1,
  ]);
  await world.apply(service('orders', { password: { rotation: 'two' } }, adopting));
  await agreed(world, id, before);
});

test.concurrent('a ledger that is restored from before a rotation leaves the newer password in the connection Secret, and the next rotation ends the conflict', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const old = await world.entry('orders');
  const before = cloudPassword(world, id);
  await rotate(world, 'one');
  const newer = await agreed(world, id, before);
  await world.untilReady('service', 'orders');
  await whileStopped(world, async () => {
    await restoreEntry(world, old);
    await world.patch('service', 'orders', { spec: { password: null } });
  });
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain(
    'spec.password.rotation',
  );
  expect([await secretPassword(world), cloudPassword(world, id)]).toEqual([newer, newer]);
  await rotate(world, 'two');
  await agreed(world, id, newer);
  await world.untilReady('service', 'orders');
});

test.concurrent('a ledger that is restored from before a rotation rotates again if the spec still has the rotation text', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const old = await world.entry('orders');
  const before = cloudPassword(world, id);
  await rotate(world, 'one');
  const newer = await agreed(world, id, before);
  await world.untilReady('service', 'orders');
  await whileStopped(world, () => restoreEntry(world, old));
  await agreed(world, id, newer);
  await world.untilReady('service', 'orders');
  expect(sets(world)).toBe(2);
});

test.concurrent('a replica set follows the password of its service, also while the cloud refuses a change of the replica set', async () => {
  await using world = await startWorld();
  await world.apply(service('orders'), replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  const before = await secretPassword(world);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'resizeReplicaSet',
    status: 422,
    body: { message: 'too big' },
  });
  await world.apply(replicaSet('reads', 'orders', { cpuMillis: 64_000 }));
  await world.untilReason('replicaSet', 'reads', 'Rejected');
  const id = await readyService(world, { password: { rotation: 'one' } });
  const password = await agreed(world, id, before);
  await untilSecret(world, 'reads-replicas-db', { password });
  expect(sets(world)).toBe(1);
});

test.concurrent('a replica set keeps user, database and password when the object of its service is deleted, and causes no further writes', async () => {
  await using world = await startWorld();
  await world.apply(
    service('orders', {
      deletionPolicy: 'Retain',
      connectionSecret: { username: 'app', database: 'shop' },
    }),
  );
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  const before = await world.secret('reads-replicas-db');
  await world.remove('service', 'orders');
  await world.sync('replicaSet', 'reads');
  await world.sync('replicaSet', 'reads');
  expect(await world.secret('reads-replicas-db')).toEqual(before);
});

test.concurrent('a replica set gets no password from a service whose object lives in another namespace', async () => {
  await using world = await startWorld({ start: false });
  const elsewhere = `${world.namespace}-other`;
  await world.kubectl(['create', 'namespace', elsewhere]);
  await world.startedOperator({
    settings: { ...sharedProject.settings, namespaces: [world.namespace, elsewhere] },
  });
  const id = await readyService(world);
  const manifest = replicaSet('reads', '', { serviceRef: undefined, serviceId: id });
  expect(
    await world.kubectl(['-n', elsewhere, 'apply', '-f', '-'], JSON.stringify(manifest)),
  ).toMatchObject({ code: 0 });
  const content = async () =>
    (
      await world.kubectl([
        '-n',
        elsewhere,
        'get',
        'secret',
        'reads-replicas-db',
        '-o',
        'jsonpath={.data}',
      ])
    ).stdout;
  await until(
    'the Secret of the replica set',
    async () => (await content()).includes('"host"'),
    content,
  );
  expect(await content()).not.toMatch(/"password"|"uri"/u);
  await world.kubectl(['-n', elsewhere, 'delete', 'readreplicaset', 'reads', '--timeout=20s']);
});

test.concurrent.each(['orders-db', 'reads-replicas-db'])(
  'a secretRef to the connection Secret %s is rejected, and no password is sent',
  async (name) => {
    await using world = await startWorld();
    await readyService(world, {}, 'other');
    await readyService(world);
    await world.applyUntilReady(replicaSet('reads', 'orders'));
    await world.apply(service('orders', { password: { secretRef: { name } } }));
    expect(await world.untilReason('service', 'orders', 'Rejected')).toContain(
      'is a connection Secret',
    );
    expect(calls(world)).toBe(0);
  },
);

test.concurrent('a password of the user that is too short is rejected, and a longer password is sent at once', async () => {
  await using world = await startWorld({ speed: 10, latencyMs: 500 });
  const id = await readyService(world);
  await world.apply(secret('mine', { password: 'short' }), service('orders', given));
  expect(await world.untilReason('service', 'orders', 'Rejected')).toContain(
    'a password has 8 to 1024 characters',
  );
  expect(calls(world)).toBe(0);
  await world.apply(secret('mine', { password: 'long-enough' }));
  await untilSecret(world, 'orders-db', { password: 'long-enough' });
  expect([cloudPassword(world, id), calls(world)]).toEqual(['long-enough', 1]);
});

test.concurrent('an object that adopts a retained service gets its password, and the ledger entry of the gone object is deleted', async () => {
  await using world = await startWorld(sharedProject);
  const id = await readyService(world, { deletionPolicy: 'Retain', password: { rotation: 'one' } });
  const { uid = '' } = (await world.service('orders'))?.metadata ?? {};
  const before = cloudPassword(world, id);
  await world.remove('service', 'orders');
  await world.kubectl(['delete', 'secret', 'orders-db']);
  const adopting = { 'managed-db.io/external-id': id };
  await world.applyUntilReady(service('again', { password: { rotation: 'one' } }, adopting));
  expect([await secretPassword(world, 'again-db'), (await world.entry('again'))?.data]).toEqual([
    before,
    { password: before },
  ]);
  expect([await world.entry({ uid }), calls(world)]).toEqual([undefined, 0]);
  await world.apply(service('again', { password: { rotation: 'two' } }, adopting));
  await agreed(world, id, before, 'again-db');
});

test.concurrent('a password that is in flight when its service is retained is completed when another object adopts the service', async () => {
  await using world = await startWorld(sharedProject);
  const id = await readyService(world, { deletionPolicy: 'Retain' });
  world.project.faults.add(replyLost);
  world.project.faults.add(outage);
  await rotate(world, 'one', { deletionPolicy: 'Retain' });
  await until('two tries', () => calls(world) > 1);
  const next = await nextPassword(world);
  await world.remove('service', 'orders');
  world.project.faults.clear();
  await world.applyUntilReady(service('orders', {}, { 'managed-db.io/external-id': id }));
  await untilSecret(world, 'orders-db', { password: next });
  expect(cloudPassword(world, id)).toBe(next);
});

test.concurrent('the password in flight of a retained service is not sent to a new service of the same name', async () => {
  await using world = await startWorld();
  const kept = await readyService(world, { deletionPolicy: 'Retain' });
  const { uid = '' } = (await world.service('orders'))?.metadata ?? {};
  world.project.faults.add(outage);
  await rotate(world, 'one', { deletionPolicy: 'Retain' });
  const next = await nextPassword(world);
  await world.remove('service', 'orders');
  world.project.faults.clear();
  const before = calls(world);
  await world.applyUntilReady(
    service(
      'orders',
      { connectionSecret: { name: 'new-db' } },
      { 'managed-db.io/create-anyway': kept },
    ),
  );
  const id = (await world.service('orders'))?.status?.id ?? '';
  await world.sync('service', 'orders');
  expect([(await world.entry({ uid }))?.data['nextPassword'], calls(world) - before]).toEqual([
    next,
    0,
  ]);
  expect(await secretPassword(world, 'new-db')).toBe(cloudPassword(world, id));
});

test.concurrent.each([
  ['with an answer to its create', false],
  ['without an answer to its create', true],
])(
  'a database that is recreated %s never shows the password of the lost database',
  async (_, isUnanswered) => {
    await using world = await startWorld();
    const lost = await readyService(world);
    const before = cloudPassword(world, lost);
    force(world.project, { kind: 'service', id: lost, status: undefined });
    await world.untilReason('service', 'orders', 'Lost');
    if (isUnanswered)
      world.project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
    await world.patch('service', 'orders', {
      metadata: { annotations: { 'managed-db.io/allow-recreate': lost } },
    });
    const id = await until('another database', () => world.project.everCreated[1]?.id);
    const seen = new Set<string | undefined>();
    await until('the Secret to show the new database', async () => {
      const data = await world.secret('orders-db');
      if (data?.['host']?.startsWith(id)) seen.add(data['password']);
      return data?.['password'] !== undefined && data['password'] === cloudPassword(world, id);
    });
    await world.untilReady('service', 'orders');
    expect([seen.has(before), await secretPassword(world)]).toEqual([
      false,
      cloudPassword(world, id),
    ]);
    expect((await world.entry('orders'))?.content?.id).toBe(id);
  },
);

test.concurrent('a password in flight to a lost database is not sent to the database that replaces it', async () => {
  await using world = await startWorld();
  const lost = await readyService(world);
  world.project.faults.add(outage);
  await rotate(world, 'one');
  const next = await nextPassword(world);
  force(world.project, { kind: 'service', id: lost, status: undefined });
  await world.untilReason('service', 'orders', 'Lost');
  world.project.faults.clear();
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/allow-recreate': lost } },
  });
  const id = await until('another database', () => world.project.everCreated[1]?.id);
  await world.untilReady('service', 'orders');
  await untilSettled(world);
  expect(await agreed(world, id)).not.toBe(next);
});

test.concurrent.each([403, 422])(
  'a dry run of the connection Secret that a webhook refuses with %i stops a rotation, and is reported',
  async (code) => {
    const { world, webhook, writes } = await secretWebhook();
    await using _ = world;
    const id = await readyService(world);
    const before = cloudPassword(world, id);
    webhook.code = code;
    webhook.refuses = ({ dryRun }) => dryRun;
    await rotate(world, 'one', { environment: 'PROD' });
    expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain(
      'not this one',
    );
    await until('another change', () => commitsOf(world, 'setServiceEnvironment') === 1);
    const asked = writes.length;
    await letPass(world, 30_000);
    expect([
      calls(world),
      await secretPassword(world),
      (await world.entry('orders'))?.data,
    ]).toEqual([0, before, { password: before }]);
    expect(writes.length - asked).toBeLessThan(3);
    webhook.refuses = () => false;
    await agreed(world, id, before);
  },
);

test.concurrent('a password that the cloud accepted stays in the ledger until Kubernetes accepts the connection Secret, and is sent once', async () => {
  const { world, webhook } = await secretWebhook();
  await using _ = world;
  const id = await readyService(world);
  const before = cloudPassword(world, id);
  webhook.refuses = ({ method, path, dryRun }) =>
    method !== 'DELETE' && path.endsWith('/orders-db') && !dryRun;
  await rotate(world, 'one');
  await until('the cloud to have it', () => cloudPassword(world, id) !== before);
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('not this one');
  await letPass(world, 120_000);
  expect([(await world.entry('orders'))?.data, calls(world)]).toEqual([
    { password: cloudPassword(world, id) },
    1,
  ]);
  webhook.refuses = () => false;
  await world.untilReady('service', 'orders');
  expect([await secretPassword(world), calls(world)]).toEqual([cloudPassword(world, id), 1]);
});

test.concurrent('a password that a stopped process sent and the cloud carries out late is in the connection Secret in the end', async () => {
  await using world = await startWorld({ speed: 20 });
  const id = await readyService(world);
  world.project.faults.add({
    kind: 'delay',
    operation: 'updateServicePassword',
    delayMs: 6_000,
    times: 1,
  });
  await rotate(world, 'one');
  await until('the call', () => calls(world) > 0);
  const sent = await nextPassword(world);
  await whileStopped(world, () =>
    rotate(world, 'one', { connectionSecret: { name: 'elsewhere' } }),
  );
  await untilSecret(world, 'elsewhere', { password: sent });
  await until('the first call to be carried out', () => sets(world) === 2);
  await world.untilReady('service', 'orders');
  expect([await secretPassword(world, 'elsewhere'), cloudPassword(world, id)]).toEqual([
    sent,
    sent,
  ]);
});

test.concurrent('another namespace that adopts a service with a password in flight sets its own password only when the earlier call can no longer arrive', async () => {
  await using world = await startWorld({ start: false });
  const elsewhere = `${world.namespace}-other`;
  await world.kubectl(['create', 'namespace', elsewhere]);
  await world.startedOperator({
    settings: { ...sharedProject.settings, namespaces: [world.namespace, elsewhere] },
  });
  const id = await readyService(world, { deletionPolicy: 'Retain' });
  world.project.faults.add(replyLost);
  world.project.faults.add(outage);
  await rotate(world, 'one', { deletionPolicy: 'Retain' });
  await until('two tries', () => calls(world) > 1);
  await world.remove('service', 'orders');
  await world.untilEvent('orders', 'RotatingPassword');
  world.project.faults.clear();
  const retainedAt = world.clock.now();
  const adopter = service(
    'orders',
    { ...given, deletionPolicy: 'Retain' },
    { 'managed-db.io/external-id': id },
  );
  for (const manifest of [secret('mine', { password: 'of-the-other-namespace' }), adopter])
    expect(
      await world.kubectl(['-n', elsewhere, 'apply', '-f', '-'], JSON.stringify(manifest)),
    ).toMatchObject({ code: 0 });
  await until('the password', () => cloudPassword(world, id) === 'of-the-other-namespace');
  // Between the lost call and the release, some seconds passed.
  expect(world.clock.now() - retainedAt).toBeGreaterThan(120_000);
  await world.kubectl(['-n', elsewhere, 'delete', 'managedservice', 'orders', '--timeout=20s']);
});
