import { expect, test } from 'vitest';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { inTheWay } from '../../../src/reconcile/connection/secret-in-the-way.ts';
import { memory } from '../../../src/reconcile/process/memory.ts';
import { connectionAnnotations } from '../../../src/resources/connection-secret.ts';
import { connectionLabel, credentialsFinalizer, credentialsLabel } from '../../../src/resources/annotations.ts';
import type { ManagedObject } from '../../../src/resources/managed-object.ts';
import type { WatchedSecret } from '../../../src/resources/watched-secret.ts';
import { objectCache } from '../../../src/runtime/index.ts';
import { connectionSecret } from '../../support/our-secret.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { recordOf, serviceObject } from '../../support/situation.ts';
import { managedServices } from '../../../src/resources/managed-service.ts';
import { annotations } from '../../../src/resources/annotations.ts';
import { recordText } from '../../../src/reconcile/record/record.ts';

/** What may have the name of a connection Secret, or of its pending Secret, and the advice about it. (docs/reasons.md, SecretConflict) */

const elsewhere = 'choose another spec.connectionSecret.name';
const deletionTimestamp = '2026-11-21T12:00:00Z';

/** A service with id `svc-2` whose connection Secret is `orders-db`, as that of the seeker would be. */
const first = managedServices.parse({
  apiVersion: 'managed-db.io/v1alpha1',
  kind: 'ManagedService',
  metadata: {
    name: 'first',
    namespace: 'shop',
    uid: 'first-uid',
    resourceVersion: '1',
    generation: 1,
    annotations: { [annotations.record]: recordText(recordOf('svc-2', { secretName: 'orders-db' })) },
  },
  spec: { cpuMillis: 1000, memoryGbs: 4, connectionSecret: { name: 'orders-db' } },
});
/** A new service of that name, with an API key of its own: it takes over what its Secret names. */
const { [annotations.record]: _record, ...without } = first.metadata.annotations ?? {};
const firstAgain = {
  ...first,
  metadata: { ...first.metadata, uid: 'new-uid', annotations: without },
  spec: { ...first.spec, credentialsRef: { name: 'cloud', key: 'apiKey' } },
};
const ofFirst = { [connectionAnnotations.owner]: 'ManagedService/first', [connectionAnnotations.id]: 'svc-2' };

/** @param others objects in the namespace, beside the seeker `orders` with `svc-1` */
function said(secret: WatchedSecret, spec: object = {}, others: readonly ManagedObject[] = [first]): string {
  const caches = operatorCaches({ cache: () => objectCache([undefined]) });
  for (const each of others) caches.of(each.kind).wrote(each);
  const about = { ids: ['svc-1'], attempt: undefined };
  const { message } = inTheWay(secret, { object: serviceObject({}, spec), about }, { caches, options: defaultOptions, memory: memory() });
  return message;
}
const foreign = (metadata: Partial<WatchedSecret['metadata']> = {}): WatchedSecret => ({
  metadata: { name: 'orders-db', namespace: 'shop', uid: 'u', resourceVersion: '1', ...metadata },
});
const ours = (annotationsOf: Record<string, string>, more: Partial<WatchedSecret['metadata']> = {}) =>
  connectionSecret({ metadata: { annotations: annotationsOf, ...more } });

const isForeign = `Secret "orders-db" exists and was not made for this object: ${elsewhere}, or delete that Secret`;
const isKey = `Secret "orders-db" has an API key that objects here use: ${elsewhere}`;
const mayBeTheOnlyOne = (id: string) =>
  `Secret "orders-db" may have the only copy of the password of ${id}: ${elsewhere}, or delete that Secret once nobody needs that password`;
const isHeld =
  'Secret "orders-db" is being deleted, and the finalizer example.com/hold holds it: have whoever set that finalizer take it off; another Secret is made in its place then';

test.each<[string, string, string]>([
  ['a Secret of the user', said(foreign()), isForeign],
  ['one with a password that another object takes from it', said(foreign({ labels: { [credentialsLabel]: 'password' } })), isForeign],
  ['one with an API key in use', said(foreign({ labels: { [credentialsLabel]: 'true' } })), isKey],
  ['one with an API key in use whose label somebody removed', said(foreign({ finalizers: [credentialsFinalizer] })), isKey],
  ['the one with the API key of this object, not used yet', said(foreign(), { credentialsRef: { name: 'orders-db' } }), isKey],
  [
    'one with an API key in use that is being deleted',
    said(foreign({ deletionTimestamp, finalizers: [credentialsFinalizer, 'example.com/hold'] })),
    isKey,
  ],
  ['one that somebody holds while it is deleted', said(foreign({ deletionTimestamp, finalizers: ['example.com/hold'] })), isHeld],
  [
    'that of another object, which makes it again',
    said(ours(ofFirst)),
    `Secret "orders-db" is that of ManagedService/first: ${elsewhere}, here or there`,
  ],
  [
    'that of another object, which makes it again, though somebody holds it',
    said(ours(ofFirst, { deletionTimestamp, finalizers: ['example.com/hold'] })),
    `Secret "orders-db" is that of ManagedService/first: ${elsewhere}, here or there`,
  ],
  [
    'that of another object, which takes over what it names',
    said(ours(ofFirst), {}, [firstAgain]),
    `Secret "orders-db" is that of ManagedService/first: ${elsewhere}, here or there`,
  ],
  [
    'that of a deleted object, which somebody holds, and a new one of its name does not make again',
    said(ours(ofFirst, { deletionTimestamp, finalizers: ['example.com/hold'] }), {}, [firstAgain]),
    isHeld,
  ],
  [
    'a copy of that under a name which that object does not use',
    said(ours(ofFirst, { name: 'copy' })).replace('copy', 'orders-db'),
    mayBeTheOnlyOne('svc-2'),
  ],
  ['that of an object that is gone', said(ours(ofFirst), {}, []), mayBeTheOnlyOne('svc-2')],
  ['that of an earlier service of this object', said(ours({ [connectionAnnotations.id]: 'svc-0' })), mayBeTheOnlyOne('svc-0')],
  [
    'a password on its way to an earlier service of this object',
    said(ours({ [connectionAnnotations.id]: 'svc-0', [connectionAnnotations.pending]: 'true' })),
    mayBeTheOnlyOne('svc-0'),
  ],
  [
    'a password on its way to this service',
    said(ours({ [connectionAnnotations.pending]: 'true' })),
    `Secret "orders-db" has a password of this object that is on its way: ${elsewhere}`,
  ],
  [
    'that of an earlier object of this name, which lost its id',
    said(foreign({ labels: { [connectionLabel]: 'true' }, annotations: { [connectionAnnotations.owner]: 'ManagedService/orders' } })),
    mayBeTheOnlyOne('what an earlier ManagedService/orders had'),
  ],
  ['a copy of the connection Secret of this service', said(ours({})), isForeign],
])('%s', (_, message, expected) => {
  expect(message).toBe(expected);
});
