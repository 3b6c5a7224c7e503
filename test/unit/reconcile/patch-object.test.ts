import { pino } from 'pino';
import { expect, test } from 'vitest';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { dropFinalizer, patchMetadata, writeRecord } from '../../../src/reconcile/act/patch-object.ts';
import { outcomeOfError } from '../../../src/reconcile/act/perform.ts';
import { memory } from '../../../src/reconcile/process/memory.ts';
import { recordText, type ResourceRecord } from '../../../src/reconcile/record/record.ts';
import { write } from '../../../src/reconcile/step/step.ts';
import { annotations, cloudResourceFinalizer } from '../../../src/resources/annotations.ts';
import { objectCache } from '../../../src/runtime/index.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { recordOf, serviceObject } from '../../support/situation.ts';

/**
 * The API server refuses a patch with another uid or resourceVersion than it has. Another resourceVersion alone would not do: after a restore of etcd, an
 * object that is made anew may get the one that the lost object had.
 */
const recorder = (finalizers: readonly string[] = []) => {
  const bodies: unknown[] = [];
  const kubernetes: Parameters<typeof dropFinalizer>[1]['kubernetes'] = {
    get: (type) => Promise.resolve(type.parse({ metadata: { ...serviceObject().metadata, finalizers } })),
    patch(type, _key, body) {
      bodies.push(body);
      return Promise.resolve(type.parse(serviceObject()));
    },
  };
  return { bodies, context: { caches: operatorCaches({ cache: () => objectCache([undefined]) }, 'ledger'), memory: memory(), kubernetes } };
};

test('a patch goes to the object that was seen, in the version that was seen', async () => {
  const { bodies, context } = recorder();
  await patchMetadata(serviceObject(), { annotations: { team: 'shop' } }, context);
  expect(bodies).toEqual([{ metadata: { uid: 'uid', resourceVersion: '1', annotations: { team: 'shop' } } }]);
});

test.each([
  ['a resource', { id: 'svc-1' }, { id: 'svc-1', released: 'uid' }],
  ['nothing', {}, undefined],
])('the record of %s says that the operator itself took its finalizer off where it is about something', async (_, record, released) => {
  const { bodies, context } = recorder();
  const annotation = { [annotations.record]: JSON.stringify(record) };
  await dropFinalizer(serviceObject(annotation, {}, { metadata: { finalizers: [cloudResourceFinalizer, 'hook'] } }), context);
  expect(bodies).toEqual([
    {
      metadata: {
        uid: 'uid',
        resourceVersion: '1',
        finalizers: ['hook'],
        ...(released ? { annotations: { [annotations.record]: JSON.stringify(released) } } : {}),
      },
    },
  ]);
});

test('a patch of finalizers leaves all of others, though few of them are kept in memory', async () => {
  const others = Array.from({ length: 100 }, (_, index) => `example.com/${index}`);
  const finalizers = [...others.slice(0, 50), cloudResourceFinalizer, ...others.slice(50)];
  const object = serviceObject({}, {}, { metadata: { finalizers } });
  expect(object.metadata.finalizers).toHaveLength(17);
  const { bodies, context } = recorder(finalizers);
  await dropFinalizer(object, context);
  expect(bodies).toEqual([{ metadata: { uid: 'uid', resourceVersion: '1', finalizers: others } }]);
});

test('a record that could not be read again is not written, and the object says why, and what to do', async () => {
  const { bodies, context } = recorder();
  const sameNameIds = Array.from({ length: 10_000 }, (_, index) => `service-${index}`);
  const record = { attempt: { id: 'a', at: '2026-11-21T12:00:00.000Z', request: { name: 'orders' }, sameNameIds } };
  const object = serviceObject();
  const known = { ...context, options: defaultOptions, log: pino({ level: 'silent' }) };
  const error: unknown = await writeRecord(object, record, known).catch((thrown: unknown) => thrown);
  expect(bodies).toEqual([]);
  const outcome = outcomeOfError(error, write({ type: 'writeRecord', record }, 'a write'), object, known);
  expect(outcome).toMatchObject({ type: 'writeFailed', step: { type: 'wait', reason: 'InternalError' } });
  expect(outcome).toHaveProperty(
    'step.message',
    expect.stringMatching(/would have \d{6} characters, of at most 131072: .*; choose another spec.name,/u),
  );
});

const ours: ResourceRecord = { ...recordOf('svc-1'), objectUid: 'uid' };

test.each<[string, ResourceRecord | undefined, ResourceRecord, object]>([
  ['stays while a create is to replace the lost resource', ours, { ...ours, creates: 1 }, {}],
  ['stays when a lost record is written back', undefined, ours, {}],
  ['goes when another has taken its place', ours, { ...ours, id: 'svc-2', replaces: 'svc-1' }, { [annotations.allowRecreate]: null }],
  ['goes when the object was copied from another', { ...ours, objectUid: 'its uid' }, ours, { [annotations.allowRecreate]: null }],
])('the word that allows a recreation %s', async (_, before, next, gone) => {
  const { bodies, context } = recorder();
  const there = before === undefined ? {} : { [annotations.record]: recordText(before) };
  const object = serviceObject(there, {}, { metadata: { finalizers: [cloudResourceFinalizer] } });
  // The reply shows no record.
  await expect(writeRecord(object, next, context)).rejects.toThrow(annotations.record);
  const others = { [annotations.record]: recordText(next), [annotations.deletionStarted]: null, [annotations.takeOver]: null };
  expect(bodies).toEqual([{ metadata: { uid: 'uid', resourceVersion: '1', annotations: { ...others, ...gone } } }]);
});
