import { expect, test } from 'vitest';
import * as z from 'zod';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { recordCreated } from '../../../src/reconcile/act/record-created.ts';
import { memory } from '../../../src/reconcile/process/memory.ts';
import { concluded } from '../../../src/reconcile/record/record-changes.ts';
import { recordIn, recordText, type ResourceRecord } from '../../../src/reconcile/record/record.ts';
import { annotations } from '../../../src/resources/annotations.ts';
import { KubernetesError, objectCache } from '../../../src/runtime/index.ts';
import { noon, recordOf, serviceObject } from '../../support/situation.ts';

/** The answer to a create, in the hand of a process that was frozen while others went on. (docs/safety.md, The answer) */

const request = { operation: 'createService', name: 'orders' };
const attempt = { id: 'create-2', at: '2026-11-21T09:00:00.000Z', request, sameNameIds: [] };
const lost = recordOf('svc-1', { creates: 1 });
const opened: ResourceRecord = { ...lost, attempt, creates: 2 };

const objectWith = (resourceVersion: string, record: ResourceRecord) =>
  serviceObject(
    { [annotations.record]: recordText(record) },
    {},
    { metadata: { resourceVersion, finalizers: ['managed-db.io/cloud-resource'] } },
  );

const written = z.object({ [annotations.record]: z.string() });
const patched = z.object({ metadata: z.object({ resourceVersion: z.string(), annotations: written }) });
const conflict = new KubernetesError({ operation: 'patch', kind: 'conflict', status: 409 });
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** What is recorded of the answer svc-2 where the object has this record by now. */
async function recordedOver(there: ResourceRecord): Promise<ResourceRecord> {
  let now = objectWith('2', there);
  const kubernetes: Parameters<typeof recordCreated>[3]['kubernetes'] = {
    get: (type) => Promise.resolve(type.parse(now)),
    patch(type, _key, body) {
      const { resourceVersion, annotations: texts } = patched.parse(body).metadata;
      if (resourceVersion !== now.metadata.resourceVersion) return Promise.reject(conflict);
      now = serviceObject(texts);
      return Promise.resolve(type.parse(now));
    },
  };
  const context = { kubernetes, caches: operatorCaches({ cache: () => objectCache([undefined]) }, 'ledger'), memory: memory(), log };
  await recordCreated(objectWith('1', opened), attempt, concluded(opened, 'svc-2', noon), context).catch(() => undefined);
  return recordIn(now);
}

test.each<[string, ResourceRecord]>([
  ['somebody edited the object', opened],
  ['somebody took the record away', {}],
  ['somebody put the record of before the create back', lost],
])('it is recorded though %s', async (_, there) => {
  expect(await recordedOver(there)).toMatchObject({ id: 'svc-2', replaces: 'svc-1', createdBy: 'create-2' });
});

test.each<[string, ResourceRecord]>([
  ['the lost one was seen again, so that others have closed the create', { ...lost, creates: 2 }],
  ['the deletion of the lost one was decided then', { ...lost, creates: 2, deletionStarted: 'svc-1 uid' }],
  ['a later create is open', { ...opened, creates: 3, attempt: { ...attempt, id: 'create-3' } }],
  ['another resource was adopted in its place', { ...lost, id: 'svc-3', creates: 2 }],
])('it takes nothing away where %s', async (_, there) => {
  expect(await recordedOver(there)).toEqual(there);
});
