import { expect, test } from 'vitest';
import { operatorCaches } from '../../../../src/operator/caches.ts';
import {
  dropFinalizer,
  holdObject,
  patchMetadata,
  writeRecord,
} from '../../../../src/reconcile/act/patch-object.ts';
import { annotations, cloudResourceFinalizer } from '../../../../src/resources/annotations.ts';
import { objectCache } from '../../../../src/runtime/index.ts';
import { ledgerEntry } from '../../../support/ledger-entry.ts';
import { merged } from '../../../support/merged.ts';
import { recordOf, serviceObject } from '../../../support/situation.ts';
import { passwordWorld } from './password-world.ts';

/**
 * The API server refuses a patch with a wrong uid or resourceVersion. The resourceVersion alone is not enough: after a
 * restore of etcd, a recreated object may get the resourceVersion of the lost object.
 */
function recorder(
  object = serviceObject(),
  altering: (patched: unknown) => unknown = (same) => same,
) {
  const bodies: unknown[] = [];
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'managed-db-ledger');
  const kubernetes: Parameters<typeof dropFinalizer>[1]['kubernetes'] = {
    patch(type, _key, body) {
      bodies.push(body);
      return Promise.resolve(type.parse(altering(merged(object, body))));
    },
  };
  return { bodies, context: { caches, kubernetes } };
}

const pointer = 'managedservice-uid';
const lock = { uid: 'uid', resourceVersion: '1' };
const held = { finalizers: [cloudResourceFinalizer] };

test('A patch goes to the object that was seen, in the version that was seen.', async () => {
  const { bodies, context } = recorder();
  await patchMetadata(serviceObject(), { annotations: { team: 'shop' } }, context);
  expect(bodies).toEqual([{ metadata: { ...lock, annotations: { team: 'shop' } } }]);
});

test('A patch of finalizers keeps all foreign finalizers.', async () => {
  const others = Array.from({ length: 100 }, (_, index) => `example.com/${index}`);
  const finalizers = [...others.slice(0, 50), cloudResourceFinalizer, ...others.slice(50)];
  const object = serviceObject({}, {}, { metadata: { finalizers } });
  const { bodies, context } = recorder(object);
  await dropFinalizer(object, context);
  expect(bodies).toEqual([{ metadata: { ...lock, finalizers: others } }]);
});

const onlyPointer = { annotations: { [annotations.ledger]: pointer } };

test.each<[string, ReturnType<typeof serviceObject>, string, object | undefined]>([
  [
    'A new object gets finalizer and pointer in one patch',
    serviceObject(),
    'svc-1',
    { ...onlyPointer, ...held },
  ],
  [
    'An object that has both is not written',
    serviceObject({ [annotations.ledger]: pointer }, {}, { metadata: held }),
    'svc-1',
    undefined,
  ],
  [
    'A wrong pointer is corrected',
    serviceObject({ [annotations.ledger]: 'other' }, {}, { metadata: held }),
    'svc-1',
    onlyPointer,
  ],
  [
    'An object that is being deleted gets no finalizer',
    serviceObject(
      {},
      {},
      { metadata: { deletionTimestamp: '2026-11-21T12:00:00Z', finalizers: ['hook'] } },
    ),
    'svc-1',
    onlyPointer,
  ],
])('%s.', async (_, object, id, patch) => {
  const { bodies, context } = recorder(object);
  context.caches.ledger.entries.wrote(ledgerEntry({ id }));
  await holdObject(object, context);
  expect(bodies).toEqual(patch ? [{ metadata: { ...lock, ...patch } }] : []);
});

test.each([
  ['pointer', { annotations: null }],
  ['finalizer', { finalizers: null }],
])('An object whose %s a webhook removes is not held.', async (part, removed) => {
  const { context } = recorder(undefined, (patched) => merged(patched, { metadata: removed }));
  const statusMessage: unknown = expect.stringContaining(
    part === 'pointer' ? annotations.ledger : cloudResourceFinalizer,
  );
  await expect(holdObject(serviceObject(), context)).rejects.toMatchObject({
    kind: 'altered',
    statusMessage,
  });
});

test('A record is written into the ledger before the object is held.', async () => {
  const world = passwordWorld({});
  await writeRecord(serviceObject(), recordOf('svc-1'), world.context);
  expect(world.writes).toEqual([`create managed-db-ledger/${pointer}`, 'patch shop/orders']);
  expect(world.seen('managed-db-ledger', pointer)?.content).toMatchObject(recordOf('svc-1'));
});

test('Nothing is recorded about an object of which the cache has another version.', async () => {
  const world = passwordWorld({});
  world.caches
    .of('ManagedService')
    .wrote(serviceObject({}, {}, { metadata: { resourceVersion: '2' } }));
  await expect(
    writeRecord(serviceObject(), recordOf('svc-1'), world.context),
  ).rejects.toMatchObject({ kind: 'conflict' });
  expect(world.writes).toEqual([]);
});
