import type { Kind } from '../../../src/simulator/store.ts';
import { annotations, cloudResourceFinalizer } from '../../../src/resources/annotations.ts';
import { secretsWithData } from '../../../src/resources/connection-secret.ts';
import { managedServices } from '../../../src/resources/managed-service.ts';
import { managedVpcs } from '../../../src/resources/managed-vpc.ts';
import { replicaSets } from '../../../src/resources/replica-set.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { callsOf, commitsOf } from '../../support/cloud-calls.ts';
import { untilNoEntries } from '../../support/entries-of.ts';
import { fork, peering, replicaSet, secret, service, vpc } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { recordOf } from '../../support/read-record.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import type { World, WorldKind, WorldOptions } from '../../support/world.ts';
import type { Purpose } from './purpose.ts';

/** A write of the operator, and the story in which the operator makes it. */
export interface Row {
  readonly title: string;
  readonly purpose: Purpose;
  readonly settings?: WorldOptions['settings'];
  /** Prepares the state at the start of the story. */
  readonly before?: (world: World) => Promise<unknown>;
  /** The action of people. @param restart stops the operator during `meanwhile`, then starts it again */
  readonly act: (
    world: World,
    restart: (meanwhile: () => Promise<unknown>) => Promise<unknown>,
  ) => Promise<unknown>;
  /** The object that can say that the write is refused; undefined: only the log can. */
  readonly tells: readonly [WorldKind, string] | undefined;
  /** The end that it comes to, refused for a while or not. */
  readonly end: (world: World) => Promise<unknown>;
  /** The kinds of all resources ever created in the cloud by then. */
  readonly made: readonly Kind[];
  /** The kinds of the resources that are left. Default: all. */
  readonly left?: readonly Kind[];
  /** No password may go out while this write is refused. */
  readonly holdsPasswords?: true;
  /** With an answer in hand, the operator retries in real time for a while, so the report takes real time, too. */
  readonly isInHand?: true;
  /** Whether a dry run goes before it. */
  readonly isRehearsed?: true;
}

const key = (world: World, name: string) => resourceKey(world.namespace, name);
const remove = {
  vpc: (world: World, name: string) => world.kubernetes.delete(managedVpcs, key(world, name)),
  service: (world: World, name: string) =>
    world.kubernetes.delete(managedServices, key(world, name)),
  replicaSet: (world: World, name: string) =>
    world.kubernetes.delete(replicaSets, key(world, name)),
  secret: (world: World, name: string) =>
    world.kubernetes.delete(secretsWithData, key(world, name)),
};

const vpcReady = (world: World) => world.untilReady('vpc', 'prod');
const serviceReady = (world: World) => world.untilReady('service', 'orders');
const vpcGone = (world: World) => world.untilGone('vpc', 'prod');
const serviceGone = (world: World) => world.untilGone('service', 'orders');

async function readyVpc(world: World, spec: object = {}): Promise<void> {
  await world.apply(vpc('prod', spec));
  await vpcReady(world);
}

/** Something that was made without us. @returns its id */
async function existing(world: World, path: string, body: object): Promise<string> {
  await world.createInCloud(path, body);
  return world.project.everCreated.at(-1)?.id ?? '';
}

const legacy = { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' };
const adopted = async (world: World, spec: object = {}) => {
  const id = await existing(world, 'services', legacy);
  await world.apply(service('orders', spec, { 'managed-db.io/external-id': id }));
};

/** The cloud has another password than the first, and so has the Secret. */
async function rotated(world: World): Promise<void> {
  await serviceReady(world);
  await until(
    'the new password in the Secret',
    async () => {
      const password = world.project.stores.service.get(
        (await world.service('orders'))?.status?.id ?? '',
      )?.password;
      return (
        commitsOf(world, 'updateServicePassword') > 0 &&
        (await world.secret('orders-db'))?.['password'] === password
      );
    },
    async () => [await world.service('orders'), world.log.slice(-15)],
  );
  await serviceReady(world);
}

const rotation = {
  before: (world: World) => readyService(world, { password: { rotation: 'one' } }),
  act: (world: World) => world.apply(service('orders', { password: { rotation: 'two' } })),
  tells: ['service', 'orders'],
  end: rotated,
  made: ['service'],
} as const satisfies Partial<Row>;

const moved = {
  before: (world: World) => readyService(world),
  act: (world: World) =>
    world.apply(service('orders', { connectionSecret: { name: 'elsewhere' } })),
  tells: ['service', 'orders'],
  async end(world: World) {
    await until('the new Secret', () => world.secret('elsewhere'));
    await until('the old one to go', async () => (await world.secret('orders-db')) === undefined);
    await serviceReady(world);
  },
  made: ['service'],
} as const satisfies Partial<Row>;

const deleted = {
  before: (world: World) => readyService(world),
  act: (world: World) => remove.service(world, 'orders'),
  tells: ['service', 'orders'],
  async end(world: World) {
    await serviceGone(world);
    await until('the Secret to go', async () => (await world.secret('orders-db')) === undefined);
    await untilNoEntries(world);
  },
  made: ['service'],
  left: [],
} as const satisfies Partial<Row>;

const withKey = { credentialsRef: { name: 'cloud' } };
const cloudKey = (world: World) => secret('cloud', { apiKey: world.project.apiKey });

/** An object as from a backup: another object, with the pointer to the entry of the object before it. */
async function restoredVpc(world: World): Promise<void> {
  const pointer = (await world.vpc('prod'))?.metadata.annotations?.[annotations.ledger] ?? '';
  await remove.vpc(world, 'prod');
  await world.kubectl([
    'patch',
    'managedvpc',
    'prod',
    '--type=merge',
    '-p',
    '{"metadata":{"finalizers":null}}',
  ]);
  await vpcGone(world);
  await world.apply(vpc('prod', {}, { [annotations.ledger]: pointer }));
}

/** A person takes finalizer and pointer away, which the policies allow to kubectl patch. */
async function stripped(world: World): Promise<void> {
  const metadata = { annotations: { [annotations.ledger]: null }, finalizers: null };
  const command = ['patch', 'managedvpc', 'prod', '--type=merge', '-p'];
  await world.kubectl([...command, JSON.stringify({ metadata })]);
}

const tellsVpc = { tells: ['vpc', 'prod'], made: ['vpc'] } as const;
const tellsService = { tells: ['service', 'orders'], made: ['service'] } as const;

/** Every write that the operator makes. */
export const rows: readonly Row[] = [
  // The journal.
  {
    title: 'the attempt of a VPC',
    purpose: 'attempt opened',
    act: (world) => world.apply(vpc('prod')),
    end: vpcReady,
    ...tellsVpc,
  },
  {
    title: 'the attempt of a service',
    purpose: 'attempt opened',
    act: (world) => world.apply(service('orders', { name: 'orders' })),
    end: serviceReady,
    ...tellsService,
  },
  {
    title: 'the attempt of a fork',
    purpose: 'attempt opened',
    before: (world) => readyService(world),
    act: (world) => world.apply(fork('drill', 'orders')),
    tells: ['service', 'drill'],
    end: (world) => world.untilReady('service', 'drill'),
    made: ['service', 'service'],
  },
  {
    title: 'the attempt of a replica set',
    purpose: 'attempt opened',
    before: (world) => readyService(world),
    act: (world) => world.apply(replicaSet('reads', 'orders')),
    tells: ['replicaSet', 'reads'],
    end: (world) => world.untilReady('replicaSet', 'reads'),
    made: ['service', 'replicaSet'],
  },
  {
    title: 'that a create was refused',
    purpose: 'attempt given up',
    async act(world) {
      world.project.faults.add({
        kind: 'errorBefore',
        operation: 'createVpc',
        status: 422,
        body: { message: 'quota' },
      });
      await world.apply(vpc('prod'));
      await until('the refusal', () => callsOf(world, 'createVpc') > 0);
    },
    async end(world) {
      world.project.faults.clear();
      // The back-off of a refused create is longer than the measurement.
      await world.kubectl([
        'annotate',
        '--overwrite',
        'managedvpc',
        'prod',
        'reconcile.managed-db.io/requestedAt=now',
      ]);
      await vpcReady(world);
    },
    ...tellsVpc,
  },
  {
    title: 'the id of a VPC',
    purpose: 'answer recorded',
    act: (world) => world.apply(vpc('prod')),
    end: vpcReady,
    ...tellsVpc,
    isInHand: true,
  },
  {
    title: 'the id of a service',
    purpose: 'answer recorded',
    act: (world) => world.apply(service('orders', { name: 'orders' })),
    end: serviceReady,
    ...tellsService,
    isInHand: true,
  },
  {
    title: 'the entry of an adopted VPC',
    purpose: 'adoption',
    settings: sharedProject.settings,
    async act(world) {
      const id = await existing(world, 'vpcs', {
        name: 'legacy',
        cidr: '10.0.0.0/16',
        region_code: 'eu-central-1',
      });
      await world.apply(vpc('prod', {}, { 'managed-db.io/external-id': id }));
    },
    end: vpcReady,
    ...tellsVpc,
  },
  {
    title: 'the entry that a restored object points to',
    purpose: 'entry taken over',
    before: (world) => readyVpc(world),
    act: (world, restart) => restart(() => restoredVpc(world)),
    end: vpcReady,
    ...tellsVpc,
  },
  {
    title: 'a peering that is about to be asked for',
    purpose: 'peering begun',
    before: (world) => readyVpc(world),
    act: (world) => world.apply(vpc('prod', { peerings: [peering] })),
    tells: ['vpc', 'prod'],
    end: vpcReady,
    made: ['vpc', 'peering'],
  },
  {
    title: 'the id of a peering',
    purpose: 'peering recorded',
    before: (world) => readyVpc(world),
    act: (world) => world.apply(vpc('prod', { peerings: [peering] })),
    tells: ['vpc', 'prod'],
    end: vpcReady,
    made: ['vpc', 'peering'],
    isInHand: true,
  },
  {
    title: 'that a peering is gone',
    purpose: 'peering forgotten',
    before: (world) => readyVpc(world, { peerings: [peering] }),
    act: (world) => world.apply(vpc('prod', { peerings: [] })),
    tells: ['vpc', 'prod'],
    end: vpcReady,
    made: ['vpc', 'peering'],
    left: ['vpc'],
  },
  {
    title: 'that a peering was refused',
    purpose: 'peering forgotten',
    before: (world) => readyVpc(world),
    async act(world) {
      world.project.faults.add({
        kind: 'errorBefore',
        operation: 'createPeering',
        status: 422,
        body: { message: 'quota' },
      });
      await world.apply(vpc('prod', { peerings: [peering] }));
      await until('the refusal', () => callsOf(world, 'createPeering') > 0);
    },
    tells: ['vpc', 'prod'],
    async end(world) {
      await world.apply(vpc('prod'));
      await vpcReady(world);
    },
    made: ['vpc'],
  },
  {
    title: 'that a VPC is about to be attached',
    purpose: 'attachment noted',
    async before(world) {
      await readyVpc(world);
      await readyService(world);
    },
    act: (world) => world.apply(service('orders', { vpcRef: { name: 'prod' } })),
    tells: ['service', 'orders'],
    end: serviceReady,
    made: ['vpc', 'service'],
  },
  {
    title: 'that an attachment is over',
    purpose: 'attachment forgotten',
    async before(world) {
      await readyVpc(world);
      await readyService(world, { vpcRef: { name: 'prod' } });
    },
    act: (world) => world.apply(service('orders')),
    tells: ['service', 'orders'],
    end: serviceReady,
    made: ['vpc', 'service'],
  },
  {
    title: 'that a deletion was decided',
    purpose: 'deletion marked',
    before: (world) => readyVpc(world),
    act: (world) => remove.vpc(world, 'prod'),
    tells: ['vpc', 'prod'],
    end: vpcGone,
    made: ['vpc'],
    left: [],
  },
  {
    title: 'the finalizer of a new object',
    purpose: 'object held',
    act: (world) => world.apply(vpc('prod')),
    end: vpcReady,
    ...tellsVpc,
  },
  {
    title: 'a finalizer that somebody took off',
    purpose: 'object held',
    before: (world) => readyVpc(world),
    act: stripped,
    async end(world) {
      await until('the finalizer', async () =>
        (await world.vpc('prod'))?.metadata.finalizers?.includes(cloudResourceFinalizer),
      );
      await vpcReady(world);
    },
    ...tellsVpc,
  },
  {
    title: 'the finalizer of an object whose resource is gone',
    purpose: 'object let go',
    before: (world) => readyVpc(world),
    act: (world) => remove.vpc(world, 'prod'),
    tells: ['vpc', 'prod'],
    end: vpcGone,
    made: ['vpc'],
    left: [],
  },
  {
    title: 'the finalizer of an object whose resource is kept',
    purpose: 'object let go',
    before: (world) => readyVpc(world, { deletionPolicy: 'Retain' }),
    act: (world) => remove.vpc(world, 'prod'),
    tells: ['vpc', 'prod'],
    end: vpcGone,
    made: ['vpc'],
  },

  // Reports.
  {
    title: 'the status',
    purpose: 'status',
    act: (world) => world.apply(vpc('prod')),
    end: vpcReady,
    ...tellsVpc,
  },
  {
    title: 'an event',
    purpose: 'event',
    act: (world) => world.apply(vpc('prod')),
    tells: undefined,
    end: vpcReady,
    made: ['vpc'],
  },

  // The Secrets that apps connect with.
  {
    title: 'the Secret of a new service',
    purpose: 'connection made',
    act: (world) => world.apply(service('orders')),
    end: serviceReady,
    ...tellsService,
    holdsPasswords: true,
  },
  {
    title: 'the Secret of a new replica set',
    purpose: 'connection made',
    before: (world) => readyService(world),
    act: (world) => world.apply(replicaSet('reads', 'orders')),
    tells: ['replicaSet', 'reads'],
    end: (world) => world.untilReady('replicaSet', 'reads'),
    made: ['service', 'replicaSet'],
  },
  {
    title: 'the Secret of a new name',
    purpose: 'connection made',
    ...moved,
  },
  {
    title: 'a Secret that somebody deleted',
    purpose: 'connection made',
    before: (world) => readyService(world),
    act: (world) => remove.secret(world, 'orders-db'),
    tells: ['service', 'orders'],
    async end(world) {
      await until('the Secret', async () => (await world.secret('orders-db'))?.['password']);
      await serviceReady(world);
    },
    made: ['service'],
  },
  {
    title: 'another user in a Secret',
    purpose: 'connection changed',
    before: (world) => readyService(world),
    act: (world) => world.apply(service('orders', { connectionSecret: { username: 'app' } })),
    async end(world) {
      await until(
        'the user',
        async () => (await world.secret('orders-db'))?.['username'] === 'app',
      );
      await serviceReady(world);
    },
    ...tellsService,
  },
  {
    title: 'the Secret with a password that the cloud has accepted',
    purpose: 'connection changed',
    ...rotation,
    holdsPasswords: true,
    isRehearsed: true,
  },
  {
    title: 'the deletion of the Secret of what is gone',
    purpose: 'connection deleted',
    ...deleted,
  },
  { title: 'the deletion of the Secret of the old name', purpose: 'connection deleted', ...moved },

  // The ledger.
  {
    title: 'the entry of an adopted service',
    purpose: 'adoption',
    settings: sharedProject.settings,
    act: (world) => adopted(world),
    end: serviceReady,
    ...tellsService,
  },
  {
    title: 'the entry of a retained service that is adopted again',
    purpose: 'adoption',
    async before(world) {
      await readyService(world, { deletionPolicy: 'Retain' });
      await world.remove('service', 'orders');
    },
    act: (world) =>
      world.apply(
        service(
          'orders',
          {},
          { 'managed-db.io/external-id': world.project.everCreated[0]?.id ?? '' },
        ),
      ),
    async end(world) {
      await serviceReady(world);
      await until('the password', async () => (await world.secret('orders-db'))?.['password']);
    },
    ...tellsService,
  },
  {
    title: 'a password that is about to be sent',
    purpose: 'password begun',
    ...rotation,
    holdsPasswords: true,
  },
  { title: 'a password that the cloud has accepted', purpose: 'password promoted', ...rotation },
  {
    title: 'that the cloud refused a password',
    purpose: 'password dropped',
    ...rotation,
    async act(world) {
      world.project.faults.add({
        kind: 'errorBefore',
        operation: 'updateServicePassword',
        status: 422,
        body: { message: 'weak' },
      });
      await rotation.act(world);
      await until('the refusal', () => callsOf(world, 'updateServicePassword') > 0);
    },
    async end(world) {
      world.project.faults.clear();
      await world.apply(service('orders', { password: { rotation: 'three' } }));
      await rotated(world);
    },
  },
  { title: 'the deletion of the entry of what is gone', purpose: 'entry deleted', ...deleted },
  // The object is gone by then.
  {
    title: 'the finalizer of the entry of what is gone',
    purpose: 'entry let go',
    ...deleted,
    tells: undefined,
  },

  {
    title: 'that another API key has proved to be of the project',
    purpose: 'key noted',
    async before(world) {
      await world.apply(cloudKey(world), secret('second', { apiKey: world.project.apiKey }));
      await readyVpc(world, withKey);
    },
    act: (world) => world.apply(vpc('prod', { credentialsRef: { name: 'second' } })),
    tells: ['vpc', 'prod'],
    async end(world) {
      await vpcReady(world);
      await until('the ledger to name the Secret', async () => {
        const { credentialsSecret } = await recordOf(world, await world.vpc('prod'));
        return credentialsSecret === 'second';
      });
    },
    made: ['vpc'],
  },

  // The Secrets of users.
  {
    title: 'the finalizer on an API key',
    purpose: 'key held',
    async act(world) {
      await world.apply(cloudKey(world), vpc('prod', withKey));
    },
    end: vpcReady,
    ...tellsVpc,
  },
  {
    title: 'that an API key is needed no more',
    purpose: 'key let go',
    async before(world) {
      await world.apply(cloudKey(world));
      await readyVpc(world, withKey);
    },
    act: (world) => remove.vpc(world, 'prod'),
    tells: undefined,
    async end(world) {
      await vpcGone(world);
      await until('the key to be let go', async () => {
        const found = await world.kubernetes.get(secretsWithData, key(world, 'cloud'));
        return (found?.metadata.finalizers ?? []).length === 0;
      });
    },
    made: ['vpc'],
    left: [],
  },
  {
    title: 'the label on the Secret of a password',
    purpose: 'password source watched',
    async before(world) {
      await readyService(world);
      await world.apply(secret('mine', { password: 'hunter2-hunter2' }));
    },
    act: (world) => world.apply(service('orders', { password: { secretRef: { name: 'mine' } } })),
    end: rotated,
    ...tellsService,
  },
];
