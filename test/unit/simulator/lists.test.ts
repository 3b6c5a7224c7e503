import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import {
  idOf,
  inProcessCloud,
  itemsOf,
  latencyMs,
  newPeering,
  newReplicaSet,
  newService,
  type InProcessCloud,
} from './in-process-cloud.ts';

let cloud: InProcessCloud;

beforeAll(async () => {
  cloud = await inProcessCloud();
});

afterAll(async () => {
  await cloud[Symbol.asyncDispose]();
});

test.each([
  ['services', () => cloud.serviceIn('READY'), '/services'],
  ['VPCs', () => cloud.vpc(), '/vpcs'],
])(
  'a list of %s shows what was made and what is gone only after the lag',
  async (_what, make, path) => {
    await cloud.admin('PATCH', '', { listLagMs: 5_000 });
    const listed = async (id: string) => (await cloud.call('GET', path)).text.includes(id);
    const id = await make();
    cloud.advance(4_999);
    expect(await listed(id)).toBe(false);
    expect((await cloud.call('GET', `${path}/${id}`)).status, 'a GET does not lag').toBe(200);
    cloud.advance(1);
    expect(await listed(id)).toBe(true);
    await cloud.call('DELETE', `${path}/${id}`);
    cloud.advance(4_999);
    expect(await listed(id)).toBe(true);
    expect((await cloud.call('GET', `${path}/${id}`)).status).toBe(404);
    cloud.advance(latencyMs + 1);
    expect(await listed(id)).toBe(false);
    await cloud.admin('PATCH', '', { listLagMs: 0 });
  },
);

test('lists of peerings and of replica sets lag as well', async () => {
  const [vpc, service] = [await cloud.vpc(), await cloud.serviceIn('READY')];
  await cloud.admin('PATCH', '', { listLagMs: 5_000 });
  await cloud.call('POST', `/vpcs/${vpc}/peerings`, newPeering);
  await cloud.call('POST', `/services/${service}/replicaSets`, newReplicaSet);
  for (const path of [`/vpcs/${vpc}/peerings`, `/services/${service}/replicaSets`]) {
    expect((await cloud.call('GET', path)).body).toEqual([]);
  }
  cloud.advance(5_000);
  for (const path of [`/vpcs/${vpc}/peerings`, `/services/${service}/replicaSets`]) {
    expect(itemsOf(await cloud.call('GET', path))).toHaveLength(1);
  }
  await cloud.admin('PATCH', '', { listLagMs: 0 });
});

test('a list that lags shows the states of that time', async () => {
  const id = idOf(await cloud.call('POST', '/services', newService));
  await cloud.admin('PATCH', '', { listLagMs: latencyMs });
  cloud.advance(latencyMs);
  const listed = itemsOf(await cloud.call('GET', '/services')).find(
    (service) => service['service_id'] === id,
  );
  expect(listed).toMatchObject({ status: 'QUEUED' });
  expect((await cloud.call('GET', `/services/${id}`)).body).toMatchObject({ status: 'READY' });
  await cloud.admin('PATCH', '', { listLagMs: 0 });
});

/** The replica sets that a service carries, read by itself and in the list. */
async function carried(place: InProcessCloud): Promise<readonly unknown[]> {
  const id = await place.serviceIn('READY');
  await place.call('POST', `/services/${id}/replicaSets`, newReplicaSet);
  const one = z
    .record(z.string(), z.unknown())
    .parse((await place.call('GET', `/services/${id}`)).body);
  const listed = itemsOf(await place.call('GET', '/services')).find(
    (service) => service['service_id'] === id,
  );
  return [one['read_replica_sets'], listed?.['read_replica_sets']];
}

test('services carry their replica sets', async () => {
  const sets = [{ ...newReplicaSet, status: 'creating' }];
  expect(await carried(cloud)).toMatchObject([sets, sets]);
});

test('services do not carry their replica sets where the simulator is told so', async () => {
  await using terse = await inProcessCloud({ includeReplicaSets: false });
  expect(await carried(terse)).toEqual([undefined, undefined]);
});

test('whether services carry their replica sets can be changed while it runs', async () => {
  const id = await cloud.serviceIn('READY');
  await cloud.admin('PATCH', '', { includeReplicaSets: false });
  expect((await cloud.call('GET', `/services/${id}`)).body).not.toHaveProperty('read_replica_sets');
  await cloud.admin('PATCH', '', { includeReplicaSets: true });
  expect((await cloud.call('GET', `/services/${id}`)).body).toMatchObject({
    read_replica_sets: [],
  });
});

test('names are not unique: the same request twice makes two', async () => {
  const service = await cloud.serviceIn('READY');
  const vpc = await cloud.vpc();
  for (const [path, body] of [
    ['/services', newService],
    ['/vpcs', { cidr: '10.0.0.0/16', name: 'net', region_code: 'eu-central-1' }],
    [`/vpcs/${vpc}/peerings`, newPeering],
    [`/services/${service}/replicaSets`, newReplicaSet],
  ] as const) {
    const [first, second] = [
      await cloud.call('POST', path, body),
      await cloud.call('POST', path, body),
    ];
    expect(second.status).toBe(first.status);
    expect(idOf(second)).not.toBe(idOf(first));
  }
});

test('ids look as the real ones do: ten letters and digits for a service, a number for the rest', async () => {
  const [service, vpc] = [await cloud.serviceIn('READY'), await cloud.vpc()];
  expect(service).toMatch(/^[a-z0-9]{10}$/u);
  expect(vpc).toMatch(/^[1-9]\d{3,9}$/u);
  expect(idOf(await cloud.call('POST', `/vpcs/${vpc}/peerings`, newPeering))).toMatch(
    /^[1-9]\d{3,9}$/u,
  );
  expect(idOf(await cloud.call('POST', `/services/${service}/replicaSets`, newReplicaSet))).toMatch(
    /^[1-9]\d{3,9}$/u,
  );
});

test('dates come from the clock of the simulator', async () => {
  const created = await cloud.call('POST', '/services', newService);
  expect(created.body).toMatchObject({ created: new Date(cloud.clock.now()).toISOString() });
  expect(created.headers.get('date')).toBe(new Date(cloud.clock.now()).toUTCString());
});

test('usage figures change with each read', async () => {
  const id = await cloud.serviceIn('READY');
  const looks = new Set<string>();
  for (let look = 0; look < 5; look++) looks.add((await cloud.call('GET', `/services/${id}`)).text);
  expect(looks.size).toBeGreaterThan(1);
});
