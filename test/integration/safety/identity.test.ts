import { expect, test } from 'vitest';
import { callsOf } from '../../support/cloud-calls.ts';
import { loseObject } from '../../support/lose-object.ts';
import { fork, peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld } from '../../support/world.ts';

/** Which resource is an object's, and which object a resource belongs to. (docs/safety.md, What an object knows; Owning) */

const seesOneNamespace = { ...defaultOptions, seesAllObjects: false };

const recordText = (object: { metadata: { annotations?: Readonly<Record<string, string>> | undefined } } | undefined) =>
  object?.metadata.annotations?.['managed-db.io/record'] ?? '';

/** The arguments of the command that a message ends with. */
function commandIn(message: string): readonly string[] {
  const command = /kubectl (annotate .*)$/u.exec(message)?.[1] ?? '';
  return [...command.matchAll(/(?:[^\s"]|"[^"]*")+/gu)].map(([argument]) => argument.replaceAll('"', ''));
}

test("a copied record does not win while the owner's record is being restored", async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.apply(service('copy', {}, { 'managed-db.io/record': recordText(await world.service('orders')) }));
  await world.untilReason('service', 'copy', 'OwnedByAnother');
  await world.stopOperators();
  expect(await world.kubectl(['replace', '-f', '-'], JSON.stringify(service('orders')))).toMatchObject({ code: 0 });
  await world.startedOperator();
  await until('the record', async () => recordOf(await world.service('orders')).id === id);
  await world.sync('service', 'copy');
  await world.untilReason('service', 'copy', 'OwnedByAnother');
  expect(await world.kubectl(['delete', 'managedservice', 'copy', '--timeout=20s'])).toMatchObject({ code: 0 });
  await world.untilReady('service', 'orders');
  expect(world.project.calls.get('deleteService')).toBeUndefined();
});

test('neither an object nor its copy, restored together, acts until a user decides which one owns the resource', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const record = { 'managed-db.io/record': recordText(await world.service('orders')) };
  await loseObject(world);
  for (const name of ['orders', 'copy']) await world.apply(service(name, {}, record));
  await world.startedOperator();
  const messages = [];
  for (const name of ['orders', 'copy']) messages.push(await world.untilReason('service', name, 'OwnedByAnother'));
  expect(messages).toEqual([expect.stringContaining(`${world.namespace}/copy`), expect.stringContaining(`${world.namespace}/orders`)]);
  // There is always a copy: without one, the next visit to `orders` decides for it.
  await world.apply(service('second', {}, record));
  await world.untilReason('service', 'second', 'OwnedByAnother');
  expect(await world.kubectl(['delete', 'managedservice', 'copy', '--timeout=20s'])).toMatchObject({ code: 0 });
  await world.apply(service('copy', {}, record));
  await world.untilReason('service', 'copy', 'OwnedByAnother');
  expect(await world.kubectl(['delete', 'managedservice', 'second', '--timeout=20s'])).toMatchObject({ code: 0 });

  expect(await world.kubectl(commandIn(messages[0] ?? ''))).toMatchObject({ code: 0 });
  await world.untilReady('service', 'orders');
  expect((await world.service('orders'))?.metadata.annotations?.['managed-db.io/take-over']).toBeUndefined();
  await world.sync('service', 'copy');
  expect(await world.untilReason('service', 'copy', 'OwnedByAnother')).not.toContain('take-over');
  for (const name of ['copy', 'orders']) {
    expect(callsOf(world, 'deleteService')).toBe(0);
    expect(await world.kubectl(['delete', 'managedservice', name, '--timeout=20s'])).toMatchObject({ code: 0 });
  }
  expect(world.project.everCreated.map((each) => [each.id, each.deletedAt !== undefined])).toEqual([[id, true]]);
});

test('nothing is made on the service of an object that does not own it, nor attached to such a VPC, until it does', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.applyUntilReady(vpc('prod'));
  const there = recordText(await world.service('orders'));
  // As in a restore drill: the record is one of another cluster.
  const elsewhere = JSON.stringify({ ...recordOf(await world.vpc('prod')), clusterUid: 'production' });
  await world.apply(service('copy', {}, { 'managed-db.io/record': there }), vpc('restored', {}, { 'managed-db.io/record': elsewhere }));
  await world.untilReason('service', 'copy', 'OwnedByAnother');
  await world.untilReason('vpc', 'restored', 'OwnedElsewhere');
  await world.apply(replicaSet('reads', 'copy'), fork('forked', 'copy'), service('attached', { vpcRef: { name: 'restored' } }));
  expect(await world.untilReason('replicaSet', 'reads', 'WaitingForReference')).toContain('spec.serviceRef "copy" does not own');
  expect(await world.untilReason('service', 'forked', 'WaitingForReference')).toContain('spec.fork.serviceRef "copy" does not own');
  expect(await world.untilReason('service', 'attached', 'WaitingForReference')).toContain('spec.vpcRef "restored" does not own');
  expect(world.project.everCreated.length).toBe(2);

  await world.apply(service('orders', { deletionPolicy: 'Retain' }));
  await world.remove('service', 'orders');
  await until('a replica set', async () => (await world.replicaSet('reads'))?.status?.serviceId === id);
});

test('a record with another id than status is a conflict until a user ends it', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(vpc('prod'));
  const { id: own } = recordOf(await world.vpc('prod'));
  await world.createInCloud('vpcs', { name: 'other', cidr: '10.0.0.0/16', region_code: 'eu-central-1' });
  const other = world.project.everCreated.at(-1)?.id ?? '';
  const record = JSON.stringify({ ...recordOf(await world.vpc('prod')), id: other });
  await world.kubectl(['annotate', '--overwrite', 'mvpc', 'prod', `managed-db.io/record=${record}`]);
  await world.untilReason('vpc', 'prod', 'RecordConflict');
  await world.sync('vpc', 'prod');
  expect([(await world.vpc('prod'))?.status?.id, await world.untilReason('vpc', 'prod', 'RecordConflict')]).toEqual([
    own,
    expect.stringContaining(other),
  ]);
  await world.kubectl(['delete', '--wait=false', 'mvpc', 'prod']);
  await world.sync('vpc', 'prod');
  expect(world.project.calls.get('deleteVpc')).toBeUndefined();
});

test.each([
  ['vpc', vpc('orders')],
  ['service', service('orders')],
] as const)(
  'a %s whose record cannot be parsed, and is then removed, is recognized by its status, and nothing is created twice',
  async (kind, manifest) => {
    await using world = await startWorld();
    await world.apply(manifest);
    await world.untilReady(kind, 'orders');
    await world.kubectl(['annotate', '--overwrite', manifest.kind, 'orders', 'managed-db.io/record=oops']);
    await world.untilReason(kind, 'orders', 'RecordConflict');
    await world.kubectl(['annotate', manifest.kind, 'orders', 'managed-db.io/record-']);
    await until('the record', async () => recordOf(await world[kind]('orders')).id === world.project.everCreated[0]?.id);
    await world.untilReady(kind, 'orders');
    expect(world.project.everCreated.length).toBe(1);
  },
);

test('a new object with the name of a retained one adopts the id in external-id, and leaves the Secret of the retained one', async () => {
  await using world = await startWorld(sharedProject);
  const kept = await readyService(world, { deletionPolicy: 'Retain' });
  await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
  const secret = await world.secret('orders-db');
  await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' });
  const legacy = world.project.everCreated.at(-1)?.id ?? '';
  const wanted = { ...service('orders', {}, { 'managed-db.io/external-id': legacy }), spec: {} };
  await world.apply(wanted);
  await world.untilReason('service', 'orders', 'SecretConflict');
  await world.apply({ ...wanted, spec: { connectionSecret: { name: 'legacy-db' } } });
  await world.untilReady('service', 'orders');
  expect([recordOf(await world.service('orders')).id, kept]).toEqual([legacy, expect.not.stringMatching(legacy)]);
  expect(await world.secret('orders-db')).toEqual(secret);
});

test('an operator that sees one namespace does not act for a copy of an object from another', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const other = `${world.namespace}-b`;
  await world.kubectl(['create', 'namespace', other]);
  await world.startedOperator({ settings: { namespaces: [other], options: seesOneNamespace } });
  const there = (args: readonly string[], input?: string) => world.kubectl(['--namespace', other, ...args], input);
  const reason = async () => (await there(['get', 'managedservice', 'orders', '-o', 'jsonpath={.status.conditions[0].reason}'])).stdout;
  const original = await world.service('orders');
  // What was said of the original in a crisis was copied with it.
  for (const said of [id, `${id} ${original?.metadata.uid}`]) {
    const drilled = service('orders', {}, { 'managed-db.io/record': recordText(original), 'managed-db.io/take-over': said });
    await there(['apply', '-f', '-'], JSON.stringify(drilled));
    await until('the copy to be held back', async () => (await reason()) === 'OwnedElsewhere', reason);
    expect(await there(['delete', 'managedservice', 'orders', '--timeout=15s'])).toMatchObject({ code: 0 });
  }
  const copy = service('orders', {}, { 'managed-db.io/record': recordText(original) });
  await there(['apply', '-f', '-'], JSON.stringify(copy));
  await until('the copy to be held back', async () => (await reason()) === 'OwnedElsewhere', reason);
  expect(await there(['delete', 'managedservice', 'orders', '--timeout=15s'])).toMatchObject({ code: 0 });
  expect(world.project.calls.get('deleteService')).toBeUndefined();

  // A person who knows that the other is gone says so.
  await there(['apply', '-f', '-'], JSON.stringify(copy));
  await until('the copy to be held back', async () => (await reason()) === 'OwnedElsewhere', reason);
  const message = await there(['get', 'managedservice', 'orders', '-o', 'jsonpath={.status.conditions[0].message}']);
  await there(commandIn(message.stdout));
  await until('it to be taken over', async () => (await reason()) === 'Available', reason);
  expect((await there(['get', 'managedservice', 'orders', '-o', 'jsonpath={.metadata.annotations}'])).stdout).not.toContain('take-over');
});

test('of objects that adopt one service at once, one owns and changes it', async () => {
  await using world = await startWorld(sharedProject);
  await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' });
  const id = world.project.everCreated[0]?.id ?? '';
  const names = ['a', 'b', 'c', 'd', 'e'];
  await whileStopped(world, async () => {
    for (const name of names) {
      const spec = { environment: name === 'a' ? 'PROD' : 'DEV' };
      await world.apply({ ...service(name, {}, { 'managed-db.io/external-id': id }), spec });
    }
  });
  const reasons = () => Promise.all(names.map(async (name) => (await world.service(name))?.status?.conditions?.[0]?.reason));
  await until(
    'each to know',
    async () => (await reasons()).every((reason) => reason === 'Available' || reason === 'OwnedByAnother'),
    reasons,
  );
  for (const name of names) await world.sync('service', name);
  expect((await reasons()).filter((reason) => reason === 'Available').length).toBe(1);
  expect(world.project.calls.get('setServiceEnvironment') ?? 0).toBeLessThan(2);
});

test('a replica set keeps to its service, and to its password, when another service takes the name', async () => {
  await using world = await startWorld();
  const first = await readyService(world, { deletionPolicy: 'Retain' });
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  const before = await world.secret('reads-replicas-db');
  await world.remove('service', 'orders');
  await world.kubectl(['delete', 'secret', 'orders-db']);
  await world.applyUntilReady(service('orders', {}, { 'managed-db.io/create-anyway': first }));
  expect((await world.service('orders'))?.status?.id).not.toBe(first);
  await world.sync('replicaSet', 'reads');
  await world.untilReady('replicaSet', 'reads');
  expect(recordOf(await world.replicaSet('reads')).parentServiceId).toBe(first);
  expect((await world.secret('reads-replicas-db'))?.['password']).toBe(before?.['password']);
});

test('a VPC whose object gets another name, record and all, keeps its peerings, and they are removed once', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(vpc('before', { peerings: [peering], deletionPolicy: 'Retain' }));
  const text = recordText(await world.vpc('before'));
  await world.apply(vpc('after', { peerings: [peering], deletionPolicy: 'Retain' }, { 'managed-db.io/record': text }));
  await world.untilReason('vpc', 'after', 'OwnedByAnother');
  await world.remove('vpc', 'before');
  await world.untilReady('vpc', 'after');
  expect((await world.vpc('after'))?.status?.peerings).toMatchObject([{ ...peering, managed: true }]);
  expect([callsOf(world, 'createPeering'), callsOf(world, 'deletePeering')]).toEqual([1, 0]);
  await world.apply(vpc('after', { peerings: [], deletionPolicy: 'Retain' }, { 'managed-db.io/record': text }));
  await until('the peering to go', () => world.project.everCreated.find(({ kind }) => kind === 'peering')?.deletedAt !== undefined);
  await world.untilReady('vpc', 'after');
  expect(callsOf(world, 'deletePeering')).toBe(1);
});
