import { expect, test } from 'vitest';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { operations } from '../../../src/cloud/wire/all.ts';
import { reconcilers } from '../../../src/reconcile/kinds/all.ts';
import type { KindReconciler } from '../../../src/reconcile/kinds/kind.ts';
import type { Situation } from '../../../src/reconcile/situation/situation.ts';
import { describeStep } from '../../../src/reconcile/step/step.ts';
import { kinds } from '../../../src/resources/managed-object.ts';
import { startControlPlane } from '../../control-plane/control-plane.ts';
import { kubectl } from '../../control-plane/kubectl.ts';
import { replicaSet, service, vpc } from '../../support/manifests.ts';
import { readFacts } from '../../support/read-facts.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const entry = z.looseObject({
  level: z.string(),
  msg: z.string(),
  object: z.string().optional(),
  operation: z.string().optional(),
});

function entries({ log }: Pick<World, 'log'>): readonly z.infer<typeof entry>[] {
  return log.map((line) => entry.parse(JSON.parse(line)));
}

/** The debug line of a visit: the facts that it read, and the step that it decided. */
const decided = z.object({
  msg: z.literal('decided'),
  step: z.string(),
  facts: z.looseObject({ object: z.looseObject({ kind: z.enum(kinds) }) }),
});

/** The log lines at the operator's default level. */
function heard(world: Pick<World, 'log'>): readonly z.infer<typeof entry>[] {
  return entries(world).filter(({ level }) => level !== 'debug' && level !== 'trace');
}

test('the facts in the debug line of each visit lead to the step of that visit again', async () => {
  await using world = await startWorld();
  await world.apply(
    vpc('prod'),
    service('orders', { vpcRef: { name: 'prod' } }),
    replicaSet('orders-reads', 'orders'),
  );
  await world.untilReady('replicaSet', 'orders-reads');
  const changed = { vpcRef: { name: 'prod' }, cpuMillis: 2000, password: { rotation: 'second' } };
  await world.applyUntilReady(service('orders', changed));
  await world.remove('replicaSet', 'orders-reads');
  await world.remove('service', 'orders');
  await world.remove('vpc', 'prod');
  const lines = world.log.flatMap((line) => decided.safeParse(JSON.parse(line)).data ?? []);
  const again = lines.map(({ facts }) => {
    const kind: KindReconciler<Situation> = reconcilers[facts.object.kind];
    return describeStep(kind.decide(kind.situationOf(readFacts(facts))));
  });
  expect(again).toEqual(lines.map(({ step }) => step));
  const types = new Set(lines.map(({ step }) => step.split(' ', 1)[0]));
  expect(types).toEqual(new Set(['call', 'write', 'wait', 'done', 'release']));
});

test('every log line names its object in the same form, and a change in the cloud its object, project and resource', async () => {
  await using world = await startWorld();
  await world.apply(
    vpc('prod'),
    service('orders', { vpcRef: { name: 'prod' } }),
    replicaSet('orders-reads', 'orders'),
  );
  for (const [kind, name] of [
    ['vpc', 'prod'],
    ['service', 'orders'],
    ['replicaSet', 'orders-reads'],
  ] as const)
    await world.untilReady(kind, name);
  await world.applyUntilReady(service('orders', { vpcRef: { name: 'prod' }, cpuMillis: 2000 }));
  await world.remove('replicaSet', 'orders-reads');
  const named = entries(world).filter(({ object }) => object !== undefined);
  expect(new Set(named.map(({ object }) => object?.replace(world.namespace, 'NAMESPACE')))).toEqual(
    new Set([
      'ManagedService/NAMESPACE/orders',
      'ManagedVpc/NAMESPACE/prod',
      'ReplicaSet/NAMESPACE/orders-reads',
    ]),
  );
  const changes = heard(world).filter(({ operation }) => operation !== undefined);
  const id = (await world.service('orders'))?.status?.id;
  expect(
    changes.map(({ operation, object, projectId, resourceId }) => [
      operation,
      object,
      projectId,
      resourceId,
    ]),
  ).toEqual(
    expect.arrayContaining([
      ['createVpc', `ManagedVpc/${world.namespace}/prod`, world.project.id, undefined],
      ['createService', `ManagedService/${world.namespace}/orders`, world.project.id, undefined],
      ['resizeService', `ManagedService/${world.namespace}/orders`, world.project.id, id],
      ['createReplicaSet', `ReplicaSet/${world.namespace}/orders-reads`, world.project.id, id],
    ]),
  );
  expect(heard(world)).toContainEqual(
    expect.objectContaining({
      msg: `created ManagedService ${id}`,
      id,
      kind: 'ManagedService',
      namespace: world.namespace,
      name: 'orders',
    }),
  );
  // A request for all objects belongs to no object.
  const lists = entries(world).filter(({ operation = '' }) => operation.startsWith('list'));
  expect(lists.length).toBeGreaterThan(0);
  expect(new Set(lists.map(({ object, projectId }) => [object, projectId].join(' ')))).toEqual(
    new Set([` ${world.project.id}`]),
  );
  for (const { operation = '' } of changes)
    expect(Object.entries(operations).find(([name]) => name === operation)?.[1].effect).not.toBe(
      'read',
    );
});

test(
  'an outage of the cloud is a warning, once and for each object that needs the cloud, and its end is logged',
  { timeout: 120_000 },
  async () => {
    await using world = await startWorld();
    await world.applyUntilReady(service('orders'));
    world.project.faults.add({ kind: 'dropBefore', operation: '*' });
    await world.apply(service('orders', { cpuMillis: 2000 }));
    const told = (words: string) =>
      heard(world)
        .filter(({ msg }) => msg.includes(words))
        .map(({ level }) => level);
    await until(
      'the outage to be told',
      () => told('does not answer').length > 0,
      () => world.log.slice(-20),
    );
    await world.untilReason('service', 'orders', 'CloudUnavailable');
    world.project.faults.clear();
    await world.untilReady('service', 'orders');
    await until(
      'the return to be told',
      () => told('answers again, after ').length > 0,
      () => world.log.slice(-20),
    );
    expect([told('the cloud at http://127.0.0.1'), told('does not answer')]).toEqual([
      ['warn', 'info'],
      ['warn'],
    ]);
    const unavailable = heard(world).filter(({ reason }) => reason === 'CloudUnavailable');
    expect(new Set(unavailable.map(({ level }) => level))).toEqual(new Set(['warn']));
  },
);

test(
  'an outage of the API server is one line, its end another, and no line has a stack trace',
  { timeout: 120_000 },
  async () => {
    await using plane = await startControlPlane({
      crds: fileURLToPath(new URL('../../../crds', import.meta.url)),
    });
    await using world = await startWorld({
      start: false,
      endsRestless: 'its control plane is gone by then',
    });
    const operator = await world.startedOperator({
      cluster: plane.handle,
      settings: { namespaces: undefined },
    });
    const apply = async (...manifests: readonly object[]) => {
      const input = manifests.map((manifest) => JSON.stringify(manifest)).join('\n');
      expect(await kubectl(plane.handle, ['apply', '-f', '-'], { input })).toMatchObject({
        code: 0,
      });
    };
    const names = Array.from({ length: 20 }, (_, at) => `orders-${at}`);
    await apply(vpc('prod'), ...names.map((name) => service(name)));
    const isReady = async (name: string) =>
      (
        await kubectl(plane.handle, [
          'get',
          'msvc',
          name,
          '-o',
          'jsonpath={.status.conditions[?(@.type=="Ready")].status}',
        ])
      ).stdout === 'True';
    await until(
      'the first to be Ready',
      () => isReady(names[0] ?? ''),
      () => world.log.slice(-20),
    );
    const before = heard(world).length;
    await plane.stopApiServer();
    // Many objects reconcile just then, and the clock is fast: none of them reaches the API server.
    const told = (words: string) => heard(world).filter(({ msg }) => msg.includes(words)).length;
    await until(
      'the outage to be told',
      () => told('the API server does not answer') > 0,
      () => world.log.slice(-20),
    );
    await plane.startApiServer();
    for (const name of names)
      await until(
        `${name} to be Ready`,
        () => isReady(name),
        () => world.log.slice(-20),
      );
    await operator.stop(2_000);
    const since = heard(world).slice(before);
    const ofServer = since.filter(({ msg }) => msg.includes('the API server'));
    expect(ofServer.map(({ level, msg }) => `${level} ${msg.replace(/\d+ s$/u, 'N s')}`)).toEqual([
      'warn the API server does not answer: databases keep running, and the operator changes nothing until it answers',
      'info the API server answers again, after N s',
    ]);
    expect(world.log.filter((line) => line.includes(String.raw`\n    at `))).toEqual([]);
    expect(since.filter(({ msg }) => msg.includes('watch'))).toEqual([]);
  },
);
