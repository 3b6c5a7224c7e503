import { expect, test } from 'vitest';
import * as z from 'zod';
import type { ResourceType } from '../../../src/runtime/kubernetes-object.ts';
import { patchStatus, statusPatch } from '../../../src/runtime/status-writer.ts';
import { shop } from './cluster.ts';

const quota = z.looseObject({
  metadata: z.looseObject({ name: z.string(), namespace: z.string(), uid: z.string(), resourceVersion: z.string() }),
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
  return there.client.create(quotas, there.namespace, { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'orders' }, spec: {} });
}

test('a changed status is written, and the cache has it at once', async () => {
  await using there = await shop();
  const cached: Quota[] = [];
  const write = (object: Quota, status: object) =>
    patchStatus(there.client, quotas, object, statusPatch(object, status) ?? {}, { wrote: (written) => void cached.push(written) });
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
  await expect(patchStatus(there.client, quotas, gone, status, { wrote: () => undefined })).rejects.toMatchObject({ kind: 'notFound' });
  await quotaIn(there);
  await expect(patchStatus(there.client, quotas, gone, status, { wrote: () => undefined })).rejects.toMatchObject({ kind: 'conflict' });
});
