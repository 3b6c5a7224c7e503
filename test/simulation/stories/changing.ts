import { peering, replicaSet, secret, service, vpc } from '../../support/manifests.ts';
import {
  agreed,
  attachedVpc,
  created,
  idOf,
  large,
  removed,
  shownService,
  small,
  type Story,
  untilLarge,
  untilSaid,
  withNewPassword,
} from './story.ts';

const orders = service('orders', small);

/** Stories in which the spec changes. */
export const changing = {
  /** A VPC, a service in it and its replica set; the service is resized; all are deleted. */
  async create(world) {
    await world.apply(
      vpc('prod', { peerings: [peering] }),
      service('orders', { ...small, vpcRef: { name: 'prod' } }),
      replicaSet('reads', 'orders', { nodes: 1, environment: 'DEV' }),
    );
    await world.untilReady('ManagedVpc', 'prod');
    await world.untilReady('ManagedService', 'orders');
    await world.untilReady('ReplicaSet', 'reads');
    await world.patch('ManagedService', 'orders', { spec: large });
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    await untilLarge(world, id);
    created(world, 4);
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
    await agreed(world, 'orders');
    await removed(world, ['ManagedService', 'orders']);
  },
  /** The first call with a new password arrives late, after a newer password was requested. */
  async lateCall(world) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    // From now on, no report need be in time.
    world.network.weather = { ...world.network.weather };
    world.project.faults.add({
      kind: 'delay',
      operation: 'updateServicePassword',
      delayMs: 100_000,
      times: 1,
    });
    await withNewPassword(world, 'orders');
    await world.patch('ManagedService', 'orders', { spec: { password: { rotation: 'b' } } });
    await world.letPass(120_000);
    await world.untilReady('ManagedService', 'orders');
    await agreed(world, 'orders');
    await removed(world, ['ManagedService', 'orders']);
  },
  /** A person suspends an object while the cloud does not answer a call. */
  async suspendedInFlight(world, { isHarmed }) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    // If a process also freezes, no report need be in time.
    if (isHarmed) world.network.weather = { ...world.network.weather };
    const delay = { kind: 'delay', operation: 'updateServicePassword', delayMs: 90_000 } as const;
    world.project.faults.add({ ...delay, times: 1 });
    await world.patch('ManagedService', 'orders', { spec: { password: { rotation: 'a' } } });
    await world.letPass(2_000);
    await world.patch('ManagedService', 'orders', { spec: { suspend: true } });
    if (!isHarmed) await untilSaid(world, ['ManagedService', 'orders'], 'WaitingForCloud');
    await untilSaid(world, ['ManagedService', 'orders'], 'Suspended');
    await world.patch('ManagedService', 'orders', { spec: { suspend: null } });
    await world.untilReady('ManagedService', 'orders');
    await agreed(world, 'orders');
    await removed(world, ['ManagedService', 'orders']);
  },
  /** A service gets the password of a Secret, its next password, and then a password of the operator. */
  async source(world) {
    const until = (password: string) =>
      world.until(`the password ${password}`, async () => {
        const id = await agreed(world, 'orders');
        return world.project.stores.service.get(id)?.password === password;
      });
    await world.apply(orders, secret('mine', { password: 'hunter2-hunter2' }));
    await world.untilReady('ManagedService', 'orders');
    await world.patch('ManagedService', 'orders', {
      spec: { password: { secretRef: { name: 'mine' } } },
    });
    await until('hunter2-hunter2');
    await world.apply(secret('mine', { password: 'hunter3-hunter3' }));
    await until('hunter3-hunter3');
    await world.patch('ManagedService', 'orders', {
      spec: { password: { secretRef: null, rotation: 'a' } },
    });
    await world.until(
      'another password',
      async () => !(await world.secret('orders-db'))?.['password']?.startsWith('hunter'),
    );
    await agreed(world, 'orders');
    await world.untilReady('ManagedService', 'orders');
    await removed(world, ['ManagedService', 'orders']);
  },
  /** Size, replicas, environment and the name of the Secret change at once. */
  async allAtOnce(world) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    await world.patch('ManagedService', 'orders', {
      spec: {
        ...large,
        environment: 'PROD',
        deletionProtection: false,
        highAvailability: { replicaCount: 1, syncReplicaCount: 0 },
        connectionSecret: { name: 'elsewhere' },
      },
    });
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders', 'elsewhere');
    await world.until('all changes', () => {
      const shown = shownService(world, id);
      return (
        shown?.resources?.[0]?.spec?.cpu_millis === large.cpuMillis &&
        shown.ha_replicas?.replica_count === 1 &&
        shown.metadata?.environment === 'PROD'
      );
    });
    await world.until(
      'the old Secret to be gone',
      async () => (await world.secret('orders-db')) === undefined,
    );
    await removed(world, ['ManagedService', 'orders']);
  },
  /** A service moves from a VPC to another, and then to none. */
  async move(world) {
    const isIn = async (name: string | undefined) => {
      const vpcId = name && (await idOf(world, 'ManagedVpc', name));
      const id = await idOf(world, 'ManagedService', 'orders');
      await world.until(
        `orders to be in ${name ?? 'no VPC'}`,
        () => attachedVpc(world, id) === vpcId,
      );
    };
    await world.apply(
      vpc('prod'),
      vpc('test', { cidr: '10.1.0.0/16' }),
      service('orders', { ...small, vpcRef: { name: 'prod' } }),
    );
    await world.untilReady('ManagedVpc', 'test');
    await world.untilReady('ManagedService', 'orders');
    await isIn('prod');
    await world.patch('ManagedService', 'orders', { spec: { vpcRef: { name: 'test' } } });
    await world.untilReady('ManagedService', 'orders');
    await isIn('test');
    await world.patch('ManagedService', 'orders', { spec: { vpcRef: null } });
    await world.untilReady('ManagedService', 'orders');
    await isIn(undefined);
    await agreed(world, 'orders');
    created(world, 3);
    await removed(
      world,
      ['ManagedService', 'orders'],
      ['ManagedVpc', 'prod'],
      ['ManagedVpc', 'test'],
    );
  },
  /** A VPC gets a peering, another instead, and none. */
  async peerings(world) {
    const second = { ...peering, peerVpcId: 'vpc-ffff0000' };
    const areIn = (...wanted: readonly string[]) =>
      world.until(`the peerings ${wanted.join(', ')}`, () => {
        const shown = [...world.project.stores.peering.values()].flatMap(
          ({ timeline }) => timeline.at(world.project.clock.now())?.peer_vpc_id ?? [],
        );
        return shown.toSorted().join(' ') === wanted.toSorted().join(' ');
      });
    await world.apply(vpc('prod', { peerings: [peering] }));
    await world.untilReady('ManagedVpc', 'prod');
    await areIn(peering.peerVpcId);
    await world.patch('ManagedVpc', 'prod', { spec: { peerings: [peering, second] } });
    await world.untilReady('ManagedVpc', 'prod');
    await areIn(peering.peerVpcId, second.peerVpcId);
    await world.patch('ManagedVpc', 'prod', { spec: { peerings: [second] } });
    await world.untilReady('ManagedVpc', 'prod');
    await world.patch('ManagedVpc', 'prod', { spec: { peerings: null } });
    await world.untilReady('ManagedVpc', 'prod');
    created(world, 3);
    await removed(world, ['ManagedVpc', 'prod']);
  },
} satisfies Readonly<Record<string, Story>>;
