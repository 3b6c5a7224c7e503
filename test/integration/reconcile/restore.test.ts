import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { annotations, cloudResourceFinalizer } from '../../../src/resources/annotations.ts';
import {
  annotationsOf,
  ledgerFinalizer,
  ledgerSecretType,
} from '../../../src/resources/ledger-entry.ts';
import { startControlPlane } from '../../control-plane/control-plane.ts';
import { kubectl } from '../../control-plane/kubectl.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { entriesOf, untilNoEntries } from '../../support/entries-of.ts';
import { dropEntry } from '../../support/ledger.ts';
import { service } from '../../support/manifests.ts';
import { loseObject } from '../../support/lose-object.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { ledgerNamespace, startWorld, type World } from '../../support/world.ts';

/** An object as in a backup: spec and annotations, without status and the API server's fields. */
async function backup(world: World) {
  const pointer = (await world.service('orders'))?.metadata.annotations?.[annotations.ledger] ?? '';
  return service('orders', {}, { [annotations.ledger]: pointer });
}

test('an object that is restored in its cluster is bound to its service again by its old pointer, without its status', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const before = await world.entry('orders');
  const [saved, secret] = [await backup(world), await world.secret('orders-db')];
  await loseObject(world);
  await world.apply(saved);
  await world.startedOperator();
  await world.untilReady('service', 'orders');
  await until('one entry', async () => (await entriesOf(world)).length === 1);
  const after = await world.entry('orders');
  expect([after?.content?.id, after?.data, (await world.service('orders'))?.status?.id]).toEqual([
    id,
    before?.data,
    id,
  ]);
  expect([
    await world.secret('orders-db'),
    world.project.everCreated.length,
    callsOf(world, 'updateServicePassword'),
  ]).toEqual([secret, 1, 0]);
  await world.remove('service', 'orders');
  expect(world.project.commits.get('deleteService')).toBe(1);
  await untilNoEntries(world);
});

test("with the operator's own key a Secret alone proves nothing, whoever refers to it", async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.stopOperators();
  await dropEntry(world, 'orders');
  await loseObject(world);
  await world.apply(service('orders', {}, { 'managed-db.io/external-id': id }));
  await world.startedOperator();
  expect(await world.untilReason('service', 'orders', 'NotAllowed')).toContain(id);
  await world.sync('service', 'orders');
  expect([
    (await world.service('orders'))?.status?.id,
    (await world.entry('orders'))?.content?.id,
  ]).toEqual([undefined, undefined]);

  // The administrator allows the objects to adopt resources of the operator's project.
  await world.stopOperators();
  await world.startedOperator(sharedProject);
  await world.untilReady('service', 'orders');
  expect((await world.service('orders'))?.status?.id).toBe(id);
  expect(world.project.everCreated.length).toBe(1);
});

test(
  'a restore drill in another cluster never touches production, also with its ledger',
  { timeout: 120_000 },
  async () => {
    await using world = await startWorld();
    const id = await readyService(world);
    const saved = await backup(world);
    const entry = await world.entry('orders');
    if (!entry?.content) throw new Error('there is no entry');
    await using plane = await startControlPlane({
      crds: fileURLToPath(new URL('../../../crds', import.meta.url)),
    });
    const { handle } = plane;
    const drill = (args: readonly string[], input?: object) =>
      kubectl(
        handle,
        ['-n', world.namespace, ...args],
        input === undefined ? {} : { input: JSON.stringify(input) },
      );
    const metadata = {
      name: entry.metadata.name,
      namespace: ledgerNamespace,
      labels: entry.metadata.labels,
      annotations: annotationsOf(entry.content),
      finalizers: [ledgerFinalizer],
    };
    for (const name of [world.namespace, ledgerNamespace])
      await drill(['create', 'namespace', name]);
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      type: ledgerSecretType,
      metadata,
      stringData: entry.data,
    };
    expect(
      await kubectl(handle, ['create', '-f', '-'], { input: JSON.stringify(secret) }),
    ).toMatchObject({ code: 0 });
    const restored = {
      ...saved,
      metadata: { ...saved.metadata, finalizers: [cloudResourceFinalizer] },
    };
    expect(await drill(['apply', '-f', '-'], restored)).toMatchObject({ code: 0 });
    const reason = async () =>
      (
        await drill([
          'get',
          'managedservice',
          'orders',
          '-o',
          'jsonpath={.status.conditions[1].reason}',
        ])
      ).stdout;
    const untilHeldBack = () =>
      until(
        'the other cluster to hold back',
        async () => (await reason()) === 'OwnedElsewhere',
        reason,
      );
    const first = await world.startedOperator({ cluster: handle });
    await untilHeldBack();
    await drill([
      'patch',
      'managedservice',
      'orders',
      '--type=merge',
      '-p',
      '{"spec":{"environment":"PROD","deletionProtection":false}}',
    ]);
    // A status of another time counts for nothing.
    await drill([
      'patch',
      'managedservice',
      'orders',
      '--subresource=status',
      '--type=merge',
      '-p',
      '{"status":{"id":"x9x9x9x9x9"}}',
    ]);
    expect(await drill(['delete', 'managedservice', 'orders', '--timeout=20s'])).toMatchObject({
      code: 0,
    });
    expect(
      (['deleteService', 'setServiceEnvironment', 'updateServicePassword'] as const).map((name) =>
        callsOf(world, name),
      ),
    ).toEqual([0, 0, 0]);

    // The drill cluster takes over only when the administrator of its operator allows it.
    await drill(['apply', '-f', '-'], saved);
    await untilHeldBack();
    await first.stop(5_000);
    const acceptedClusters = [entry.content.clusterUid];
    await world.startedOperator({
      cluster: handle,
      settings: { options: { ...defaultOptions, acceptedClusters } },
    });
    await until(
      'the other cluster to take over',
      async () => (await reason()) === 'Available',
      reason,
    );
    const { stdout } = await drill([
      'get',
      'managedservice',
      'orders',
      '-o',
      'jsonpath={.status.id}',
    ]);
    expect([stdout, world.project.everCreated.length]).toEqual([id, 1]);
  },
);
