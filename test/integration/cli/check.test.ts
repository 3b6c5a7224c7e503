import { expect, test } from 'vitest';
import type { Service } from '../../../src/cloud/wire/service.ts';
import { managedDb } from '../../support/managed-db.ts';
import { startWorld, type World } from '../../support/world.ts';

const service = { name: 'orders' };
const vpc = { name: 'prod', cidr: '10.0.0.0/16', region_code: 'eu-central-1' };

async function checked(world: World) {
  const before = [...world.project.commits];
  const { code, stdout } = await managedDb(world, ['check']);
  expect([...world.project.commits]).toEqual(before);
  return { code, differing: stdout.split('\n').filter((line) => line.includes('  differs')) };
}

test('check finds nothing in a cloud that serves the documented API, and only reads', async () => {
  await using world = await startWorld({ start: false });
  await world.createInCloud('services', service);
  await world.createInCloud('vpcs', vpc);
  expect(await checked(world)).toEqual({ code: 0, differing: [] });
});

test.for([
  ['listVpcs', { kind: 'malformed', operation: 'listVpcs', as: 'wrongType' }],
  ['listServices', { kind: 'errorBefore', operation: 'listServices', status: 500 }],
  ['getService', { kind: 'malformed', operation: 'getService', as: 'html' }],
] as const)('check names %s if its reply is not as documented', async ([operation, fault]) => {
  await using world = await startWorld({ start: false });
  await world.createInCloud('services', service);
  world.project.faults.add(fault);
  const { code, differing } = await checked(world);
  expect(code).toBe(1);
  expect(differing.length).toBeGreaterThan(0);
  expect(differing.filter((line) => !line.startsWith(operation))).toEqual([]);
});

const odd = (seen: Service) => Object.assign({ ...seen }, { region_code: 5, status: 7 });

test('check names each odd field with the id of its resource', async () => {
  await using world = await startWorld({ start: false });
  await world.createInCloud('services', service);
  const { id = '' } = world.project.everCreated[0] ?? {};
  world.project.stores.service
    .get(id)
    ?.timeline.plan(world.clock.now(), [{ afterMs: 0, change: odd }]);
  const { code, differing } = await checked(world);
  expect(code).toBe(1);
  expect(differing.find((line) => line.startsWith('listServices'))).toContain(
    `1 services, but region_code of ${id}: expected string; status of ${id}: expected string`,
  );
});
