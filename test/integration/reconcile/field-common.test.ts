import { test } from 'vitest';
import { replicaSet, secret, service, vpc } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { startWorld, worldKinds, type World, type WorldKind } from '../../support/world.ts';

/** The fields that all kinds share. Each world has an object of each kind, all with the same change. */

const names = { vpc: 'prod', service: 'orders', replicaSet: 'reads' } as const;

/** A change that each kind can make, and the operation that makes it. */
const asked = {
  vpc: { name: 'two' },
  service: { environment: 'DEV' },
  replicaSet: { environment: 'DEV' },
} as const;
const operations = ['renameVpc', 'setServiceEnvironment', 'setReplicaSetEnvironment'] as const;
const open = { deletionProtection: false };

async function applyAll(world: World, spec: object, isAsked = false): Promise<void> {
  const change = (kind: keyof typeof asked) => (isAsked ? asked[kind] : {});
  await world.apply(
    vpc('prod', { name: 'one', ...spec, ...change('vpc') }),
    service('orders', { ...spec, ...change('service') }),
    replicaSet('reads', 'orders', { ...spec, ...change('replicaSet') }),
  );
}

async function allReady(world: World, spec: object = {}): Promise<void> {
  await applyAll(world, spec);
  for (const kind of worldKinds) await world.untilReady(kind, names[kind]);
}

async function untilAll(
  world: World,
  what: string,
  holds: (status: Status) => boolean,
): Promise<void> {
  for (const kind of worldKinds)
    await until(
      `${kind} ${names[kind]}: ${what}`,
      async () => holds((await world[kind](names[kind]))?.status),
      () => world[kind](names[kind]),
    );
}
type Status = NonNullable<Awaited<ReturnType<World[WorldKind]>>>['status'];

const readyReason = (status: Status) =>
  status?.conditions?.find(({ type }) => type === 'Synced')?.reason;
const callsOf = (world: World) =>
  operations.map((operation) => world.project.calls.get(operation) ?? 0);

/** Another client changes all three resources in the cloud. */
async function changeElsewhere(world: World): Promise<void> {
  const vpcId = (await world.vpc('prod'))?.status?.id ?? '';
  const { id = '', serviceId = '' } = (await world.replicaSet('reads'))?.status ?? {};
  await world.createInCloud(`vpcs/${vpcId}/rename`, { name: 'theirs' });
  await world.createInCloud(`services/${serviceId}/setEnvironment`, { environment: 'PROD' });
  await world.createInCloud(`services/${serviceId}/replicaSets/${id}/setEnvironment`, {
    environment: 'PROD',
  });
}

/** Whether the status shows the change of the other client. */
function showsTheirs(status: Status): boolean {
  const text = JSON.stringify(status);
  return text.includes('"name":"theirs"') || text.includes('"environment":"PROD"');
}

test.concurrent('deletionPolicy and deletionProtection: status.onDelete follows a set, a changed and a removed value', async ({
  expect,
}) => {
  await using world = await startWorld();
  await allReady(world);
  const shows = (word: string) =>
    untilAll(world, `onDelete ${word}`, (status) => status?.onDelete === word);
  await shows('Delete');
  await applyAll(world, { deletionPolicy: 'Retain' });
  await shows('Retain');
  await applyAll(world, { deletionPolicy: 'Delete', deletionProtection: true });
  await shows('Protected');
  await applyAll(world, { deletionPolicy: 'Retain', deletionProtection: true });
  await shows('Retain');
  await applyAll(world, {});
  await shows('Delete');
  for (const kind of worldKinds) await world.untilReady(kind, names[kind]);
  expect(callsOf(world)).toEqual([0, 0, 0]);
});

test.concurrent('deletionPolicy: with Retain the object is deleted and its resource stays', async ({
  expect,
}) => {
  await using world = await startWorld();
  await allReady(world, { deletionPolicy: 'Retain' });
  await world.delete('vpc', 'prod');
  await world.delete('service', 'orders');
  await world.delete('replicaSet', 'reads');
  for (const kind of worldKinds) await world.untilGone(kind, names[kind]);
  expect(world.project.everCreated.map(({ deletedAt }) => deletedAt)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test.concurrent('deletionProtection: a deleted object stays while it is true, says so, and disappears when it is removed', async ({
  expect,
}) => {
  await using world = await startWorld();
  await allReady(world);
  // Suspended, so that the deletion waits for the protection: the API server deletes no object that is
  // already protected.
  await applyAll(world, { suspend: true });
  await untilAll(world, 'Suspended', (status) => readyReason(status) === 'Suspended');
  await world.delete('vpc', 'prod');
  await world.delete('service', 'orders');
  await world.delete('replicaSet', 'reads');
  await untilAll(world, 'DeletionBlocked', (status) => readyReason(status) === 'DeletionBlocked');
  await applyAll(world, { deletionProtection: true });
  await untilAll(
    world,
    'DeletionProtected',
    (status) => readyReason(status) === 'DeletionProtected',
  );
  expect(
    ['deleteVpc', 'deleteService', 'deleteReplicaSet'].filter((operation) =>
      world.project.calls.has(operation),
    ),
  ).toEqual([]);
  await applyAll(world, {});
  for (const kind of worldKinds) await world.untilGone(kind, names[kind]);
  expect(world.project.everCreated.every(({ deletedAt }) => deletedAt !== undefined)).toBe(true);
});

test.concurrent('managementPolicy: Observe stops pending changes and the correction of drift; when the field is removed, the change is made', async ({
  expect,
}) => {
  await using world = await startWorld({ latencyMs: 0 });
  await allReady(world);
  await applyAll(world, { managementPolicy: 'Observe', ...open }, true);
  await untilAll(
    world,
    'Observed',
    (status) => readyReason(status) === 'Observed' && status?.observedGeneration === 2,
  );
  await changeElsewhere(world);
  await untilAll(world, 'to show what somebody else made', showsTheirs);
  expect(callsOf(world)).toEqual([1, 1, 1]); // by the other client
  expect(await world.untilEvent('prod', 'Observed')).toContain(
    'name was changed elsewhere from one to theirs',
  );
  expect(await world.untilEvent('orders', 'Observed')).toContain(
    'environment was changed elsewhere from DEV to PROD',
  );
  expect(await world.untilEvent('reads', 'Observed')).toContain(
    'environment was changed elsewhere from DEV to PROD',
  );
  await applyAll(world, open, true);
  for (const kind of worldKinds) await world.untilReady(kind, names[kind]);
  await untilAll(world, 'to show the change', (status) => !showsTheirs(status));
  expect(callsOf(world)).toEqual([2, 2, 2]);
});

test.concurrent('suspend: while it is true nothing is changed, and changes in the cloud are shown; when it is removed, pending changes are made', async ({
  expect,
}) => {
  await using world = await startWorld({ latencyMs: 0 });
  await allReady(world);
  await applyAll(world, { suspend: true, ...open }, true);
  await untilAll(world, 'Suspended', (status) => readyReason(status) === 'Suspended');
  await changeElsewhere(world);
  await untilAll(world, 'to show what somebody else made', showsTheirs);
  expect(callsOf(world)).toEqual([1, 1, 1]); // by the other client
  await untilAll(world, 'the generation of the edit', (status) => status?.observedGeneration === 2);
  await applyAll(world, open, true);
  for (const kind of worldKinds) await world.untilReady(kind, names[kind]);
  await untilAll(world, 'to show the change', (status) => !showsTheirs(status));
  expect(callsOf(world)).toEqual([2, 2, 2]);
});

test.concurrent('credentialsRef: another key of the project is used and held, and the previous one is released; when it is removed, the own key is used', async ({
  expect,
}) => {
  await using world = await startWorld();
  const { apiKey } = world.project;
  const isHeld = async (name: string) =>
    (
      await world.kubectl(['get', 'secret', name, '-o', 'jsonpath={.metadata.finalizers}'])
    ).stdout.includes('managed-db.io/credentials');
  await world.apply(secret('first', { apiKey }), secret('second', { apiKey }));
  await allReady(world, { credentialsRef: { name: 'first' } });
  expect(await isHeld('first')).toBe(true);
  await allReady(world, { credentialsRef: { name: 'second' } });
  expect(await isHeld('second')).toBe(true);
  await until('the first to be let go', async () => !(await isHeld('first')));
  await allReady(world);
  await until('the second to be let go', async () => !(await isHeld('second')));
  expect(world.project.everCreated.length).toBe(3);
});

test.concurrent('credentialsRef: with a key of another project, or no such Secret, nothing is called; when it is changed back, work continues', async ({
  expect,
}) => {
  await using world = await startWorld();
  const other = world.simulator.addProject({ clock: world.clock });
  await world.apply(secret('other', { apiKey: other.apiKey }));
  await allReady(world);
  await applyAll(world, { credentialsRef: { name: 'other' } }, true);
  await untilAll(world, 'ForeignProject', (status) => readyReason(status) === 'ForeignProject');
  await applyAll(world, { credentialsRef: { name: 'nowhere' } }, true);
  await untilAll(
    world,
    'WaitingForCredentials',
    (status) => readyReason(status) === 'WaitingForCredentials',
  );
  expect(callsOf(world)).toEqual([0, 0, 0]);
  expect([...other.commits.keys()]).toEqual([]);
  await applyAll(world, {}, true);
  for (const kind of worldKinds) await world.untilReady(kind, names[kind]);
  expect(callsOf(world)).toEqual([1, 0, 0]);
});
