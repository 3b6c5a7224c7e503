import { annotations } from '../../../src/resources/annotations.ts';
import { secretsWithData } from '../../../src/resources/connection-secret.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { fork, peering, secret, service, vpc } from '../../support/manifests.ts';
import {
  agreed,
  attachedVpc,
  created,
  emptied,
  idOf,
  idsInLedger,
  large,
  livingIn,
  lose,
  reasonOf,
  removed,
  small,
  stays,
  type Story,
  withNewPassword,
} from './story.ts';

const orders = service('orders', small);
const kept = { ...small, deletionPolicy: 'Retain' };
const adopting = (name: string, id: string, spec: object = small) =>
  service(name, spec, { [annotations.externalId]: id });

const createByPerson = (name: string) =>
  ({
    method: 'POST',
    path: 'services',
    body: { name, cpu_millis: '1000', memory_gbs: '4', environment_tag: 'DEV' },
  }) as const;

/** Stories in which objects get or lose their resources. */
export const owning = {
  /** A fork of a service; both are deleted at once. */
  async fork(world) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    await world.apply(fork('drill', 'orders', { environment: 'DEV' }));
    await world.untilReady('ManagedService', 'drill');
    const [source, made] = [await agreed(world, 'orders'), await agreed(world, 'drill')];
    if (source === made) world.problems.push('the fork has the id of its source');
    created(world, 2);
    await removed(world, ['ManagedService', 'orders'], ['ManagedService', 'drill']);
  },
  /** A service that a person created is adopted, and gets a password. A second object wants it, too. */
  async adopt(world) {
    const id = await world.inCloud(createByPerson('legacy'));
    await world.apply(adopting('taken', id));
    await withNewPassword(world, 'taken');
    await world.apply(adopting('twin', id));
    await world.letPass(30_000);
    await world.delete('ManagedService', 'twin');
    await world.untilGone('ManagedService', 'twin');
    stays(world, id);
    await world.untilReady('ManagedService', 'taken');
    created(world, 1);
    await removed(world, ['ManagedService', 'taken']);
  },
  /** A person's Secret has the name of the connection Secret. It stays unchanged until the person removes it. */
  async takenSecret(world) {
    const theirs = { password: 'of-a-person' };
    await world.apply(secret('orders-db', theirs), orders);
    await world.letPass(60_000);
    const now = await world.secret('orders-db');
    if (JSON.stringify(now) !== JSON.stringify(theirs))
      world.problems.push("the person's Secret orders-db has changed");
    await world.kubernetes.delete<unknown>(
      secretsWithData,
      resourceKey(world.namespace, 'orders-db'),
    );
    await world.untilReady('ManagedService', 'orders');
    await agreed(world, 'orders');
    created(world, 1);
    await removed(world, ['ManagedService', 'orders']);
  },
  /** Two objects want the same service at once, and are deleted at once. */
  async twins(world) {
    const id = await world.inCloud(createByPerson('legacy'));
    await world.apply(adopting('left', id), adopting('right', id));
    await world.letPass(40_000);
    await world.delete('ManagedService', 'left');
    await world.delete('ManagedService', 'right');
    await world.untilGone('ManagedService', 'left');
    await world.untilGone('ManagedService', 'right');
    created(world, 1);
    if (livingIn(world).length > 0) {
      await world.apply(adopting('heir', id));
      await withNewPassword(world, 'heir');
      await removed(world, ['ManagedService', 'heir']);
    } else await emptied(world);
  },
  /** A service is retained, returns to an object of the same name, is retained again and returns to another name. */
  async retain(world) {
    await world.apply(service('orders', kept));
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    await world.delete('ManagedService', 'orders');
    await world.untilGone('ManagedService', 'orders');
    stays(world, id);
    await world.apply(service('orders', kept));
    await world.untilReason('ManagedService', 'orders', 'NotBound');
    await world.apply(adopting('orders', id, kept));
    await world.untilReady('ManagedService', 'orders');
    await agreed(world, 'orders');
    await world.delete('ManagedService', 'orders');
    await world.untilGone('ManagedService', 'orders');
    await world.apply(adopting('other', id));
    await world.untilReady('ManagedService', 'other');
    if ((await agreed(world, 'other')) !== id) world.problems.push('other has another id');
    await world.until('a single entry', () => idsInLedger(world).length === 1);
    created(world, 1);
    await removed(world, ['ManagedService', 'other']);
  },
  /** A VPC with a peering and a service is retained, and returns. The service stays in it. */
  async retainedVpc(world) {
    const inVpc = { ...small, vpcRef: { name: 'prod' } };
    await world.apply(
      vpc('prod', { deletionPolicy: 'Retain', peerings: [peering] }),
      service('orders', inVpc),
    );
    await world.untilReady('ManagedVpc', 'prod');
    await world.untilReady('ManagedService', 'orders');
    const id = await idOf(world, 'ManagedVpc', 'prod');
    const inside = await agreed(world, 'orders');
    const before = livingIn(world);
    await world.delete('ManagedVpc', 'prod');
    await world.untilGone('ManagedVpc', 'prod');
    await world.patch('ManagedService', 'orders', { spec: large });
    await world.letPass(60_000);
    for (const each of before) stays(world, each.id);
    if (attachedVpc(world, inside) !== id) world.problems.push('orders left its VPC');
    await world.apply(vpc('prod', { peerings: [peering] }, { [annotations.externalId]: id }));
    await world.untilReady('ManagedVpc', 'prod');
    await world.untilReady('ManagedService', 'orders');
    await agreed(world, 'orders');
    if ((await idOf(world, 'ManagedVpc', 'prod')) !== id)
      world.problems.push('prod has another id');
    if (attachedVpc(world, inside) !== id) world.problems.push('orders is not in its VPC');
    created(world, 3);
    await removed(world, ['ManagedService', 'orders'], ['ManagedVpc', 'prod']);
  },
  /** A lost service stays lost until a person allows its recreation. */
  async recreate(world) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    const lost = await agreed(world, 'orders');
    lose(world, lost);
    await world.untilReason('ManagedService', 'orders', 'Lost');
    await world.letPass(60_000);
    created(world, 1);
    await world.patch('ManagedService', 'orders', {
      metadata: { annotations: { [annotations.allowRecreate]: lost } },
    });
    await world.until('another id', async () => {
      const id = await idOf(world, 'ManagedService', 'orders');
      return id !== '' && id !== lost;
    });
    await world.untilReady('ManagedService', 'orders');
    await agreed(world, 'orders');
    created(world, 2);
    await removed(world, ['ManagedService', 'orders']);
  },
  /** A service with a chosen name, which a service of a person has already. */
  async chosenName(world) {
    const theirs = await world.inCloud(createByPerson('shop'));
    const spec = { ...small, name: 'shop' };
    await world.apply(service('orders', spec));
    await world.untilReason('ManagedService', 'orders', 'SameNameExists');
    await world.apply(service('orders', spec, { [annotations.createAnyway]: theirs }));
    // After a lost answer, the operator cannot know whether it created the service.
    const isAmbiguous = async () =>
      (await reasonOf(world, 'ManagedService', 'orders')) === 'AmbiguousCreate';
    await world.until(
      'orders to be available, or to ask',
      async () =>
        (await isAmbiguous()) ||
        (await reasonOf(world, 'ManagedService', 'orders')) === 'Available',
    );
    if (await isAmbiguous()) {
      const ours = livingIn(world).find(({ id }) => id !== theirs)?.id ?? '';
      await world.apply(adopting('orders', ours, spec));
    }
    await withNewPassword(world, 'orders');
    created(world, 2);
    await world.delete('ManagedService', 'orders');
    await world.untilGone('ManagedService', 'orders');
    stays(world, theirs);
    await world.inCloud({ method: 'DELETE', path: `services/${theirs}` });
    await world.letPass(10_000);
    await emptied(world);
  },
} satisfies Readonly<Record<string, Story>>;
