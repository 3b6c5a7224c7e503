import { annotations } from '../../../src/resources/annotations.ts';
import { secretsWithData } from '../../../src/resources/connection-secret.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { replicaSet, secret, service } from '../../support/manifests.ts';
import { ledgerNamespace, restoreLedger, savedLedger, storedEntries } from '../stored.ts';
import { calm } from '../weather.ts';
import { simulatedProject, type SimulatedWorld } from '../world.ts';
import {
  agreed,
  created,
  emptied,
  large,
  livingIn,
  lose,
  reasonOf,
  removed,
  small,
  stays,
  type Story,
  untilLarge,
  untilSaid,
  withNewPassword,
} from './story.ts';

const orders = service('orders', small);

/** The object as a backup has it: with the name of its ledger entry. */
async function backup(world: SimulatedWorld): Promise<object> {
  const object = await world.object('ManagedService', 'orders');
  return service('orders', small, {
    [annotations.ledger]: object?.metadata.annotations?.[annotations.ledger] ?? '',
  });
}

/** Stories in which the ledger, the key, the cluster or the lists of the cloud fail. */
export const misfortune = {
  /** Lists lack a service again and again, while it is used and while it is deleted. */
  async vanish(world) {
    const vanish = (times: number) =>
      world.project.faults.add({
        kind: 'truncatedList',
        operation: 'listServices',
        drop: 1,
        times,
      });
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    await world.apply(service('users', small));
    await world.untilReady('ManagedService', 'users');
    vanish(3);
    await world.letPass(200_000);
    if ((await reasonOf(world, 'ManagedService', 'users')) !== 'Available')
      world.problems.push('users is not available, although it exists');
    vanish(4);
    await world.patch('ManagedService', 'users', { spec: large });
    await world.letPass(5_000);
    created(world, 2);
    await agreed(world, 'users');
    vanish(4);
    await removed(world, ['ManagedService', 'users'], ['ManagedService', 'orders']);
  },
  /** The cloud does not show a new service for a while, not even to a GET. */
  async young(world) {
    world.project.faults.add({ kind: 'notYet', operation: '*', ageMs: 60_000, times: 30 });
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    await agreed(world, 'orders');
    created(world, 1);
    // A known resource that every LIST, GET and DELETE denies counts as gone.
    world.project.faults.clear();
    await removed(world, ['ManagedService', 'orders']);
  },
  /** For some seconds, the cloud denies a service to every LIST, GET and DELETE, while the service is deleted. */
  async denied(world) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    await world.letPass(20_000);
    world.project.faults.add({ kind: 'notYet', operation: '*', ageMs: 600_000 });
    await world.delete('ManagedService', 'orders');
    await world.letPass(7_000);
    world.project.faults.clear();
    await removed(world);
    await world.untilGone('ManagedService', 'orders');
    created(world, 1);
  },
  /** A service is lost with its replica set, and a gateway then hides the 404 of the list of its replica sets. */
  async parentGone(world) {
    await world.apply(orders, replicaSet('reads', 'orders', small));
    await world.untilReady('ReplicaSet', 'reads');
    lose(world, await agreed(world, 'orders'));
    await untilSaid(world, ['ReplicaSet', 'reads'], 'Lost');
    world.network.weather = { ...calm, cloud: { ...calm.cloud, gatewayPage: 1 } };
    await world.patch('ReplicaSet', 'reads', { spec: large });
    await untilSaid(world, ['ReplicaSet', 'reads'], 'UnexpectedReply');
    await world.patch('ReplicaSet', 'reads', { spec: small });
    await world.letPass(30_000);
    if ((await reasonOf(world, 'ReplicaSet', 'reads')) === 'Available')
      world.problems.push('reads is available, although it is lost');
    world.network.weather = calm;
    await untilSaid(world, ['ReplicaSet', 'reads'], 'Lost');
    await removed(world, ['ReplicaSet', 'reads'], ['ManagedService', 'orders']);
  },
  /** The API server forgets the versions from which the watches continue. */
  async expired(world) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    await world.letPass(10_000);
    await world.apply(secret('unrelated', { password: 'moves the version' }));
    world.network.harmWatches('expire');
    await world.letPass(5_000);
    await world.patch('ManagedService', 'orders', { spec: large });
    await world.letPass(40_000);
    await world.untilReady('ManagedService', 'orders');
    await agreed(world, 'orders');
    await removed(world, ['ManagedService', 'orders']);
  },
  /** A person removes the ledger entry of a service, and then names its id. */
  async entryLost(world) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    const name = storedEntries(world.apiServer)[0]?.metadata.name ?? '';
    const key = resourceKey(ledgerNamespace, name);
    await world.kubernetes.patch(secretsWithData, key, { metadata: { finalizers: null } });
    await world.kubernetes.delete(secretsWithData, key);
    await world.untilReason('ManagedService', 'orders', 'NotBound');
    await world.patch('ManagedService', 'orders', { spec: large });
    await world.letPass(30_000);
    created(world, 1);
    await world.patch('ManagedService', 'orders', {
      metadata: { annotations: { [annotations.externalId]: id } },
    });
    await withNewPassword(world, 'orders');
    await removed(world, ['ManagedService', 'orders']);
  },
  /** The Secret with the API key gets a key of another project, and the right key again. */
  async keyMoved(world) {
    const foreign = simulatedProject('prjforeign');
    world.projects.push(foreign);
    await world.apply(
      secret('key', { apiKey: world.project.apiKey }),
      service('orders', { ...small, credentialsRef: { name: 'key' } }),
    );
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    await world.apply(secret('key', { apiKey: foreign.apiKey }));
    await world.patch('ManagedService', 'orders', { spec: large });
    await untilSaid(world, ['ManagedService', 'orders'], 'ForeignProject');
    await world.letPass(60_000);
    stays(world, id);
    await world.apply(secret('key', { apiKey: world.project.apiKey }));
    await untilLarge(world, id);
    await world.untilReady('ManagedService', 'orders');
    await agreed(world, 'orders');
    created(world, 1);
    if (foreign.everCreated.length > 0) world.problems.push('the foreign project got a resource');
    await removed(world, ['ManagedService', 'orders']);
  },
  /** A namespace and the ledger are lost. The same cluster gets the ledger and the object of a backup. */
  async restored(world, { operators }) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    const [saved, ledger] = [await backup(world), savedLedger(world.apiServer)];
    operators.pause();
    await world.delete('ManagedService', 'orders');
    await world.kubectlPatch('ManagedService', 'orders', { metadata: { finalizers: null } });
    await world.untilGone('ManagedService', 'orders');
    for (const { metadata } of storedEntries(world.apiServer)) {
      const key = resourceKey(ledgerNamespace, metadata.name);
      await world.kubernetes.patch(secretsWithData, key, { metadata: { finalizers: null } });
      await world.kubernetes.delete(secretsWithData, key);
    }
    await world.kubernetes.delete<unknown>(
      secretsWithData,
      resourceKey(world.namespace, 'orders-db'),
    );
    restoreLedger(ledger, world.apiServer);
    await world.apply(saved);
    operators.resume();
    await world.untilReady('ManagedService', 'orders');
    if ((await agreed(world, 'orders')) !== id) world.problems.push('orders has another id');
    await withNewPassword(world, 'orders');
    created(world, 1);
    await removed(world, ['ManagedService', 'orders']);
  },
  /** Objects move from process to process, while the cloud creates, changes and deletes their resources. */
  async shards(world, stage) {
    const shards = stage.share();
    const reads = replicaSet('reads', 'orders', { nodes: 1, environment: 'DEV' });
    await world.apply(orders, reads);
    await world.letPass(3_000);
    await shards.move('ManagedService', 'orders');
    await world.untilReady('ManagedService', 'orders');
    await shards.move('ReplicaSet', 'reads');
    await world.untilReady('ReplicaSet', 'reads');
    await world.patch('ManagedService', 'orders', {
      spec: { ...large, password: { rotation: 'a' } },
    });
    await world.letPass(30);
    await shards.move('ManagedService', 'orders');
    await world.letPass(20_000);
    await withNewPassword(world, 'orders');
    const id = await agreed(world, 'orders');
    await untilLarge(world, id);
    created(world, 2);
    await world.delete('ManagedService', 'orders');
    await shards.move('ManagedService', 'orders');
    await world.delete('ReplicaSet', 'reads');
    await world.letPass(30);
    await shards.move('ReplicaSet', 'reads');
    await world.untilGone('ReplicaSet', 'reads');
    await world.untilGone('ManagedService', 'orders');
    await emptied(world);
  },
  /** A cluster is lost. Another cluster gets its ledger and its object, first without and then with its consent. */
  async otherCluster(world, stage) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    const saved = await backup(world);
    const clusterUid = storedEntries(world.apiServer)[0]?.content?.clusterUid ?? '';
    stage.operators.pause();
    const other = await stage.anotherCluster();
    restoreLedger(savedLedger(world.apiServer), other.apiServer);
    const drill = stage.operate(other);
    await other.apply(saved);
    await other.untilReason('ManagedService', 'orders', 'OwnedElsewhere');
    await other.delete('ManagedService', 'orders');
    await other.untilGone('ManagedService', 'orders');
    stays(world, id);
    await other.apply(saved);
    await other.untilReason('ManagedService', 'orders', 'OwnedElsewhere');
    drill.pause();
    stage.operate(other, [clusterUid]);
    await other.untilReady('ManagedService', 'orders');
    if ((await agreed(other, 'orders')) !== id) world.problems.push('orders has another id');
    created(world, 1);
    await other.delete('ManagedService', 'orders');
    await other.untilGone('ManagedService', 'orders');
    // The entry of the other cluster stays.
    await other.until('a single entry', () =>
      storedEntries(other.apiServer).every(({ content }) => content?.clusterUid === clusterUid),
    );
    if (livingIn(world).length > 0) world.problems.push('the service stays in the cloud');
  },
} satisfies Readonly<Record<string, Story>>;
