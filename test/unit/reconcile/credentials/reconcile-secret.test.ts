import { expect, test } from 'vitest';
import { reconcileCredentialsSecret } from '../../../../src/reconcile/act/user-secrets.ts';
import {
  cloudResourceFinalizer,
  credentialsFinalizer,
  credentialsLabel,
} from '../../../../src/resources/annotations.ts';
import type { ManagedObject } from '../../../../src/resources/managed-object.ts';
import { managedServices } from '../../../../src/resources/managed-service.ts';
import { secretMetadata, type SecretMetadata } from '../../../../src/resources/secret-metadata.ts';
import {
  KubernetesError,
  objectCache,
  resourceKey,
  type KubernetesClient,
} from '../../../../src/runtime/index.ts';
import type { EntryContent, LedgerEntry } from '../../../../src/resources/ledger-entry.ts';
import { entryFor } from '../../../support/ledger-entry.ts';
import { ownAttempt, recordOf } from '../../../support/situation.ts';

/** A credentials Secret is released only if live lists prove that no object needs it. */

const metadata = { namespace: 'shop', uid: 'uid', resourceVersion: '1' };
const held: SecretMetadata = {
  metadata: {
    ...metadata,
    name: 'cloud-key',
    labels: { [credentialsLabel]: 'true' },
    finalizers: [credentialsFinalizer],
  },
};

function service(spec: object, more: object = {}) {
  return { kind: 'ManagedService', metadata: { ...metadata, name: 'orders', ...more }, spec };
}

/** Reconciles the Secret in a cluster with this object. @returns the patches */
async function patchesWith(object: { readonly kind: string }): Promise<readonly unknown[]> {
  return (await visitWith(object)).patches;
}

/** @param isCached whether the caches have the object, too @param more metadata of the Secret */
async function visitWith(
  object: { readonly kind: string },
  isCached = false,
  more: Partial<SecretMetadata['metadata']> = {},
  record: Partial<EntryContent> | 'unreadable' = recordOf('svc-1'),
) {
  const holders: string[] = [];
  let lists = 0;
  const patches: unknown[] = [];
  const cluster: Pick<KubernetesClient, 'get' | 'list' | 'patch'> = {
    get: (type) =>
      Promise.resolve(more.finalizers && type.parse({ metadata: { ...held.metadata, ...more } })),
    list(type) {
      lists += 1;
      const found = { items: [], unreadable: [], resourceVersion: '1', continue: undefined };
      if (type.kind !== object.kind) return Promise.resolve(found);
      try {
        return Promise.resolve({ ...found, items: [type.parse(object)] });
      } catch (error) {
        return Promise.resolve({
          ...found,
          unreadable: [
            new KubernetesError({ operation: 'list', kind: 'unreadable', cause: error }),
          ],
        });
      }
    },
    patch(type, _key, body) {
      patches.push(body);
      return Promise.resolve(type.parse({ metadata: { ...held.metadata, finalizers: [] } }));
    },
  };
  const secrets = objectCache<SecretMetadata>([undefined]);
  secrets.wrote(secretMetadata.parse({ metadata: { ...held.metadata, ...more } }));
  const services = objectCache<ManagedObject>([undefined]);
  const entries = objectCache<LedgerEntry>([undefined]);
  const owner = {
    kind: 'ManagedService',
    metadata: managedServices.parse(service({})).metadata,
  } as const;
  const { metadata: named, content } = entryFor(owner, record === 'unreadable' ? {} : record);
  entries.wrote({
    content: record === 'unreadable' ? undefined : content,
    metadata: { ...named, namespace: 'ledger' },
  });
  if (isCached) services.wrote(managedServices.parse(object));
  const next = await reconcileCredentialsSecret(resourceKey('shop', 'cloud-key'), {
    heldSecrets: secrets,
    caches: { ofAllKinds: [services], ledger: { namespace: 'ledger', entries } },
    kubernetes: cluster,
    reportHold: (_secret, { metadata: { name } }) => holders.push(name),
  });
  return { patches, next, lists, holders };
}

test.each([
  ['names it', service({ credentialsRef: { name: 'cloud-key' } })],
  ['cannot be read at all', service({}, { annotations: { broken: 7 } })],
])('a Secret is held while an object %s', async (_, object) => {
  expect(await patchesWith(object)).toEqual([]);
});

test('a Secret is released once its object names another Secret', async () => {
  expect(await patchesWith(service({ credentialsRef: { name: 'other' } }))).toHaveLength(1);
});

const last = { credentialsSecret: 'cloud-key' };
test.each<readonly [sentence: string, record: Partial<EntryContent>, patches: number]>([
  [
    'of the last proven key is held while the key of the next Secret is not proven',
    recordOf('svc-1', last),
    0,
  ],
  ['of the key of an open create is held', { ...last, attempt: ownAttempt }, 0],
  ['of the key of a refused create is released', last, 1],
  ['is released once the next key is proven', recordOf('svc-1', { credentialsSecret: 'other' }), 1],
])('the Secret %s', async (_, record, patches) => {
  const moved = service({ credentialsRef: { name: 'other' } });
  expect((await visitWith(moved, false, {}, record)).patches).toHaveLength(patches);
  expect(
    (await visitWith(moved, true, { deletionTimestamp: '2026-11-21T12:00:00Z' }, record)).patches,
  ).toHaveLength(patches);
});

test('a Secret that an unreadable ledger entry may name is checked again later', async () => {
  const moved = service({ credentialsRef: { name: 'other' } });
  expect(await visitWith(moved, false, {}, 'unreadable')).toMatchObject({
    patches: [],
    next: { afterMs: 300_000 },
  });
});

test.each([
  ['the operator let go', ['example.com/hook'], 1],
  ['the operator still holds', ['example.com/hook', cloudResourceFinalizer], 0],
])(
  'of an object that is being deleted, and that %s, the Secret is released, or held',
  async (_, finalizers, patches) => {
    const dying = service(
      { credentialsRef: { name: 'cloud-key' } },
      { deletionTimestamp: '2026-11-21T12:00:00Z', finalizers },
    );
    expect(await patchesWith(dying)).toHaveLength(patches);
  },
);

test('a Secret that no object needs is released', async () => {
  expect(await patchesWith({ kind: 'Other' })).toMatchObject([
    { metadata: { finalizers: [], labels: { [credentialsLabel]: null } } },
  ]);
});

test('a Secret in use costs no lists while the caches show its object', async () => {
  const user = service({ credentialsRef: { name: 'cloud-key' } });
  expect(await visitWith(user, true)).toEqual({
    patches: [],
    lists: 0,
    next: 'forget',
    holders: [],
  });
  expect(await visitWith(user)).toEqual({ patches: [], lists: 3, next: 'forget', holders: [] });
});

test('a Secret that an unreadable object may need is checked again later', async () => {
  expect((await visitWith(service({}, { annotations: { broken: 7 } }))).next).toEqual({
    afterMs: 300_000,
  });
});

test('the deletion of a Secret in use reports the object that names it', async () => {
  const user = service({ credentialsRef: { name: 'cloud-key' } });
  const dying = { deletionTimestamp: '2026-11-21T12:00:00Z' };
  expect(await visitWith(user, true, dying)).toMatchObject({ patches: [], holders: ['orders'] });
  expect((await visitWith(user, true)).holders).toEqual([]);
});

test('a Secret that is released keeps all foreign finalizers', async () => {
  const others = Array.from({ length: 100 }, (_, index) => `example.com/${index}`);
  const { patches } = await visitWith({ kind: 'Other' }, false, {
    finalizers: [...others, credentialsFinalizer],
  });
  expect(patches).toMatchObject([{ metadata: { finalizers: others } }]);
});
