import assert from 'node:assert/strict';
import * as z from 'zod';
import { secretsWithData } from '../../../src/resources/connection-secret.ts';
import type { Operator } from '../../../src/operator/operator.ts';
import { managedServices } from '../../../src/resources/managed-service.ts';
import { resourceKey, type ResourceType } from '../../../src/runtime/index.ts';
import { untilNoEntries } from '../../support/entries-of.ts';
import { replicaSet, secret, service, vpc } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';
import type { Answers } from './answers.ts';

export interface Stage {
  readonly world: World;
  /** The API server's answers to the operators of the world. */
  readonly answers: Answers;
  /** An operator of that name, which takes part in the election. */
  readonly start: (identity: 'first' | 'second') => Promise<Operator>;
}

export interface Step {
  readonly what: string;
  readonly act: () => Promise<unknown>;
}

/** The life of an installation, in the fewest steps that need each of its rights. */
export function story(stage: Stage): readonly Step[] {
  const { world } = stage;
  const first = stage.start('first');
  const noError = {
    what: 'no error was logged',
    act: async () => assert.deepEqual(errorsIn(world), []),
  };
  return [
    { what: 'an operator works', act: async () => (await first).started },
    {
      what: 'a VPC that is edited while it is created becomes ready',
      act: () => edited(world, 'createVpc', vpc('prod')),
    },
    noError,
    {
      what: 'a service that is edited while it is created becomes ready',
      act: () => editedOrders(world),
    },
    {
      what: 'a replica set that is edited while it is created becomes ready',
      act: () => edited(world, 'createReplicaSet', reads),
    },
    { what: 'its password is changed', act: () => changedPassword(world) },
    { what: 'its connection Secret gets another name', act: () => renamedSecret(world) },
    {
      what: 'its connection Secret is deleted and created again',
      act: () => recreatedSecret(world),
    },
    { what: 'events tell of it, and count what comes again', act: () => toldByEvents(world) },
    { what: 'all of it is deleted', act: () => deletedAll(world) },
    {
      what: 'another operator hears at once when the lease is given back',
      act: async () => followed(stage, await first),
    },
    noError,
  ];
}

const rotated = { password: { rotation: 'one' } };

interface Manifest {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly annotations: Readonly<Record<string, string>>;
  };
}

/** The operator must record the id in the answer to the create, though the object is another by then. */
async function edited(
  world: World,
  operation: 'createVpc' | 'createService' | 'createReplicaSet',
  manifest: Manifest,
): Promise<void> {
  world.project.faults.add({ kind: 'delayReply', operation, delayMs: 1_000, times: 1 });
  await world.apply(manifest);
  await until('the request to create it', () => world.project.calls.has(operation));
  const metadata = { ...manifest.metadata, annotations: { team: 'data' } };
  await world.applyUntilReady({ ...manifest, metadata });
}

const ofAll = { vpcRef: { name: 'prod' }, credentialsRef: { name: 'cloud' } };
const reads = replicaSet('reads', 'orders', { credentialsRef: { name: 'cloud' } });

async function editedOrders(world: World): Promise<void> {
  await world.apply(secret('cloud', { apiKey: world.project.apiKey }));
  await edited(world, 'createService', service('orders', ofAll));
}

async function readyOrders(world: World, spec: object): Promise<void> {
  await world.applyUntilReady(service('orders', { ...ofAll, ...spec }));
}

async function changedPassword(world: World): Promise<void> {
  const before = await world.secret('orders-db');
  await readyOrders(world, rotated);
  await until(
    'another password',
    async () => (await world.secret('orders-db'))?.['password'] !== before?.['password'],
  );
}

async function renamedSecret(world: World): Promise<void> {
  await readyOrders(world, { ...rotated, connectionSecret: { name: 'renamed' } });
  await untilNoSecret(world, 'orders-db');
}

async function recreatedSecret(world: World): Promise<void> {
  const before = await world.secret('renamed');
  await world.kubernetes.delete(secretsWithData, resourceKey(world.namespace, 'renamed'));
  await until(
    'the same password again',
    async () => (await world.secret('renamed'))?.['password'] === before?.['password'],
  );
}

/** A second suspension of an object has an event with the same words. */
async function toldByEvents(world: World): Promise<void> {
  const { namespace } = world;
  for (let round = 0; round < 2; round++) {
    await suspend(world, true);
    await world.untilReason('service', 'orders', 'Suspended');
    await suspend(world, false);
    await world.untilReady('service', 'orders');
  }
  const told = async () => (await world.kubernetes.list(events, { namespace })).items;
  await until(
    'an event that is counted up',
    async () => (await told()).some(({ count }) => count > 1),
    told,
  );
}

async function suspend({ kubernetes, namespace }: World, isSuspended: boolean): Promise<void> {
  await kubernetes.patch<unknown>(managedServices, resourceKey(namespace, 'orders'), {
    spec: { suspend: isSuspended },
  });
}

async function deletedAll(world: World): Promise<void> {
  await world.remove('replicaSet', 'reads');
  await world.remove('service', 'orders');
  await world.remove('vpc', 'prod');
  await untilNoSecret(world, 'renamed');
  await untilNoEntries(world);
  await deletedSecret(world, 'cloud');
}

async function followed({ world, answers, start }: Stage, first: Operator): Promise<void> {
  const second = await start('second');
  await until(
    'it to have seen that the lease is held',
    () => answers.times(`second GET ${leasePath(world)} 200`) > 0,
  );
  await first.stop(2_000);
  await second.started;
}

function leasePath({ namespace }: World): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/managed-db-operator`;
}

async function deletedSecret(world: World, name: string): Promise<void> {
  await world.kubernetes.delete(secretsWithData, resourceKey(world.namespace, name));
  await untilNoSecret(world, name);
}

async function untilNoSecret(world: World, name: string): Promise<void> {
  await until(`Secret ${name} to be gone`, async () => (await world.secret(name)) === undefined);
}

function errorsIn({ log }: World): readonly string[] {
  return log.filter((line) => line.includes('"level":"error"'));
}

const counted = z.object({ reason: z.string(), count: z.number() });
const events: ResourceType<z.output<typeof counted>> = {
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  parse: (value) => counted.parse(value),
};
