import { expect, test } from 'vitest';
import { cloudResourceFinalizer } from '../../../src/resources/annotations.ts';
import { connectionAnnotations } from '../../../src/resources/connection-secret.ts';
import type { Metadata } from '../../../src/resources/metadata.ts';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { releaseStraySecret } from '../../../src/reconcile/connection/release-stray-secret.ts';
import { memory } from '../../../src/reconcile/process/memory.ts';
import { recordText } from '../../../src/reconcile/record/record.ts';
import { keyOf, objectCache, resourceKey, type KubernetesClient } from '../../../src/runtime/index.ts';
import { connectionSecret } from '../../support/our-secret.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { recordOf, serviceObject } from '../../support/situation.ts';

/** The Secret of `orders` is being deleted; the spec names another by now, and somebody took the record away that names this one. */
async function released(
  remembered: boolean,
  more: Partial<Metadata> = {},
  ofSecret: Readonly<Record<string, string>> = {},
  without?: string,
  isOurs = true,
) {
  const caches = operatorCaches({ cache: () => objectCache([undefined]) });
  const whole = connectionSecret({ metadata: { deletionTimestamp: '2026-11-21T12:00:00Z', annotations: ofSecret } });
  const annotations = Object.fromEntries(Object.entries(whole.metadata.annotations ?? {}).filter(([name]) => name !== without));
  const secret = { ...whole, metadata: { ...whole.metadata, annotations } };
  caches.connectionSecrets.wrote(secret);
  const known = memory();
  const record = { uid: 'uid', text: recordText(recordOf('svc-1')) };
  if (remembered) known.of('ManagedService', resourceKey('shop', 'orders')).record = record;
  const patched: string[] = [];
  const holders: string[] = [];
  const object = serviceObject({}, { connectionSecret: { name: 'mine' } }, { metadata: more });
  const cluster: Pick<KubernetesClient, 'get' | 'patch'> = {
    get: (type) => Promise.resolve(type.parse(type.kind === 'Secret' ? secret : object)),
    patch(type, key) {
      patched.push(key);
      return Promise.resolve(type.parse(secret));
    },
  };
  const shard = { lookMs: 10_000, isOurs: () => isOurs, catchUp: () => Promise.resolve() };
  const context = { caches, options: defaultOptions, memory: known, kubernetes: cluster, shard };
  const next = await releaseStraySecret(keyOf(secret), context, (_secret, { metadata }) => holders.push(metadata.name));
  return { next, patched, holders };
}

test('a Secret that only the record names which this process remembers is not let go, and tells who holds it', async () => {
  expect(await released(true)).toMatchObject({ next: { resync: true }, patched: [], holders: ['orders'] });
});

test('a Secret that nothing names is let go', async () => {
  expect(await released(false)).toEqual({ next: 'forget', patched: ['shop/orders-db'], holders: [] });
});

test.each([
  ['somebody else alone', ['example.com/hook'], []],
  ['the operator, too,', ['example.com/hook', cloudResourceFinalizer], ['orders']],
])('the Secret of an object that is being deleted, and that %s holds, is let go, or not', async (_, finalizers, holders) => {
  expect((await released(true, { deletionTimestamp: '2026-11-21T12:00:00Z', finalizers })).holders).toEqual(holders);
});

test.each([
  ['an earlier object of this name made is let go', 'before', []],
  ['this object made is not let go', 'uid', ['orders']],
])('a Secret without an id that %s', async (_, ownerUid, holders) => {
  const { ownerUid: madeBy, id } = connectionAnnotations;
  expect((await released(true, {}, { [madeBy]: ownerUid }, id)).holders).toEqual(holders);
});

test('a Secret of an object that another process has is left to that one, which remembers what this one does not', async () => {
  expect(await released(false, {}, {}, undefined, false)).toMatchObject({ next: { resync: true }, patched: [], holders: [] });
});
