import { replicaSet, service, vpc } from '../support/manifests.ts';
import type { Deployment } from './deployment.ts';
import { storedEntries } from './stored.ts';
import type { SimulatedWorld } from './world.ts';

/**
 * The actions of users, with the waits between them. It ends with an empty namespace.
 * @throws if a wait is in vain
 */
export type Story = (world: SimulatedWorld, operators: Deployment) => Promise<void>;

const small = { environment: 'DEV', cpuMillis: 1_000, memoryGbs: 4 };
const large = { cpuMillis: 2_000, memoryGbs: 8 };
const orders = service('orders', small);

const sizeIs = ({ project }: SimulatedWorld, cpuMillis: number) =>
  [...project.stores.service.values()].some(
    ({ timeline }) =>
      timeline.at(project.clock.now())?.resources?.[0]?.spec?.cpu_millis === cpuMillis,
  );

/** The stories by their names on the command line. */
export const stories = {
  /** A VPC, a service in it and its replica set; the service is resized; all are deleted. */
  async create(world) {
    await world.apply(
      vpc('prod'),
      service('orders', { ...small, vpcRef: { name: 'prod' } }),
      replicaSet('reads', 'orders', { nodes: 1, environment: 'DEV' }),
    );
    await world.untilReady('ManagedVpc', 'prod');
    await world.untilReady('ManagedService', 'orders');
    await world.untilReady('ReplicaSet', 'reads');
    await world.patch('ManagedService', 'orders', { spec: large });
    await world.untilReady('ManagedService', 'orders');
    await world.until('the resize', () => sizeIs(world, large.cpuMillis));
    await removed(
      world,
      ['ReplicaSet', 'reads'],
      ['ManagedService', 'orders'],
      ['ManagedVpc', 'prod'],
    );
  },
  /** A service whose password is rotated twice, the second time while the first may be in flight. */
  async rotate(world) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    await world.patch('ManagedService', 'orders', { spec: { password: { rotation: 'a' } } });
    await world.letPass(1_500);
    await world.patch('ManagedService', 'orders', { spec: { password: { rotation: 'b' } } });
    await world.letPass(10_000);
    await world.untilReady('ManagedService', 'orders');
    await removed(world, ['ManagedService', 'orders']);
  },
  /** A service that is deleted while the cloud creates it. */
  async hasty(world) {
    await world.apply(orders);
    await world.letPass(1_500);
    await removed(world, ['ManagedService', 'orders']);
  },
} satisfies Readonly<Record<string, Story>>;

/** Deletes objects, all at once, and waits until the cloud and the ledger are empty. */
async function removed(
  world: SimulatedWorld,
  ...objects: readonly Parameters<SimulatedWorld['delete']>[]
): Promise<void> {
  for (const [kind, name] of objects) await world.delete(kind, name);
  for (const [kind, name] of objects) {
    await world.untilGone(kind, name);
    const left = livingIn(world).filter((each) => each.startsWith(`${name}-`));
    if (left.length > 0) world.problems.push(`${kind} ${name} is gone, and the cloud has it`);
  }
  await world.until('an empty ledger', () => storedEntries(world.apiServer).length === 0);
  // Longer than the deadline of a call, so that a late change would show.
  await world.letPass(150_000);
  const left = livingIn(world);
  if (left.length > 0) world.problems.push(`in the end the cloud has ${left.join(', ')}`);
}

/** The names of the resources that exist in the cloud. */
function livingIn({ project: { everCreated, clock } }: SimulatedWorld): readonly string[] {
  return everCreated
    .filter(({ deletedAt }) => deletedAt === undefined || Date.parse(deletedAt) > clock.now())
    .map(({ kind, id, name = `${kind} ${id}` }) => name);
}
