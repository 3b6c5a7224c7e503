import { entryName, entryOf, resourceHash } from '../../../../src/reconcile/ledger/entry.ts';
import { describe, expect, test } from 'vitest';
import { operatorCaches } from '../../../../src/operator/caches.ts';
import {
  createEntry,
  deleteEntry,
  LedgerUnusable,
  newContent,
  readEntry,
  updateEntry,
} from '../../../../src/reconcile/ledger/write-entry.ts';
import {
  ledgerFinalizer,
  ledgerLabel,
  ledgerSecretType,
  type EntryContent,
} from '../../../../src/resources/ledger-entry.ts';
import { KubernetesError, objectCache, resourceKey } from '../../../../src/runtime/index.ts';
import { isPlain, merged } from '../../../support/merged.ts';
import { secretsInMemory } from '../../../support/secrets-in-memory.ts';
import { serviceObject } from '../../../support/situation.ts';

const object = serviceObject();
const key = resourceKey('ledger', 'managedservice-uid');
const empty = newContent(object, 'cluster');
const bound: EntryContent = {
  ...empty,
  projectId: 'prj-1',
  id: 'svc-1',
  outcome: 'created',
  passwordNumber: 1,
  hasPassword: true,
};

function world(altering?: (secret: object) => unknown) {
  const { kubernetes, writes, all } = secretsInMemory([], altering);
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'ledger');
  return { context: { kubernetes, caches }, caches, kubernetes, writes, all };
}

describe('createEntry', () => {
  test('creates a Secret with type, finalizer and labels, and the cache has it without passwords', async () => {
    const { context, caches, all } = world();
    const created = await createEntry(object, bound, { password: 'geheim-123' }, context);
    expect(created).toMatchObject({ content: bound, data: { password: 'geheim-123' } });
    const labels = {
      [ledgerLabel]: 'true',
      'managed-db.io/kind': 'ManagedService',
      'managed-db.io/namespace': 'shop',
      'managed-db.io/resource': resourceHash('ManagedService', 'prj-1', 'svc-1'),
    };
    expect(all.get(key)).toMatchObject({
      type: ledgerSecretType,
      metadata: { name: entryName(object), labels, finalizers: [ledgerFinalizer] },
    });
    expect(entryOf(object, caches)).toEqual({ metadata: created.metadata, content: bound });
    expect(caches.ledger.ofResource(resourceHash('ManagedService', 'prj-1', 'svc-1'))).toHaveLength(
      1,
    );
  });

  test('an entry without a resource has no resource label and no password', async () => {
    const { context, all } = world();
    await createEntry(object, empty, { password: null }, context);
    expect(Object.keys(all.get(key)?.metadata['labels'] ?? {})).not.toContain(
      'managed-db.io/resource',
    );
    expect(all.get(key)).toHaveProperty('data', {});
  });

  test('is a conflict if another process has created an entry, and the cache has that without passwords', async () => {
    const { context, kubernetes, writes } = world();
    const { caches } = world();
    const first = await createEntry(object, bound, { password: 'geheim-123' }, context);
    await expect(createEntry(object, empty, {}, { kubernetes, caches })).rejects.toMatchObject({
      kind: 'conflict',
    });
    expect(entryOf(object, caches)).toEqual({ metadata: first.metadata, content: bound });
    expect(writes).toEqual([`create ${key}`]);
  });

  test.each([
    [
      'is missing',
      { kind: 'placeMissing' },
      'the ledger namespace "ledger" is missing: kubectl apply -f deploy/ledger-namespace.yaml',
    ],
    [
      'is being deleted',
      { kind: 'forbidden', status: 403, namespaceTerminating: true },
      'the ledger namespace "ledger" is being deleted: save its entries and create it again, as docs/troubleshooting.md says; existing databases continue',
    ],
  ] as const)('reports the next action if the ledger namespace %s', async (_, details, message) => {
    const { context, kubernetes } = world();
    const refusal = new KubernetesError({ operation: 'create', ...details });
    const refusing = { ...kubernetes, create: () => Promise.reject(refusal) };
    const error: unknown = await createEntry(
      object,
      empty,
      {},
      { ...context, kubernetes: refusing },
    ).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LedgerUnusable);
    expect(error).toMatchObject({ step: { type: 'wait', reason: 'WaitingForLedger', message } });
    expect(message.length).toBeLessThanOrEqual(200);
  });

  test.each(['forbidden', 'server', 'network', 'alreadyExists'] as const)(
    'throws the error %s of Kubernetes unchanged',
    async (kind) => {
      const { context, kubernetes, caches } = world();
      const create = () => Promise.reject(new KubernetesError({ operation: 'create', kind }));
      await expect(
        createEntry(object, empty, {}, { ...context, kubernetes: { ...kubernetes, create } }),
      ).rejects.toMatchObject({ kind });
      expect(entryOf(object, caches)).toBeUndefined();
    },
  );
});

const without = (patch: object) => (secret: object) => merged(secret, patch);
test.each<[string, (secret: object) => unknown]>([
  ['the annotation with the content', without({ metadata: { annotations: null } })],
  ['the password', without({ data: { password: null } })],
  ['the characters of the password', without({ data: { password: 'eHh4' } })],
])(
  'an entry of which a webhook changes %s is not kept as written, and the cache does not have it',
  async (_, altering) => {
    const { context, caches } = world(altering);
    await expect(
      createEntry(object, bound, { password: 'geheim-123' }, context),
    ).rejects.toMatchObject({ kind: 'altered' });
    expect(entryOf(object, caches)).toBeUndefined();
  },
);

describe('updateEntry', () => {
  test('writes content, labels and passwords in one request; a password without a change stays, and null removes a password', async () => {
    const { context, writes, all } = world();
    const created = await createEntry(
      object,
      empty,
      { password: 'first', nextPassword: 'second' },
      context,
    );
    const updated = await updateEntry(
      created,
      bound,
      { nextPassword: null, unclearPassword: 'third' },
      context,
    );
    expect(updated).toMatchObject({ content: bound });
    expect(updated.data).toEqual({ password: 'first', unclearPassword: 'third' });
    expect(all.get(key)?.metadata).toHaveProperty(
      ['labels', 'managed-db.io/resource'],
      resourceHash('ManagedService', 'prj-1', 'svc-1'),
    );
    expect(writes).toEqual([`create ${key}`, `patch ${key}`]);
  });

  test('keeps unknown fields of the content', async () => {
    const { context } = world();
    const created = await createEntry(object, { ...empty, colour: 'red' }, {}, context);
    expect(
      created.content &&
        (await updateEntry(created, { ...created.content, passwordNumber: 1 }, {}, context))
          .content,
    ).toEqual({
      ...empty,
      colour: 'red',
      passwordNumber: 1,
    });
  });

  test('does not overwrite an entry that another process wrote since', async () => {
    const { context } = world();
    const created = await createEntry(object, empty, {}, context);
    await updateEntry(created, bound, { password: 'of-another' }, context);
    await expect(updateEntry(created, empty, { password: 'mine' }, context)).rejects.toMatchObject({
      kind: 'conflict',
    });
    expect((await readEntry(entryName(object), context))?.data).toEqual({ password: 'of-another' });
  });

  test('reports an entry without the password that was to be removed as altered, if a webhook keeps that password', async () => {
    let isAltering = false;
    const keep = (secret: object) =>
      isAltering && isPlain(secret) ? merged(secret, { data: { password: 'eHh4' } }) : secret;
    const { context } = world(keep);
    const created = await createEntry(object, bound, { password: 'xxx' }, context);
    isAltering = true;
    await expect(updateEntry(created, empty, { password: null }, context)).rejects.toMatchObject({
      kind: 'altered',
    });
  });
});

describe('deleteEntry', () => {
  test('first sends the DELETE, then removes the finalizer; the cache does not have the entry afterwards', async () => {
    const { context, caches, writes, all } = world();
    const created = await createEntry(object, bound, { password: 'geheim-123' }, context);
    await deleteEntry(created, context);
    expect(writes).toEqual([`create ${key}`, `delete ${key}`, `patch ${key}`]);
    expect([all.size, entryOf(object, caches)]).toEqual([0, undefined]);
  });

  test('an entry that is being deleted only loses its finalizer', async () => {
    const { context, writes, all, kubernetes } = world();
    const created = await createEntry(object, bound, {}, context);
    await kubernetes.delete(
      { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', parse: () => undefined },
      key,
    );
    const dying = await readEntry(created.metadata.name, context);
    if (dying) await deleteEntry(dying, context);
    expect([writes.at(-1), all.size]).toEqual([`patch ${key}`, 0]);
    expect(writes.filter((write) => write.startsWith('delete'))).toHaveLength(1);
  });

  test('an entry that is gone is removed from the cache', async () => {
    const { context, caches, all } = world();
    const created = await createEntry(object, bound, {}, context);
    all.clear();
    await deleteEntry(created, context);
    expect(entryOf(object, caches)).toBeUndefined();
  });

  test('an entry that another process wrote since stays', async () => {
    const { context, all, caches } = world();
    const created = await createEntry(object, empty, {}, context);
    await updateEntry(created, bound, { password: 'of-another' }, context);
    await expect(deleteEntry(created, context)).rejects.toMatchObject({ kind: 'conflict' });
    expect(all.get(key)?.metadata.deletionTimestamp).toBeUndefined();
    expect(entryOf(object, caches)?.content).toEqual(bound);
  });
});
