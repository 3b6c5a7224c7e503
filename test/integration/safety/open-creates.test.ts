import { expect, test } from 'vitest';
import { force } from '../../../src/simulator/store.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { replicaSet, service, vpc } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World, type WorldKind } from '../../support/world.ts';

/** An open create is a claim, too: its resource belongs to the object that began it. (docs/safety.md, Owning) */

const manifests = {
  vpc: (name: string, texts = {}) => vpc(name, {}, texts),
  service: (name: string, texts = {}) => service(name, {}, texts),
  replicaSet: (name: string, texts = {}) => replicaSet(name, 'parent', {}, texts),
};
const creations = {
  vpc: 'createVpc',
  service: 'createService',
  replicaSet: 'createReplicaSet',
} as const;

/** Begins the create of `orders`, whose answer takes a while. @returns the id of the new resource */
async function beginCreate(world: World, kind: WorldKind): Promise<string> {
  const before = world.project.everCreated.length;
  world.project.faults.add({
    kind: 'delayReply',
    operation: creations[kind],
    times: 1,
    delayMs: 3_000,
  });
  await world.apply(manifests[kind]('orders'));
  return until('the create', () => world.project.everCreated[before]?.id);
}

/** Waits until an object owns a resource, or says why not. @returns the reason */
async function outcomeOf(world: World, kind: WorldKind, name: string): Promise<string> {
  const reason = async () =>
    (await world[kind](name))?.status?.conditions?.find(({ type }) => type === 'Synced')?.reason ??
    '';
  return until(
    `the outcome of ${name}`,
    async () => {
      const seen = await reason();
      return ['Available', 'OwnedByAnother', 'Lost'].includes(seen) && seen;
    },
    reason,
  );
}

test('no other object adopts the service that an object is just creating', async () => {
  await using world = await startWorld({ speed: 20, ...sharedProject });
  const made = await beginCreate(world, 'service');
  await world.apply(service('other', {}, { 'managed-db.io/external-id': made }));
  expect(await outcomeOf(world, 'service', 'other')).toBe('OwnedByAnother');
  await world.untilReady('service', 'orders');
  expect((await recordOf(world, await world.service('orders'))).id).toBe(made);
  expect((await world.secret('orders-db'))?.['password']).toBeDefined();
});

test('an adoption that looked for long does not displace the object that has the service meanwhile', async () => {
  await using world = await startWorld({ speed: 20, listLagMs: 300_000, ...sharedProject });
  expect(
    await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' }),
  ).toBe(202);
  const id = world.project.everCreated[0]?.id ?? '';
  world.project.faults.add({
    kind: 'delayReply',
    operation: 'getService',
    times: 1,
    delayMs: 3_000,
  });
  await world.apply(service('slow', {}, { 'managed-db.io/external-id': id }));
  await until('the slow look', () => callsOf(world, 'getService') === 1);
  await world.applyUntilReady(service('quick', {}, { 'managed-db.io/external-id': id }));
  await world.untilReason('service', 'slow', 'OwnedByAnother');
  expect((await recordOf(world, await world.service('slow'))).id).toBeUndefined();
});

test.each(['DELETING', 'DELETED'] as const)(
  'a service that is %s is not adopted',
  async (status) => {
    await using world = await startWorld(sharedProject);
    expect(
      await world.createInCloud('services', {
        name: 'legacy',
        cpu_millis: '1000',
        memory_gbs: '4',
      }),
    ).toBe(202);
    const id = world.project.everCreated[0]?.id ?? '';
    force(world.project, { kind: 'service', id, status });
    await world.apply(service('orders', {}, { 'managed-db.io/external-id': id }));
    const claimed = async () =>
      (await recordOf(world, await world.service('orders'))).id !== undefined && 'claimed';
    const refused = async () =>
      (await world.service('orders'))?.status?.conditions?.some(
        ({ reason }) => reason === 'AdoptionFailed',
      ) && 'refused';
    expect(
      await until('the answer to the adoption', async () => (await claimed()) || (await refused())),
    ).toBe('refused');
  },
);
