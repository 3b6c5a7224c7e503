import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startControlPlane, type ControlPlaneHandle } from '../../control-plane/control-plane.ts';
import { kubectl } from '../../control-plane/kubectl.ts';
import { service } from '../../support/manifests.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { startWorld } from '../../support/world.ts';
import { tcpProxy } from '../../support/tcp-proxy.ts';
import { isWeekly } from '../../support/weekly.ts';

/** etcd of some time ago under the whole operator: resources that were created since have no object any more, and are in the cloud. (docs/backup.md) */

test(
  'a resource that was created after the backup is reported with its id, and adopted again or asked about, not created a second time',
  { timeout: 180_000 },
  async () => {
    await using world = await startWorld({ ...sharedProject, start: false });
    await using plane = await startControlPlane({
      crds: fileURLToPath(new URL('../../../crds', import.meta.url)),
    });
    const { apply, untilOne, untilAvailable } = hands(plane.handle, () => world.log.slice(-15));
    await world.startedOperator({ cluster: plane.handle, settings: { namespaces: ['default'] } });
    await apply(service('kept'));
    const kept = await untilAvailable('kept');
    await plane.backUp();
    // The restored server has fewer changes than it had when it starts. The other case is below.
    await apply(configMaps('later', 300));
    await apply(service('named', { name: 'named' }));
    await apply(service('orders'));
    const ids = { named: await untilAvailable('named'), orders: await untilAvailable('orders') };
    await plane.restore();

    const abandoned = (id: string) =>
      world.log.some((line) => line.includes('"reason":"Abandoned"') && line.includes(id));
    await until(
      'both to be told',
      () => abandoned(ids.named) && abandoned(ids.orders),
      () => world.log.slice(-30),
    );
    await apply(service('named', { name: 'named' }));
    // The operator may still know the ledger entry that went with the restore.
    const named = await untilOne('named', 'SameNameExists', 'NotBound');
    expect(named.id).toBe('');
    await apply(service('orders', {}, { 'managed-db.io/external-id': ids.orders }));
    expect([await untilAvailable('orders'), await untilAvailable('kept')]).toEqual([
      ids.orders,
      kept,
    ]);
    expect(world.project.everCreated.map(({ id }) => id).toSorted()).toEqual(
      [kept, ids.named, ids.orders].toSorted(),
    );
  },
);

// The test above has the resources, and runtime/reflector.test.ts the versions.
test.runIf(isWeekly)(
  'a restored server that has written more by then than it had lost is noticed: no ghost is acted on, and what is back is seen',
  { timeout: 180_000 },
  async () => {
    await using world = await startWorld({ ...sharedProject, start: false });
    await using plane = await startControlPlane({
      crds: fileURLToPath(new URL('../../../crds', import.meta.url)),
    });
    await using proxy = await tcpProxy(plane.handle.server);
    const { run, apply, ready, untilOne, untilAvailable } = hands(plane.handle, () =>
      world.log.slice(-15),
    );
    await world.startedOperator({
      cluster: { ...plane.handle, server: proxy.url },
      settings: { namespaces: ['default'] },
    });
    await apply(service('kept'));
    await apply(service('back', { deletionPolicy: 'Delete', deletionProtection: false }));
    await untilAvailable('kept');
    const back = await untilAvailable('back');
    await plane.backUp();
    await apply(configMaps('lost', 300));
    expect(await run(['delete', 'managedservice', 'back'])).toMatchObject({ code: 0 });
    await apply(service('ghost'));
    const ghost = await untilAvailable('ghost');
    const carriedOut = [...world.project.commits];
    await proxy.cut();
    await plane.restore();
    await apply(configMaps('after', 600));
    await proxy.mend();

    expect((await untilOne('back', 'Lost')).id).toBe(back);
    await until(
      'the ghost to be told',
      () => world.log.some((line) => line.includes('"reason":"Abandoned"') && line.includes(ghost)),
      () => world.log.slice(-30),
    );
    expect(await ready('ghost')).toEqual({ id: '', reason: '' });
    expect([...world.project.commits]).toEqual(carriedOut);
  },
);

function configMaps(name: string, count: number) {
  const items = Array.from({ length: count }, (_, at) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-${at}` },
  }));
  return { apiVersion: 'v1', kind: 'List', items };
}

/** A person at a control plane of the test's own. */
function hands(handle: ControlPlaneHandle, log: () => unknown) {
  const run = (args: readonly string[], input?: string) =>
    kubectl(handle, ['-n', 'default', ...args], input === undefined ? {} : { input });
  const apply = async (manifest: object) =>
    expect(await run(['apply', '-f', '-'], JSON.stringify(manifest))).toMatchObject({ code: 0 });
  const ready = async (name: string) => {
    const { stdout } = await run([
      'get',
      'managedservice',
      name,
      '-o',
      'jsonpath={.status.id} {.status.conditions[?(@.type=="Ready")].reason}',
    ]);
    const [id = '', reason = ''] = stdout.split(' ');
    return { id, reason };
  };
  const untilOne = (name: string, ...reasons: readonly string[]) =>
    until(
      `${name} to be ${reasons.join(' or ')}`,
      async () => {
        const seen = await ready(name);
        return reasons.includes(seen.reason) ? seen : undefined;
      },
      async () => [await run(['get', 'managedservice', name, '-o', 'yaml']), log()],
    );
  const untilAvailable = async (name: string) => (await untilOne(name, 'Available')).id;
  return { run, apply, ready, untilOne, untilAvailable };
}
