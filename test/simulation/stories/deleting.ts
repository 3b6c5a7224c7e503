import { annotations } from '../../../src/resources/annotations.ts';
import { replicaSet, service, vpc } from '../../support/manifests.ts';
import { eventMessages } from '../stored.ts';
import type { SimulatedWorld } from '../world.ts';
import {
  agreed,
  created,
  emptied,
  idOf,
  livingIn,
  lose,
  removed,
  small,
  stays,
  type Story,
  untilSaid,
  withNewPassword,
} from './story.ts';

const orders = service('orders', small);
const inVpc = { ...small, vpcRef: { name: 'prod' } };
const manifests = [
  { ...vpc('prod'), kind: 'ManagedVpc' },
  { ...service('orders', inVpc), kind: 'ManagedService' },
  { ...replicaSet('reads', 'orders', { nodes: 1, environment: 'DEV' }), kind: 'ReplicaSet' },
] as const;

async function allReady(world: SimulatedWorld): Promise<void> {
  for (const { kind, metadata } of manifests) await world.untilReady(kind, metadata.name);
}

/** Stories in which objects or their finalizers are removed. */
export const deleting = {
  /** A service that is deleted while the cloud creates it. */
  async hasty(world) {
    await world.apply(orders);
    await world.letPass(1_500);
    await removed(world, ['ManagedService', 'orders']);
  },
  /** A VPC is deleted before its service, and the service before its replica set. */
  async upsideDown(world) {
    await world.apply(...manifests);
    await allReady(world);
    const ids = livingIn(world).map(({ id }) => id);
    await world.delete('ManagedVpc', 'prod');
    await world.letPass(20_000);
    await world.delete('ManagedService', 'orders');
    await world.letPass(20_000);
    for (const id of ids) stays(world, id);
    await removed(world, ['ReplicaSet', 'reads']);
    created(world, 3);
  },
  /** A namespace is deleted, with a service that is still being created. */
  async namespace(world) {
    await world.apply(...manifests);
    await allReady(world);
    await world.apply(service('late', small));
    await world.letPass(1_000);
    await world.deleteNamespace();
    await emptied(world);
  },
  /** A delivery tool replaces every object again and again, while the cloud creates and deletes. */
  async replace(world) {
    await world.apply(...manifests);
    const replaced = async (times: number) => {
      for (let nth = 0; nth < times; nth += 1) {
        for (const manifest of manifests) await world.replace(manifest);
        await world.letPass(700);
      }
    };
    await replaced(10);
    await allReady(world);
    await agreed(world, 'orders');
    created(world, 3);
    for (const { kind, metadata } of manifests) await world.delete(kind, metadata.name);
    await replaced(10);
    for (const { kind, metadata } of manifests) await world.untilGone(kind, metadata.name);
    await emptied(world);
  },
  /** A person removes the finalizer of an object, and later of an object in deletion, which returns from a backup. */
  async stripped(world, { operators }) {
    const strip = { metadata: { finalizers: null } };
    await world.apply(orders);
    await world.letPass(700);
    await world.kubectlPatch('ManagedService', 'orders', strip);
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    await world.until('the finalizer to return', async () => {
      const object = await world.object('ManagedService', 'orders');
      return (object?.metadata.finalizers ?? []).length > 0;
    });
    operators.pause();
    const pointer = (await world.object('ManagedService', 'orders'))?.metadata.annotations?.[
      annotations.ledger
    ];
    await world.delete('ManagedService', 'orders');
    await world.kubectlPatch('ManagedService', 'orders', strip);
    await world.untilGone('ManagedService', 'orders');
    operators.resume();
    await world.letPass(20_000);
    await world.apply(service('orders', small, { [annotations.ledger]: pointer ?? '' }));
    await world.untilReady('ManagedService', 'orders');
    if ((await agreed(world, 'orders')) !== id) world.problems.push('orders has another id');
    created(world, 1);
    await removed(world, ['ManagedService', 'orders']);
  },
  /** A service with a replica set of a person is deleted. */
  async foreignDependent(world) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    const sets = `services/${id}/replicaSets`;
    const body = { name: 'theirs', nodes: 1, cpu_millis: 1_000, memory_gbs: 4 };
    const theirs = await world.inCloud({ method: 'POST', path: sets, body });
    await world.letPass(60_000);
    await world.delete('ManagedService', 'orders');
    await world.letPass(30_000);
    stays(world, theirs);
    stays(world, id);
    await world.inCloud({ method: 'DELETE', path: `${sets}/${theirs}` });
    await world.untilGone('ManagedService', 'orders');
    await emptied(world);
    created(world, 2);
  },
  /** A deletion waits for a replica set. Retain takes the deletion back while the watches are silent. */
  async silentRetain(world) {
    await world.apply(...manifests);
    await allReady(world);
    const id = await agreed(world, 'orders');
    const reads = await idOf(world, 'ReplicaSet', 'reads');
    await world.delete('ManagedService', 'orders');
    await world.letPass(10_000);
    // From now on, no report need be in time.
    world.network.weather = { ...world.network.weather };
    world.network.harmWatches('silence');
    await world.kubectlPatch('ManagedService', 'orders', { spec: { deletionPolicy: 'Retain' } });
    await world.letPass(15_000);
    lose(world, reads);
    await world.untilGone('ManagedService', 'orders');
    stays(world, id);
    await world.apply(service('orders', small, { [annotations.externalId]: id }));
    await world.untilReady('ManagedService', 'orders');
    await removed(
      world,
      ['ReplicaSet', 'reads'],
      ['ManagedService', 'orders'],
      ['ManagedVpc', 'prod'],
    );
    created(world, 3);
  },
  /** A CustomResourceDefinition is deleted, and created again: a service is retained, another loses its finalizer. */
  async definition(world) {
    const kind = 'ManagedService';
    await world.apply(...manifests, service('users', small));
    await allReady(world);
    await world.untilReady(kind, 'users');
    const ids = { orders: await agreed(world, 'orders'), users: await agreed(world, 'users') };
    const users = await world.object(kind, 'users');
    const pointer = users?.metadata.annotations?.[annotations.ledger] ?? '';
    world.deleteDefinition(kind);
    await untilSaid(world, [kind, 'orders'], 'DeletionBlocked');
    await untilSaid(world, [kind, 'users'], 'DeletionBlocked');
    await world.letPass(60_000);
    await world.kubectlPatch(kind, 'orders', { spec: { deletionPolicy: 'Retain' } });
    await world.kubectlPatch(kind, 'users', { metadata: { finalizers: null } });
    await world.untilGone(kind, 'orders');
    await world.untilGone(kind, 'users');
    await world.untilDefinitionsGone();
    await world.letPass(200_000);
    for (const id of Object.values(ids)) stays(world, id);
    world.apiServer.definitions.install();
    await world.apply(
      service('orders', inVpc, { [annotations.externalId]: ids.orders }),
      service('users', small, { [annotations.ledger]: pointer }),
    );
    await allReady(world);
    await withNewPassword(world, 'orders');
    await withNewPassword(world, 'users');
    if ((await idOf(world, kind, 'users')) !== ids.users)
      world.problems.push('users has another id');
    created(world, 4);
    await removed(
      world,
      ['ReplicaSet', 'reads'],
      [kind, 'orders'],
      [kind, 'users'],
      ['ManagedVpc', 'prod'],
    );
  },
  /** A person deletes an object and removes its finalizer at once, while the operator runs. Another object adopts the service. */
  async abandoned(world) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    await world.delete('ManagedService', 'orders');
    await world.kubectlPatch('ManagedService', 'orders', { metadata: { finalizers: null } });
    await world.untilGone('ManagedService', 'orders');
    await world.letPass(30_000);
    created(world, 1);
    if (livingIn(world).length === 0) return emptied(world);
    const messages = eventMessages(world.apiServer, world.namespace);
    if (!messages.some((message) => message.includes(id)))
      world.problems.push(`orders is gone, the cloud has ${id}, and no event says so`);
    await world.apply(service('orders', small, { [annotations.externalId]: id }));
    await world.untilReady('ManagedService', 'orders');
    await removed(world, ['ManagedService', 'orders']);
  },
  /** The deletion is taken back by Retain before or after the DELETE; a retained service returns. */
  async secondThought(world) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    const id = await idOf(world, 'ManagedService', 'orders');
    await world.delete('ManagedService', 'orders');
    await world.letPass(30);
    await world.kubectlPatch('ManagedService', 'orders', { spec: { deletionPolicy: 'Retain' } });
    await world.untilGone('ManagedService', 'orders');
    if (livingIn(world).length > 0) {
      await world.apply(service('orders', small, { [annotations.externalId]: id }));
      await withNewPassword(world, 'orders');
      await removed(world, ['ManagedService', 'orders']);
    } else {
      // An entry may stay: a process that saw neither the answer to the DELETE nor the state DELETING retains the resource.
      await world.until('an empty cloud', () => livingIn(world).length === 0);
    }
    created(world, 1);
  },
} satisfies Readonly<Record<string, Story>>;
