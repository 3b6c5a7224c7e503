import { expect, test } from 'vitest';
import { force } from '../../../src/simulator/store.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { replicaSet, service, vpc } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { recordOf } from '../../support/read-record.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { startWorld, worldKinds, type World, type WorldKind } from '../../support/world.ts';

/** An open create is a claim, too: what it makes is the object's that began it. (docs/safety.md, Owning) */

const record = 'managed-db.io/record';
const recordText = async (world: World, kind: WorldKind) => (await world[kind]('orders'))?.metadata.annotations?.[record] ?? '';
const manifests = {
  vpc: (name: string, texts = {}) => vpc(name, {}, texts),
  service: (name: string, texts = {}) => service(name, {}, texts),
  replicaSet: (name: string, texts = {}) => replicaSet(name, 'parent', {}, texts),
};
const creations = { vpc: 'createVpc', service: 'createService', replicaSet: 'createReplicaSet' } as const;

/** Begins the create of `orders`, whose answer takes a while. @returns the id of what it makes */
async function beginCreate(world: World, kind: WorldKind): Promise<string> {
  const before = world.project.everCreated.length;
  world.project.faults.add({ kind: 'delayReply', operation: creations[kind], times: 1, delayMs: 3_000 });
  await world.apply(manifests[kind]('orders'));
  return until('the create', () => world.project.everCreated[before]?.id);
}

/** Creates `orders` with a lost answer, while lists fail: its create stays open. @returns the id of what it made */
async function loseAnswer(world: World): Promise<string> {
  world.project.faults.add({ kind: 'errorBefore', operation: 'listServices', status: 503 });
  world.project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
  await world.apply(service('orders'));
  return until('the create', () => world.project.everCreated[0]?.id);
}

/** Waits until an object owns a resource, or says why not. @returns the reason */
async function outcomeOf(world: World, kind: WorldKind, name: string): Promise<string> {
  const reason = async () => (await world[kind](name))?.status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? '';
  return until(
    `the outcome of ${name}`,
    async () => {
      const seen = await reason();
      return ['Available', 'OwnedByAnother', 'Lost'].includes(seen) && seen;
    },
    reason,
  );
}

test.each(worldKinds)('a copy of a %s whose create is open takes nothing of the original', async (kind) => {
  await using world = await startWorld({ speed: 20 });
  if (kind === 'replicaSet') await readyService(world, {}, 'parent');
  const made = await beginCreate(world, kind);
  await world.apply(manifests[kind]('copy', { [record]: await recordText(world, kind) }));
  expect(await outcomeOf(world, kind, 'copy')).toBe('OwnedByAnother');
  await world.untilReady(kind, 'orders');
  expect(recordOf(await world[kind]('orders')).id).toBe(made);
  await world.sync(kind, 'copy');
  await world.untilReason(kind, 'copy', 'OwnedByAnother');
  await world.remove(kind, 'copy');
  expect([callsOf(world, 'deleteVpc'), callsOf(world, 'deleteService'), callsOf(world, 'deleteReplicaSet')]).toEqual([0, 0, 0]);
});

test('a copy yields also while the original is suspended', async () => {
  await using world = await startWorld();
  const made = await loseAnswer(world);
  const text = await recordText(world, 'service');
  await world.apply(service('orders', { suspend: true }));
  await world.apply(service('copy', {}, { [record]: text }));
  await world.untilReason('service', 'copy', 'OwnedByAnother');
  world.project.faults.clear();
  await letPass(world, 180_000);
  expect(recordOf(await world.service('copy')).id).toBeUndefined();
  await world.applyUntilReady(service('orders', { suspend: false }));
  expect([recordOf(await world.service('orders')).id, callsOf(world, 'createService')]).toEqual([made, 1]);
});

test('a copy that names what an open create made does not hide it from the object that began it', async () => {
  await using world = await startWorld();
  const made = await loseAnswer(world);
  const { attempt, ...rest } = recordOf(await world.service('orders'));
  await world.stopOperators();
  const taken = JSON.stringify({ ...rest, id: made, outcome: 'created', createdBy: attempt?.id, claimedAt: attempt?.at });
  await world.apply(service('copy', {}, { [record]: taken }));
  world.project.faults.clear();
  await world.startOperator();
  await world.untilReady('service', 'orders');
  expect([recordOf(await world.service('orders')).id, callsOf(world, 'createService')]).toEqual([made, 1]);
  await world.untilReason('service', 'copy', 'OwnedByAnother');
});

test('an operator that sees one namespace does not act for a copy of an open create', async () => {
  await using world = await startWorld({ settings: { options: { ...defaultOptions, seesAllObjects: false } } });
  const attempt = { id: 'abcdefgh', at: new Date(world.clock.now()).toISOString(), request: { name: 'orders-abcdef' }, sameNameIds: [] };
  await world.apply(service('orders', {}, { [record]: JSON.stringify({ attempt, objectUid: 'of another object' }) }));
  expect(await world.untilReason('service', 'orders', 'OwnedElsewhere')).toContain('the service of the open create abcdefgh');
  expect(callsOf(world, 'createService')).toBe(0);
});

test('what an object is just creating is adopted by no other', async () => {
  await using world = await startWorld({ speed: 20, ...sharedProject });
  const made = await beginCreate(world, 'service');
  await world.apply(service('other', {}, { 'managed-db.io/external-id': made }));
  expect(await outcomeOf(world, 'service', 'other')).toBe('OwnedByAnother');
  await world.untilReady('service', 'orders');
  expect(recordOf(await world.service('orders')).id).toBe(made);
  expect((await world.secret('orders-db'))?.['password']).toBeDefined();
});

test('an adoption that looked for long does not displace the object that has the service meanwhile', async () => {
  await using world = await startWorld({ speed: 20, listLagMs: 300_000, ...sharedProject });
  expect(await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' })).toBe(202);
  const id = world.project.everCreated[0]?.id ?? '';
  world.project.faults.add({ kind: 'delayReply', operation: 'getService', times: 1, delayMs: 3_000 });
  await world.apply(service('slow', {}, { 'managed-db.io/external-id': id }));
  await until('the slow look', () => callsOf(world, 'getService') === 1);
  await world.applyUntilReady(service('quick', {}, { 'managed-db.io/external-id': id }));
  await world.untilReason('service', 'slow', 'OwnedByAnother');
  expect(recordOf(await world.service('slow')).id).toBeUndefined();
});

test.each(['DELETING', 'DELETED'] as const)('a service that is %s is not adopted', async (status) => {
  await using world = await startWorld(sharedProject);
  expect(await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' })).toBe(202);
  const id = world.project.everCreated[0]?.id ?? '';
  force(world.project, { kind: 'service', id, status });
  await world.apply(service('orders', {}, { 'managed-db.io/external-id': id }));
  const claimed = async () => recordOf(await world.service('orders')).id !== undefined && 'claimed';
  const refused = async () =>
    (await world.service('orders'))?.status?.conditions?.some(({ reason }) => reason === 'AdoptionFailed') && 'refused';
  expect(await until('the answer to the adoption', async () => (await claimed()) || (await refused()))).toBe('refused');
});
