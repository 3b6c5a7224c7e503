import { expect, test } from 'vitest';
import * as z from 'zod';
import type { ResourceType } from '../../../src/runtime/kubernetes-object.ts';
import { patchStatus, statusPatch } from '../../../src/runtime/status-writer.ts';
import { managedServices } from '../../../src/resources/managed-service.ts';
import { shop } from './cluster.ts';

const quota = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
  }),
  status: z.looseObject({ hard: z.record(z.string(), z.string()).optional() }).optional(),
});
type Quota = z.infer<typeof quota>;

/** A kind with a status of which no controller of this control plane knows. */
const quotas: ResourceType<Quota> = {
  group: '',
  version: 'v1',
  plural: 'resourcequotas',
  kind: 'ResourceQuota',
  parse: (value) => quota.parse(value),
};

async function quotaIn(there: Awaited<ReturnType<typeof shop>>): Promise<Quota> {
  return there.client.create(quotas, there.namespace, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'orders' },
    spec: {},
  });
}

const cache = { wrote: () => undefined };

test('a changed status is written, and the cache has it at once', async () => {
  await using there = await shop();
  const cached: Quota[] = [];
  const write = (object: Quota, status: object) =>
    patchStatus(there.client, quotas, {
      object,
      difference: statusPatch(object, status) ?? {},
      cache: { wrote: (written) => void cached.push(written) },
    });
  const first = await write(await quotaIn(there), { hard: { pods: '5', services: '2' } });
  expect(first.status).toMatchObject({ hard: { pods: '5', services: '2' } });
  const second = await write(first, { ...first.status, hard: { pods: '6' } });
  expect(second.status?.hard).toEqual({ pods: '6' });
  expect(cached).toEqual([first, second]);
  expect(await there.client.get(quotas, there.key('orders'))).toEqual(second);
});

test('a status is never written to another object of the same name', async () => {
  await using there = await shop();
  const gone = await quotaIn(there);
  await there.client.delete(quotas, there.key('orders'));
  const status = { hard: { pods: '5' } };
  await expect(
    patchStatus(there.client, quotas, { object: gone, difference: status, cache }),
  ).rejects.toMatchObject({ kind: 'notFound' });
  await quotaIn(there);
  await expect(
    patchStatus(there.client, quotas, { object: gone, difference: status, cache }),
  ).rejects.toMatchObject({ kind: 'conflict' });
});

const service = {
  apiVersion: 'managed-db.io/v1alpha1',
  kind: 'ManagedService',
  metadata: { name: 'orders' },
  spec: { cpuMillis: 500, memoryGbs: 2 },
};

test('a status of a custom resource, whose uid the API server ignores there, is never written to another object of the same name', async () => {
  await using there = await shop();
  const gone = await there.client.create(managedServices, there.namespace, service);
  await there.client.delete(managedServices, there.key('orders'));
  await there.client.create(managedServices, there.namespace, service);
  await expect(
    patchStatus(there.client, managedServices, {
      object: gone,
      difference: { id: 'svc-1' },
      cache,
    }),
  ).rejects.toMatchObject({ kind: 'conflict' });
  expect(
    (await there.client.get(managedServices, there.key('orders')))?.status?.id,
  ).toBeUndefined();
});

test('a status is written over a change of another client, and keeps that change', async () => {
  await using there = await shop();
  const seen = await there.client.create(managedServices, there.namespace, service);
  await there.client.patch(managedServices, there.key('orders'), {
    metadata: { annotations: { 'managed-db.io/create-anyway': 'svc-0' } },
  });
  const written = await patchStatus(there.client, managedServices, {
    object: seen,
    difference: { id: 'svc-1' },
    cache,
  });
  expect(written).toMatchObject({
    metadata: { annotations: { 'managed-db.io/create-anyway': 'svc-0' } },
    status: { id: 'svc-1' },
  });
});

test('where processes share the objects, a status is not written over a change of another client', async () => {
  await using there = await shop();
  const seen = await there.client.create(managedServices, there.namespace, service);
  await there.client.patch(managedServices, there.key('orders'), {
    metadata: { annotations: { 'managed-db.io/create-anyway': 'svc-0' } },
  });
  await expect(
    patchStatus(there.client, managedServices, {
      object: seen,
      difference: { id: 'svc-1' },
      cache,
      isShared: true,
    }),
  ).rejects.toMatchObject({ kind: 'conflict' });
});
