import { expect, test } from 'vitest';
import { cloudClient } from '../../../src/cloud/cloud-client.ts';
import { projectObserver } from '../../../src/cloud/project-observer.ts';
import { projectId } from '../../../src/cloud/wire/account.ts';
import { serviceId } from '../../../src/cloud/wire/service.ts';
import { vpcId } from '../../../src/cloud/wire/vpc.ts';
import { cloudErrorOf } from './cloud-error-of.ts';
import { manualClock } from './manual-clock.ts';
import { json, scriptedPeer } from './scripted-peer.ts';

const project = projectId.parse('prj7');
const orders = serviceId.parse('orders');
const bills = serviceId.parse('bills');

/** A project whose cloud answers each path from a table, and the requests that the cloud received. */
async function observed(replies: Record<string, unknown>) {
  const clock = manualClock();
  const peer = await scriptedPeer((request, response) => {
    const reply = replies[request.path.replace('/projects/prj7', '')];
    json(reply === undefined ? 404 : 200, reply ?? { code: 'not_found', message: 'not found' })(
      request,
      response,
    );
  });
  const api = cloudClient({ baseUrl: peer.url, apiKey: 'key' });
  const observer = projectObserver({ api, projectId: project, clock, random: () => 0 });
  return {
    clock,
    observer,
    asked: () => peer.arrived.map(({ path }) => path.replace('/projects/prj7', '')),
    /** Lets policy time pass until the promise has come to its end. */
    async through<R>(promise: Promise<R>): Promise<R> {
      const state = { isOver: false };
      const end = () => {
        state.isOver = true;
      };
      promise.then(end, end);
      while (!state.isOver) await clock.advance(100);
      return promise;
    },
    async [Symbol.asyncDispose]() {
      observer.stop();
      await api[Symbol.asyncDispose]();
      await peer[Symbol.asyncDispose]();
    },
  };
}

test('replica sets come from the services list when it carries them, one request for all services', async () => {
  const services = [
    { service_id: 'orders', read_replica_sets: [{ id: 'r1' }] },
    { service_id: 'bills', read_replica_sets: [] },
  ];
  await using cloud = await observed({ '/services': services });
  const { observer, clock } = cloud;
  const first = observer.replicaSets(orders).since(clock.now());
  const second = observer.replicaSets(bills).since(clock.now());
  expect([...(await cloud.through(first)).items.keys()]).toEqual(['r1']);
  expect((await cloud.through(second)).items.size).toBe(0);
  expect(cloud.asked()).toEqual(['/services']);
});

test('a service of which the services list does not say is asked for its replica sets, and none is not assumed', async () => {
  await using cloud = await observed({
    '/services': [{ service_id: 'orders' }],
    '/services/orders/replicaSets': [{ id: 'r1' }],
  });
  const { observer, clock } = cloud;
  expect(
    (await cloud.through(observer.replicaSets(orders).since(clock.now()))).items.has('r1'),
  ).toBe(true);
  await clock.advance(1);
  await cloud.through(observer.replicaSets(orders).since(clock.now()));
  expect(cloud.asked(), 'it is known by now that the list does not say').toEqual([
    '/services',
    '/services/orders/replicaSets',
    '/services/orders/replicaSets',
  ]);
});

test('a service that is gone has no replica sets to list: notFound', async () => {
  await using cloud = await observed({ '/services': [] });
  const error = await cloud.through(
    cloudErrorOf(cloud.observer.replicaSets(orders).since(cloud.clock.now())),
  );
  expect(error).toMatchObject({ kind: 'notFound', operation: 'listReplicaSets' });
});

test('a poll of the services tells who listens to replica sets, without a request of their own', async () => {
  const services = [
    { service_id: 'orders', read_replica_sets: [{ id: 'r1', status: 'creating' }] },
  ];
  await using cloud = await observed({ '/services': services });
  const { observer, clock } = cloud;
  const told: string[][] = [];
  observer.replicaSets(orders).onChange((ids) => told.push([...ids]));
  await cloud.through(observer.services.since(clock.now()));
  services[0] = { service_id: 'orders', read_replica_sets: [{ id: 'r1', status: 'active' }] };
  await clock.advance(1);
  await cloud.through(observer.services.since(clock.now()));
  expect(told).toEqual([['r1'], ['r1']]);
  expect(cloud.asked()).toEqual(['/services', '/services']);
});

test('a service in state DELETED is missing from the list, and its GET counts as a 404', async () => {
  const deleted = { service_id: 'orders', status: 'DELETED' };
  await using cloud = await observed({
    '/services': [deleted, { service_id: 'bills' }],
    '/services/orders': deleted,
  });
  const { observer, clock } = cloud;
  expect([...(await cloud.through(observer.services.since(clock.now()))).items.keys()]).toEqual([
    'bills',
  ]);
  expect(
    await cloud.through(observer.services.find('orders', { notBefore: 0, absentFrom: 0 })),
  ).toMatchObject({ state: 'missing' });
  expect(cloud.asked()).toContain('/services/orders');
});

test('peerings are listed for each VPC, and the same poller serves all who ask', async () => {
  await using cloud = await observed({
    '/vpcs/8801/peerings': [
      { id: 'p1', peer_account_id: '1', peer_region_code: 'eu', peer_vpc_id: 'a' },
    ],
  });
  const vpc = vpcId.parse('8801');
  expect(cloud.observer.peerings(vpc)).toBe(cloud.observer.peerings(vpc));
  expect((await cloud.through(cloud.observer.peerings(vpc).since(0))).items.has('p1')).toBe(true);
});

test('the evidence about peerings is kept for ten minutes after its last use, whatever else is listed', async () => {
  await using cloud = await observed({ '/vpcs': [], '/vpcs/8801/peerings': [] });
  const { observer, clock } = cloud;
  const peerings = observer.peerings(vpcId.parse('8801'));
  await cloud.through(peerings.since(clock.now()));
  await clock.advance(300_000);
  await cloud.through(observer.vpcs.since(clock.now()));
  expect(observer.peerings(vpcId.parse('8801'))).toBe(peerings);
  await clock.advance(600_000);
  await cloud.through(observer.vpcs.since(clock.now()));
  expect(observer.peerings(vpcId.parse('8801'))).not.toBe(peerings);
});

test('a stopped observer sends no LIST', async () => {
  await using cloud = await observed({ '/services': [], '/vpcs': [] });
  const { observer, clock } = cloud;
  observer.services.onChange(() => {});
  observer.replicaSets(orders).onChange(() => {});
  observer.peerings(vpcId.parse('8801')).expectProgress('p', clock.now());
  observer.stop();
  expect(clock.scheduled).toEqual([]);
  await clock.advance(600_000);
  expect(cloud.asked()).toEqual([]);
});

test('the observer reports for each list with a listener the time of its state, also for a list that was never read', async () => {
  await using cloud = await observed({ '/services': [] });
  const { observer, clock } = cloud;
  const born = clock.now();
  expect([...observer.asOf()]).toEqual([]);
  observer.services.onChange(() => undefined);
  observer.vpcs.onChange(() => undefined);
  expect([...observer.asOf()]).toEqual([
    ['listVpcs', born],
    ['listServices', born],
  ]);
  await clock.advance(5_000);
  const { begunAt } = await cloud.through(observer.services.since(clock.now()));
  expect(begunAt).toBeGreaterThan(born);
  // There is no such list in this cloud.
  expect((await cloudErrorOf(cloud.through(observer.vpcs.since(clock.now())))).kind).toBe(
    'notFound',
  );
  expect([...observer.asOf()]).toEqual([
    ['listVpcs', born],
    ['listServices', begunAt],
  ]);
});
