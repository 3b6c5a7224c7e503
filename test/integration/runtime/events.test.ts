import { expect, inject, test } from 'vitest';
import * as z from 'zod';
import { eventRecorder, type RecordedEvent } from '../../../src/runtime/events.ts';
import type { KubernetesClient } from '../../../src/runtime/kubernetes-client.ts';
import { keyOf, resourceKey, type ResourceType } from '../../../src/runtime/kubernetes-object.ts';
import { configMaps, linked, namespaces, shop, type ConfigMap } from './cluster.ts';
import { tcpProxy } from '../../support/tcp-proxy.ts';

const event = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  involvedObject: z.object({ kind: z.string(), name: z.string(), uid: z.string() }),
  type: z.string(),
  reason: z.string(),
  message: z.string(),
  count: z.number(),
  source: z.object({ component: z.string() }),
});
const events: ResourceType<z.infer<typeof event>> = {
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  parse: (value) => event.parse(value),
};

function recorder(client: KubernetesClient) {
  const dropped: unknown[] = [];
  const made = eventRecorder({
    client,
    component: 'test',
    onDropped: (error) => void dropped.push(error),
  });
  const record = (object: ConfigMap, what: RecordedEvent) => made.record(object, what);
  return { dropped, record, flush: () => made.flush() };
}

const created = { type: 'Normal', reason: 'Created', message: 'the service is there' } as const;
const failed = { type: 'Warning', reason: 'CreateFailed', message: 'the cloud is full' } as const;

/** The events in a namespace, as `reason count`. */
async function told(client: KubernetesClient, namespace: string): Promise<string[]> {
  const { items } = await client.list(events, { namespace });
  return items.map(({ reason, count }) => `${reason} ${count}`).toSorted();
}

test('an event tells what happened to which object', async () => {
  await using there = await shop();
  const orders = await there.create('orders');
  const { record, flush, dropped } = recorder(there.client);
  record(orders, failed);
  await flush();
  const { items } = await there.client.list(events, { namespace: there.namespace });
  expect(items).toEqual([
    expect.objectContaining({
      ...failed,
      involvedObject: { kind: 'ConfigMap', name: 'orders', uid: orders.metadata.uid },
      count: 1,
      source: { component: 'test' },
    }),
  ]);
  expect(dropped).toEqual([]);
});

test('the event of a lasting state is not written again by the next process, and any other event is', async () => {
  await using there = await shop();
  const orders = await there.create('orders');
  for (let processes = 0; processes < 2; processes += 1) {
    const { record, flush, dropped } = recorder(there.client);
    record(orders, { ...failed, isLasting: true });
    record(orders, created);
    await flush();
    expect(dropped).toEqual([]);
  }
  expect(await told(there.client, there.namespace)).toEqual([
    'CreateFailed 1',
    'Created 1',
    'Created 1',
  ]);
});

test('a repeated event increases its count; another reason, message or object makes another event', async () => {
  await using there = await shop();
  const [orders, carts] = [await there.create('orders'), await there.create('carts')];
  const { record, flush } = recorder(there.client);
  for (let times = 0; times < 3; times += 1) record(orders, failed);
  record(orders, created);
  record(orders, { ...failed, message: 'the cloud is closed' });
  record(carts, failed);
  await flush();
  expect(await told(there.client, there.namespace)).toEqual([
    'CreateFailed 1',
    'CreateFailed 1',
    'CreateFailed 3',
    'Created 1',
  ]);
});

test('a deleted event is recreated when it is repeated', async () => {
  await using there = await shop();
  const orders = await there.create('orders');
  const { record, flush, dropped } = recorder(there.client);
  record(orders, failed);
  await flush();
  const { items } = await there.client.list(events, { namespace: there.namespace });
  for (const item of items) await there.client.delete(events, keyOf(item));
  record(orders, failed);
  record(orders, failed);
  await flush();
  expect(await told(there.client, there.namespace)).toEqual(['CreateFailed 2']);
  expect(dropped).toEqual([]);
});

test('an event that could not be written is dropped and reported, and written when it is repeated', async () => {
  await using there = await shop();
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using link = linked({ server: proxy.url });
  const orders = await there.create('orders');
  const { record, flush, dropped } = recorder(link.client);
  await proxy.cut();
  record(orders, failed);
  await flush();
  expect(dropped).toEqual([expect.objectContaining({ kind: 'network' })]);
  await proxy.mend();
  record(orders, failed);
  await flush();
  expect(await told(there.client, there.namespace)).toEqual(['CreateFailed 1']);
});

test('a long message is cut', async () => {
  await using there = await shop();
  const { record, flush, dropped } = recorder(there.client);
  record(await there.create('orders'), { ...failed, message: 'x'.repeat(100_000) });
  await flush();
  expect(dropped).toEqual([]);
  expect(await told(there.client, there.namespace)).toEqual(['CreateFailed 1']);
});

test('objects with the longest possible name, or a name full of dots, have events', async () => {
  await using there = await shop();
  const { record, flush, dropped } = recorder(there.client);
  record(await there.create('a'.repeat(253)), failed);
  record(await there.create(`${'a'.repeat(199)}.${'b'.repeat(50)}`), failed);
  await flush();
  expect(dropped).toEqual([]);
  expect(await told(there.client, there.namespace)).toEqual(['CreateFailed 1', 'CreateFailed 1']);
});

test('a failed event in a namespace that is being deleted is not reported', async () => {
  await using there = await shop();
  const { client, namespace, key } = there;
  const orders = await there.create('orders');
  await client.patch(configMaps, key('orders'), { metadata: { finalizers: ['test/hold'] } });
  await client.delete(namespaces, resourceKey(undefined, namespace));
  const { record, flush, dropped } = recorder(client);
  record(orders, failed);
  await flush();
  expect(dropped).toEqual([]);
  await client.patch(configMaps, key('orders'), { metadata: { finalizers: null } });
});
