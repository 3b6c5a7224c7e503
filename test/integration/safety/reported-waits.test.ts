import { expect, test } from 'vitest';
import type { CloudOperation } from '../../../src/cloud/cloud-api.ts';
import { syncedOf } from '../../../src/resources/condition.ts';
import { force } from '../../../src/simulator/store.ts';
import { callsOf, commitsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { peering, replicaSet, secret, service, vpc } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { refusing, refusingReads } from '../../support/refusing.ts';
import { until } from '../../support/until.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World, type WorldKind } from '../../support/world.ts';

/** After 30 s of waiting, the status of an object names the cause, and the source of its message. */

type Failing = readonly [operation: CloudOperation, status: number, reason: string];

const fails = (world: World, operation: CloudOperation, status: number) =>
  world.project.faults.add({
    kind: 'errorBefore',
    operation,
    status,
    body: { message: 'the cloud says so' },
  });

const wordsOf: Readonly<Record<number, string>> = {
  500: 'HTTP 500',
  404: '"the cloud says so"',
  403: '"the cloud says so"',
  429: 'limits how often',
};

/** As soon as it has lasted, and never before. */
async function untilSaid(
  world: World,
  kind: WorldKind,
  name: string,
  reason: string,
): Promise<string> {
  const since = world.clock.now();
  const message = await world.untilReason(kind, name, reason);
  expect(world.clock.now() - since).toBeLessThan(60_000);
  return message;
}

test.concurrent.each<Failing>([
  ['listServices', 500, 'CloudUnavailable'],
  ['listServices', 403, 'Unauthorized'],
  ['listServices', 429, 'RateLimited'],
])(
  'a new service with a chosen name whose list (%s) answers %i says so',
  async (operation, status, reason) => {
    await using world = await startWorld({ speed: 8 });
    fails(world, operation, status);
    await world.apply(service('orders', { name: 'orders' }));
    expect(await untilSaid(world, 'service', 'orders', reason)).toContain(wordsOf[status]);
    world.project.faults.clear();
    await world.untilReady('service', 'orders');
  },
);

test.concurrent.each<Failing>([['listPeerings', 404, 'WaitingForCloud']])(
  'a new VPC whose peerings (%s) answer %i says so',
  async (operation, status, reason) => {
    await using world = await startWorld({ speed: 8 });
    fails(world, operation, status);
    await world.apply(vpc('prod', { peerings: [peering] }));
    expect(await untilSaid(world, 'vpc', 'prod', reason)).toContain(wordsOf[status]);
    world.project.faults.clear();
    await world.untilReady('vpc', 'prod');
  },
);

test.concurrent('a VPC is renamed although its peerings cannot be read', async () => {
  await using world = await startWorld({ speed: 8 });
  await world.applyUntilReady(vpc('prod', { peerings: [peering], name: 'a' }));
  await whileStopped(world, () => {
    fails(world, 'listPeerings', 500);
    return world.apply(vpc('prod', { peerings: [peering], name: 'b' }));
  });
  await until('the new name', () => commitsOf(world, 'renameVpc') === 1);
  expect(await untilSaid(world, 'vpc', 'prod', 'CloudUnavailable')).toContain('HTTP 500');
});

test.concurrent.each<Failing>([
  ['listReplicaSets', 500, 'CloudUnavailable'],
  ['deleteReplicaSet', 500, 'CloudUnavailable'],
])(
  'a replica set that is being deleted while %s answers %i is not shown as available',
  async (operation, status, reason) => {
    await using world = await startWorld({ speed: 8 });
    await world.apply(service('orders'), replicaSet('reads', 'orders'));
    await world.untilReady('replicaSet', 'reads');
    fails(world, 'listServices', 500);
    fails(world, operation, status);
    await world.delete('replicaSet', 'reads');
    expect(await untilSaid(world, 'replicaSet', 'reads', reason)).toContain('HTTP 500');
    world.project.faults.clear();
    await world.untilGone('replicaSet', 'reads');
  },
);

test.concurrent('a service that is being deleted while nothing can be read says so', async () => {
  await using world = await startWorld({ speed: 8 });
  await readyService(world);
  fails(world, 'listServices', 500);
  fails(world, 'listReplicaSets', 500);
  await world.delete('service', 'orders');
  expect(await untilSaid(world, 'service', 'orders', 'CloudUnavailable')).toContain('HTTP 500');
  world.project.faults.clear();
  await world.untilGone('service', 'orders');
});

test.concurrent(
  'a service whose DELETEs have no effect says so, and is deleted less and less often',
  { timeout: 60_000 },
  async () => {
    await using world = await startWorld({ speed: 60 });
    await readyService(world);
    world.project.faults.add({ kind: 'ignored', operation: 'deleteService' });
    await world.delete('service', 'orders');
    const message = await world.untilReason('service', 'orders', 'NotApplied');
    expect(message).toMatch(
      /still shows the service \w+ \(READY\), .* at \d{4}-.*: delete it there/u,
    );
    const said = callsOf(world, 'deleteService');
    await letPass(world, 600_000);
    // After 30 s, 1, 2, 4 and 5 min.
    expect(callsOf(world, 'deleteService') - said).toBeLessThanOrEqual(5);
    expect(
      await world.untilReason('service', 'orders', 'NotApplied'),
      'it has been so since the first time',
    ).toBe(message);
    world.project.faults.clear();
    await world.untilGone('service', 'orders');
  },
);

test.concurrent('a replica set on a service that cannot be read says why', async () => {
  await using world = await startWorld({ speed: 8 });
  await readyService(world);
  await whileStopped(world, () => {
    fails(world, 'listServices', 500);
    return world.apply(replicaSet('reads', 'orders'));
  });
  expect(await untilSaid(world, 'replicaSet', 'reads', 'WaitingForReference')).toContain(
    'HTTP 500',
  );
});

test.concurrent('a Ready object stays Ready, and its message does not change between visits', async () => {
  await using world = await startWorld({ speed: 300 });
  await world.applyUntilReady(vpc('kept', { peerings: [peering] }));
  fails(world, 'listPeerings', 500);
  await world.apply(vpc('prod', { peerings: [peering], cidr: '10.1.0.0/16' }));
  await untilSaid(world, 'vpc', 'prod', 'CloudUnavailable').catch(() =>
    world.untilReason('vpc', 'prod', 'CloudUnavailable'),
  );
  const versions = async () => [
    (await world.vpc('prod'))?.metadata.resourceVersion,
    (await world.vpc('kept'))?.status?.conditions?.[1]?.status,
  ];
  const before = await versions();
  const later = world.clock.now() + 120_000;
  await until('two minutes', () => world.clock.now() > later);
  expect(await versions()).toEqual(before);
  expect(before[1]).toBe('True');
});

test.concurrent.each(['is limited', 'hangs', 'is nothing that parses'] as const)(
  'a read of Kubernetes that %s is told, and no other object waits for it',
  async (how) => {
    await using world = await startWorld({ start: false, speed: 10, settings: { workers: 1 } });
    const answer =
      how === 'hangs'
        ? how
        : { code: how === 'is limited' ? 429 : 200, message: 'too many requests' };
    const state = { isOver: false };
    const intercept = refusingReads((path) =>
      !state.isOver && path.endsWith('/secrets/mine')
        ? answer === 'hangs'
          ? 'hang'
          : answer
        : undefined,
    );
    await world.startedOperator({ intercept });
    await world.apply(
      secret('mine', { apiKey: world.project.apiKey }),
      service('orders', { credentialsRef: { name: 'mine' } }),
    );
    await world.applyUntilReady(service('other'));
    expect(await world.untilReason('service', 'orders', 'InternalError')).toContain(
      `get secrets ${world.namespace}/mine`,
    );
    state.isOver = true;
    await world.untilReady('service', 'orders');
  },
);

/** The message of the condition beside Ready once it contains this. */
async function untilBeside(world: World, text: string): Promise<string> {
  return until(text, async () => {
    const beside = (await world.service('orders'))?.status?.conditions?.find(
      ({ type }) => type !== 'Ready' && type !== 'Synced',
    );
    return beside?.message.includes(text) ? beside.message : undefined;
  });
}

test.concurrent('the required action of a user stays in the status while the cloud cannot be read, and the second condition names the outage', async () => {
  await using world = await startWorld({ speed: 60 });
  await world.apply(service('orders'), replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  await world.delete('service', 'orders');
  const before = await world.untilReason('service', 'orders', 'DeletionBlocked');
  await whileStopped(world, async () => {
    fails(world, 'listServices', 500);
  });
  await untilBeside(world, 'HTTP 500');
  expect(await world.untilReason('service', 'orders', 'DeletionBlocked')).toBe(before);
  const { resourceVersion } = (await world.service('orders'))?.metadata ?? {};
  await letPass(world, 180_000);
  expect((await world.service('orders'))?.metadata.resourceVersion, 'it is written once').toBe(
    resourceVersion,
  );
  world.project.faults.clear();
  await untilBeside(world, before);
  await world.remove('replicaSet', 'reads');
  await until('the service to go', async () => (await world.service('orders')) === undefined);
});

test.concurrent('a status whose question was answered names what the answer waits for', async () => {
  await using world = await startWorld({ start: false, speed: 60 });
  const webhook = { isDown: false };
  const intercept = refusing(({ path }) =>
    webhook.isDown && path.includes('/secrets/managedservice-')
      ? { code: 500, message: 'the webhook is down' }
      : undefined,
  );
  await world.startedOperator({ intercept });
  const id = await readyService(world);
  force(world.project, { kind: 'service', id, status: undefined });
  const asked = await world.untilReason('service', 'orders', 'Lost');
  webhook.isDown = true;
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/allow-recreate': id } },
  });
  await untilBeside(world, 'the webhook is down');
  expect(await world.untilReason('service', 'orders', 'Lost')).toBe(asked);
  webhook.isDown = false;
  await world.untilReady('service', 'orders');
  expect((await world.service('orders'))?.status?.id).not.toBe(id);
});

test.concurrent('a service that the cloud never finishes says since when and what to do, also after a restart, is looked at once a minute, and its end is seen', async () => {
  await using world = await startWorld({ speed: 600, latencyMs: 36_000_000 });
  await world.apply(service('orders'));
  await world.untilReason('service', 'orders', 'Creating');
  const told = async () => syncedOf((await world.service('orders')) ?? {})?.message ?? '';
  const isTold = async () =>
    /; no new state since .*: ask .* support with the id \w+$/u.test(await told());
  await until('since when', isTold, told);
  await letPass(world, 60_000);
  const looks = callsOf(world, 'listServices') + callsOf(world, 'getService');
  const before = await world.service('orders');
  await letPass(world, 1_800_000);
  expect(callsOf(world, 'listServices') + callsOf(world, 'getService') - looks).toBeLessThan(40);
  await whileStopped(world, () => Promise.resolve());
  await letPass(world, 300_000);
  expect(await world.service('orders')).toEqual(before);
  force(world.project, { kind: 'service', id: before?.status?.id ?? '', status: 'READY' });
  await world.untilReady('service', 'orders');
});
