import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { entryLabels } from '../../../src/resources/ledger-entry.ts';
import { httpProxy } from '../../support/http-proxy.ts';
import { inParallel } from '../../support/in-parallel.ts';
import { cloudLatencyMs } from '../cloud.ts';
import type { Cluster } from '../cluster.ts';
import { names, servicesPath, watchFleet } from '../fleet.ts';
import { recordingOf, type Recording } from '../recording.ts';
import { startReplay } from '../replay.ts';
import { patience, type Bench } from '../scenario.ts';
import { spentOn, type Spent } from '../window.ts';

/** Records the writes of the operator for a service, through a proxy that keeps all requests. */
export async function record(bench: Bench): Promise<Recording> {
  const { cluster } = bench;
  const { handle, operatorToken } = cluster;
  const ca = Buffer.from(handle.caData, 'base64').toString('utf8');
  await using proxy = await httpProxy(handle.server, { ca, token: operatorToken });
  const namespace = await cluster.newNamespace();
  await using fleet = await watchFleet(cluster, namespace);
  await using operator = await bench.startOperator(namespace, {}, proxy.url);
  await operator.untilWorking();
  const [name = ''] = names(1);
  const before = proxy.requests.length;
  await fleet.apply([name]);
  await fleet.untilReady(1, patience(1));
  await untilQuiet(() => proxy.requests.length);
  const { uid } = fleet.get(name) ?? { uid: '' };
  const recording = recordingOf(
    proxy.requests.slice(before),
    { namespace, name, uid },
    cloudLatencyMs,
  );
  await fleet.deleteAll();
  await fleet.untilGone(patience(1));
  return recording;
}

/** Makes the writes of the recording for that many services that are applied as in {@link bringUp}. */
export async function replayOnce(
  bench: Bench,
  recording: Recording,
  count: number,
): Promise<Spent> {
  const { cluster } = bench;
  const namespace = await cluster.newNamespace();
  await using fleet = await watchFleet(cluster, namespace);
  await using replay = await startReplay(cluster, recording, cloudLatencyMs);
  const known = new Set<string>();
  fleet.onChange(({ name, uid, resourceVersion }) => {
    if (known.has(name)) return;
    known.add(name);
    replay.take({
      namespace,
      name,
      uid,
      resourceVersion,
      object: `${servicesPath(namespace)}/${name}`,
    });
  });
  const spent = await spentOn(bench, replay, () =>
    Promise.race([
      replay.broken,
      fleet.apply(names(count)).then(() => fleet.untilReady(count, patience(count))),
    ]),
  );
  await clear(cluster, namespace);
  await fleet.untilGone(patience(count));
  return spent;
}

const listed = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

const released = { metadata: { finalizers: null } };

const ledgerNamespace = 'managed-db-ledger';
const secretsPath = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`;

/** Removes the objects without an operator. */
async function clear(cluster: Cluster, namespace: string): Promise<void> {
  const places = [
    [servicesPath(namespace)],
    [secretsPath(namespace)],
    [secretsPath(ledgerNamespace), `?labelSelector=${entryLabels.namespace}=${namespace}`],
  ] as const;
  for (const [path, query = ''] of places) {
    await cluster.send('DELETE', `${path}${query}`);
    const { items } = listed.parse(JSON.parse(await cluster.send('GET', `${path}${query}`)));
    await inParallel(items, 24, ({ metadata: { name } }) =>
      cluster.send(
        'PATCH',
        `${path}/${name}?fieldManager=kubectl-patch`,
        released,
        'application/merge-patch+json',
      ),
    );
  }
}

async function untilQuiet(count: () => number): Promise<void> {
  for (let last = -1; last !== count();) {
    last = count();
    await pause(300);
  }
}
