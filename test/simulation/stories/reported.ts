import { secretsWithData } from '../../../src/resources/connection-secret.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { change } from '../../../src/simulator/store.ts';
import { secret, service } from '../../support/manifests.ts';
import { calm } from '../weather.ts';
import {
  agreed,
  created,
  emptied,
  large,
  removed,
  small,
  stays,
  type Story,
  untilLarge,
  untilTold,
} from './story.ts';

const orders = service('orders', small);
const ref = (name: string) => ({ spec: { credentialsRef: { name } } });

const secretNamed = (name: string) => ({ spec: { connectionSecret: { name } } });

/** Stories of defects that users reported. mutants.ts puts each defect back. */
export const reported = {
  /** A gateway answers with its 404 page, and the list lacks the service, while the service is deleted. */
  async gateway(world) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    world.project.faults.add({ kind: 'truncatedList', operation: 'listServices', drop: 1 });
    world.network.weather = { ...calm, cloud: { ...calm.cloud, gatewayPage: 0.6 } };
    await world.delete('ManagedService', 'orders');
    await world.letPass(60_000);
    world.network.weather = calm;
    world.project.faults.clear();
    await removed(world);
    await world.untilGone('ManagedService', 'orders');
  },
  /** The Secret of a user has a password that is not UTF-8. */
  async latin(world) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    const password = Buffer.from('p\u00E4ssw\u00F6rt-latin1', 'latin1').toString('base64');
    const metadata = { name: 'latin' };
    await world.apply({ apiVersion: 'v1', kind: 'Secret', metadata, data: { password } });
    const secretRef = { name: 'latin' };
    await world.patch('ManagedService', 'orders', { spec: { password: { secretRef } } });
    await world.letPass(60_000);
    if (world.project.stores.service.get(id)?.password.includes('\uFFFD'))
      world.problems.push('the service has another password than the Secret of the user');
    await world.patch('ManagedService', 'orders', { spec: { password: null } });
    await world.untilReady('ManagedService', 'orders');
    await removed(world, ['ManagedService', 'orders']);
  },
  /** The cloud shows an odd usage figure of a service, while another service changes. */
  async oddFigure(world) {
    await world.apply(orders, service('users', small));
    await world.untilReady('ManagedService', 'orders');
    await world.untilReady('ManagedService', 'users');
    const id = await agreed(world, 'users');
    change(world.project, 'service', id, [
      {
        afterMs: 0,
        change: (before) => Object.assign({ ...before }, { metrics: { memory_mb: '812' } }),
      },
    ]);
    await world.patch('ManagedService', 'orders', { spec: large });
    await world.letPass(5_000);
    await world.untilReady('ManagedService', 'orders');
    await agreed(world, 'orders');
    await world.patch('ManagedService', 'users', { spec: large });
    await world.untilReady('ManagedService', 'users');
    await untilLarge(world, id);
    await removed(world, ['ManagedService', 'orders'], ['ManagedService', 'users']);
  },
  /** The spec names a Secret with a key that does not exist, and the Secret of the last key is deleted. */
  async lastKey(world) {
    await world.apply(secret('key', { apiKey: world.project.apiKey }));
    await world.apply(service('orders', { ...small, credentialsRef: { name: 'key' } }));
    await world.untilReady('ManagedService', 'orders');
    await world.patch('ManagedService', 'orders', ref('absent'));
    await world.letPass(10_000);
    await world.kubernetes.delete<unknown>(secretsWithData, resourceKey(world.namespace, 'key'));
    await world.letPass(10_000);
    await world.patch('ManagedService', 'orders', ref('key'));
    await removed(world, ['ManagedService', 'orders']);
  },
  /** The spec names a Secret with a key that does not exist, and the namespace is deleted. The advice frees it. */
  async lastKeyOfNamespace(world) {
    await world.apply(secret('key', { apiKey: world.project.apiKey }));
    await world.apply(service('orders', { ...small, credentialsRef: { name: 'key' } }));
    await world.untilReady('ManagedService', 'orders');
    await world.patch('ManagedService', 'orders', ref('absent'));
    await world.letPass(10_000);
    const gone = world.deleteNamespace();
    await untilTold(world, ['ManagedService', 'orders'], /credentialsRef.name back to "key"/u);
    await world.patch('ManagedService', 'orders', ref('key'));
    await gone;
    await emptied(world);
  },
  /** Two services swap the names of their connection Secrets. */
  async swap(world) {
    await world.apply(service('one', small), service('two', small));
    const before = [await agreed(world, 'one'), await agreed(world, 'two')];
    await world.patch('ManagedService', 'one', secretNamed('two-db'));
    await world.patch('ManagedService', 'two', secretNamed('one-db'));
    const after = [await agreed(world, 'one', 'two-db'), await agreed(world, 'two', 'one-db')];
    await world.untilReady('ManagedService', 'one');
    await world.untilReady('ManagedService', 'two');
    if (String(before) !== String(after)) world.problems.push('the services have other ids');
    created(world, 2);
    await removed(world, ['ManagedService', 'one'], ['ManagedService', 'two']);
  },
  /** A foreign finalizer holds an object after its deletion. */
  async held(world) {
    const metadata = { ...orders.metadata, finalizers: ['example.com/hold'] };
    await world.apply({ ...orders, metadata });
    await world.untilReady('ManagedService', 'orders');
    await world.delete('ManagedService', 'orders');
    await untilTold(world, ['ManagedService', 'orders'], /example.com\/hold holds the object/u);
    await emptied(world);
    await world.kubectlPatch('ManagedService', 'orders', { metadata: { finalizers: null } });
    await world.untilGone('ManagedService', 'orders');
  },
  /** The cloud refuses a call with a pause of an hour. The object names the end of a shorter pause. */
  async limited(world, { isHarmed }) {
    await world.apply(orders);
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    // From now on, no report need be in time.
    world.network.weather = { ...world.network.weather };
    world.project.faults.add({
      kind: 'rateLimit',
      operation: '*',
      retryAfterSeconds: 3_600,
      times: 1,
    });
    await world.patch('ManagedService', 'orders', { spec: large });
    // A process that follows a dead process does not know the pause.
    if (!isHarmed) await untilTold(world, ['ManagedService', 'orders'], /until \d\d:\d\d UTC/u);
    await untilLarge(world, id);
    await world.untilReady('ManagedService', 'orders');
    await removed(world, ['ManagedService', 'orders']);
  },
  /** A person makes the environment PROD in the cloud. The service is deleted, and its protection is removed later. */
  async protectedService(world) {
    await world.apply(service('orders'));
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    change(world.project, 'service', id, [
      { afterMs: 0, change: (before) => ({ ...before, metadata: { environment: 'PROD' } }) },
    ]);
    await world.delete('ManagedService', 'orders');
    await world.letPass(60_000);
    stays(world, id);
    await world.patch('ManagedService', 'orders', { spec: { deletionProtection: false } });
    await removed(world);
    await world.untilGone('ManagedService', 'orders');
  },
} satisfies Readonly<Record<string, Story>>;
