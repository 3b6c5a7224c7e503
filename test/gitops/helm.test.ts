import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { usualOffers } from '../../src/simulator/offers.ts';
import { helm } from '../support/helm.ts';
import { service } from '../support/manifests.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWorld, type World } from '../support/world.ts';

/** A chart with a database, by the Helm whose library Flux's helm-controller has. helm-controller itself does not run here. */

async function releaseIn(world: World, folder: string) {
  await mkdir(join(folder, 'templates'), { recursive: true });
  const chart = JSON.stringify({ apiVersion: 'v2', name: 'shop', version: '1.0.0' });
  await writeFile(join(folder, 'Chart.yaml'), chart);
  return async (spec: object, timeout = '25s') => {
    const orders = JSON.stringify(service('orders', spec));
    await writeFile(join(folder, 'templates', 'orders.yaml'), orders);
    return helm(inject('controlPlane'), [
      'upgrade',
      '--install',
      'shop',
      folder,
      '--namespace',
      world.namespace,
      '--wait',
      '--rollback-on-failure',
      '--timeout',
      timeout,
    ]);
  };
}

test('helm waits for the database, and a rejected size fails the upgrade and is rolled back', async () => {
  await using world = await startWorld({ latencyMs: 180_000, offers: usualOffers });
  await using folder = await temporaryFolder();
  const upgrade = await releaseIn(world, folder.path);
  expect(await upgrade({})).toMatchObject({ code: 0 });
  expect((await world.service('orders'))?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Ready', status: 'True' }),
  );
  const rejected = await upgrade({ cpuMillis: 777, memoryGbs: 7 });
  expect(rejected.code).toBe(1);
  expect(rejected.stderr).toMatch(/orders|rolled back/u);
  expect((await world.service('orders'))?.spec).toMatchObject({ cpuMillis: 1000, memoryGbs: 4 });
  await world.untilReady('service', 'orders');
  expect([...world.project.commits]).toEqual([['createService', 1]]);
});

test('a suspended database does not hold up helm', async () => {
  await using world = await startWorld();
  await using folder = await temporaryFolder();
  const upgrade = await releaseIn(world, folder.path);
  expect(await upgrade({})).toMatchObject({ code: 0 });
  const suspended = { suspend: true, cpuMillis: 2000, memoryGbs: 8 };
  expect(await upgrade(suspended)).toMatchObject({ code: 0 });
  await world.untilReason('service', 'orders', 'Suspended');
});
