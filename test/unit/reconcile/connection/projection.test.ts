import { describe, expect, test } from 'vitest';
import {
  hasContent,
  hasInputs,
  hasRequestedTexts,
  inputsOf,
  isProjectionOf,
  newSecret,
  passwordNumberIn,
  secretPatch,
} from '../../../../src/reconcile/connection/projection.ts';
import { resourceHash } from '../../../../src/reconcile/ledger/entry.ts';
import type { ConnectionWrite } from '../../../../src/reconcile/step/connection.ts';
import { connectionLabel } from '../../../../src/resources/annotations.ts';
import {
  connectionAnnotations as says,
  secretsWithData,
  type SecretWithData,
} from '../../../../src/resources/connection-secret.ts';
import { watched } from '../../../../src/resources/watched-secret.ts';
import { merged } from '../../../support/merged.ts';
import { connection, connectionSecret, connectionWrite } from '../../../support/our-secret.ts';
import { serviceObject } from '../../../support/situation.ts';

const owner = serviceObject();
const resource = resourceHash('ManagedService', 'prj-1', 'svc-1');
const another = resourceHash('ManagedService', 'prj-1', 'svc-2');
const known = (uid: string) =>
  serviceObject({}, {}, { status: { connectionSecret: { uid, resourceVersion: '1' } } });
/** A Secret of the operator with these annotations changed; undefined removes an annotation. */
const annotated = (
  texts: Readonly<Record<string, string | undefined>>,
  metadata: Partial<SecretWithData['metadata']> = {},
) => {
  const all = { ...connectionSecret().metadata.annotations, ...texts };
  const annotations = Object.fromEntries(
    Object.entries(all).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );
  return connectionSecret({}, { annotations, ...metadata });
};
const foreign = connectionSecret({}, { annotations: {}, labels: {} });
const ofBefore = { [says.ownerUid]: 'before' };

describe('isProjectionOf', () => {
  test.each<[string, SecretWithData, typeof owner, string | undefined, boolean]>([
    ['for this object', connectionSecret(), owner, resource, true],
    [
      'for this object about an earlier resource',
      annotated({ [says.resource]: another }),
      owner,
      resource,
      true,
    ],
    ['for this object, which has no resource now', connectionSecret(), owner, undefined, true],
    ['for an earlier object about the same resource', annotated(ofBefore), owner, resource, true],
    [
      'for another object about another resource',
      annotated({ ...ofBefore, [says.resource]: another }),
      owner,
      resource,
      false,
    ],
    [
      'for another object, while this object has no resource',
      annotated(ofBefore),
      owner,
      undefined,
      false,
    ],
    [
      'under another name, as a copy of it',
      connectionSecret({}, { name: 'copy' }),
      owner,
      resource,
      false,
    ],
    [
      'for an earlier object under another name',
      annotated(ofBefore, { name: 'copy' }),
      owner,
      resource,
      false,
    ],
    [
      'with the uid in status, though its annotations were removed',
      foreign,
      known('secret-uid'),
      resource,
      true,
    ],
    [
      'with the uid in status, though its name was removed from the annotations',
      annotated({ [says.name]: undefined }),
      known('secret-uid'),
      resource,
      true,
    ],
    [
      'with the uid in status, after another object took it over',
      annotated({ ...ofBefore, [says.resource]: another }),
      known('secret-uid'),
      resource,
      false,
    ],
    [
      'with the uid in status and the uid of another object',
      annotated({ ...ofBefore, [says.resource]: undefined }),
      known('secret-uid'),
      resource,
      false,
    ],
    [
      'with the uid in status and the resource of another object',
      annotated({ [says.ownerUid]: undefined, [says.resource]: another }),
      known('secret-uid'),
      resource,
      false,
    ],
    [
      'with a different uid than in the status, and without annotations',
      foreign,
      known('before'),
      resource,
      false,
    ],
    [
      'with a different uid than in the status, for this object',
      connectionSecret(),
      known('before'),
      resource,
      true,
    ],
    [
      'without the name in its annotations',
      annotated({ [says.name]: undefined }),
      owner,
      resource,
      false,
    ],
    ['of a user', foreign, owner, resource, false],
    ['of a user, while the object has no resource', foreign, owner, undefined, false],
  ])(
    'a Secret belongs to the operator exactly as the table says: %s',
    (_, secret, object, hash, expected) => {
      expect(isProjectionOf(secret, object, hash)).toBe(expected);
      // The cache has a part of the metadata alone.
      expect(isProjectionOf(watched(secret), object, hash)).toBe(expected);
    },
  );
});

describe('hasInputs', () => {
  const asked = { labels: { team: 'shop' }, annotations: { note: 'ours' } };

  test.each<[string, Partial<ConnectionWrite>]>([
    ['of the ready service', {}],
    ['with labels and annotations', asked],
    ['without a known password', { password: undefined }],
  ])('a Secret has the inputs that it was computed from: %s', (_, given) => {
    expect(hasInputs(watched(connectionSecret(given)), connectionWrite(given), owner)).toBe(true);
  });

  test.each<[string, Partial<ConnectionWrite>]>([
    ['a different name', { name: 'else' }],
    ['a different resource', { resource: another }],
    ['a different user', { connection: { ...connection, username: 'else' } }],
    ['a different database', { connection: { ...connection, database: 'else' } }],
    ['no address', { connection: { ...connection, direct: undefined } }],
    [
      'an address of a pooler',
      { connection: { ...connection, pooler: { host: 'pooler', port: 1 } } },
    ],
    ['an address in a VPC', { connection: { ...connection, vpc: { host: 'vpc', port: 1 } } }],
    ['the next password', { password: { entry: 'managedservice-uid', id: 'svc-1', number: 2 } }],
    ['a further label', asked],
    ['one label fewer', { annotations: { note: 'ours' } }],
  ])('a Secret is outdated if it must have %s', (_, given) => {
    const write = connectionWrite(given);
    const before =
      given === asked ? connectionSecret() : connectionSecret({ labels: { team: 'shop' } });
    expect(hasInputs(watched(before), write, owner)).toBe(false);
  });

  test('a password of unknown number stays: the Secret is not outdated', () => {
    expect(hasInputs(connectionSecret(), connectionWrite({ password: undefined }), owner)).toBe(
      true,
    );
  });

  test('a Secret is outdated after a user removed its annotations', () => {
    expect(
      hasInputs(connectionSecret(asked, { annotations: {} }), connectionWrite(asked), owner),
    ).toBe(false);
  });

  test.each<[string, Partial<SecretWithData['metadata']>, boolean]>([
    ['as written', {}, true],
    ['with a foreign label', { labels: { team: 'shop', hook: 'x' } }, true],
    ['without a label', { labels: {} }, false],
    ['with another value of a label', { labels: { team: 'else' } }, false],
    ['without an annotation', { annotations: {} }, false],
  ])('a Secret %s has the labels and annotations of the spec, or not', (_, metadata, expected) => {
    expect(hasRequestedTexts(connectionSecret(asked, metadata), connectionWrite(asked))).toBe(
      expected,
    );
  });

  test('the order of labels in the spec is no input', () => {
    const write = connectionWrite({ labels: { a: '1', b: '2' } });
    expect(inputsOf({ ...write, labels: { b: '2', a: '1' } })).toBe(inputsOf(write));
  });

  test('foreign labels and annotations do not count', () => {
    const { labels, annotations } = connectionSecret().metadata;
    const secret = connectionSecret(
      {},
      { labels: { ...labels, hook: 'x' }, annotations: { ...annotations, hook: 'x' } },
    );
    expect(hasInputs(secret, connectionWrite(), owner)).toBe(true);
  });
});

test.each([
  ['the number of its password', connectionSecret(), 1],
  ['no number, without a password', connectionSecret({ password: undefined }), 0],
  ['no number, after a user wrote another text', annotated({ [says.passwordNumber]: 'many' }), 0],
])('a Secret has %s', (_, secret, number) => {
  expect(passwordNumberIn(secret)).toBe(number);
});

describe('hasContent', () => {
  const password = 'secret-password';
  const { data } = connectionSecret();
  test.each<[string, Readonly<Record<string, string>>, string | undefined, boolean]>([
    ['its own data', data, password, true],
    ['a foreign key', { ...data, note: 'x' }, password, true],
    ['another password', { ...data, password: 'edited' }, password, false],
    ['another password in the URI', { ...data, uri: 'edited' }, password, false],
    ['another host', { ...data, host: 'edited' }, password, false],
    ['another host, while no password is known', { ...data, host: 'edited' }, undefined, false],
    ['a password, while no password is known', data, undefined, true],
    ['a key of a pooler that is gone', { ...data, 'pooler-host': 'h' }, password, false],
    [
      'no password',
      Object.fromEntries(Object.entries(data).filter(([key]) => key !== 'password')),
      password,
      false,
    ],
    ['no data', {}, password, false],
  ])('a Secret with %s is as it must be, or not', (_, given, known_, expected) => {
    expect(hasContent({ data: given }, connectionWrite(), known_)).toBe(expected);
  });
});

const encoded = (secret: SecretWithData) => ({
  ...secret,
  data: Object.fromEntries(
    Object.entries(secret.data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  ),
});

/** The Secret after the patch. */
const patched = (before: SecretWithData, given: Partial<ConnectionWrite> = {}, password?: string) =>
  secretsWithData.parse(
    merged(
      encoded(before),
      secretPatch(watched(before), connectionWrite(given), owner, {
        password,
        hasLostPassword: false,
      }),
    ),
  );

describe('secretPatch', () => {
  const withPooler = { ...connection, pooler: { host: 'pooler', port: 6432 } };

  test('is locked to the version that was read', () => {
    expect(
      secretPatch(connectionSecret(), connectionWrite(), owner, {
        password: undefined,
        hasLostPassword: false,
      }).metadata,
    ).toMatchObject({
      uid: 'secret-uid',
      resourceVersion: '1',
    });
  });

  test.each<[string, SecretWithData]>([
    ['an outdated Secret', connectionSecret({ connection: withPooler })],
    ['a Secret without annotations', foreign],
    [
      'an edited Secret',
      { ...connectionSecret(), data: { password: 'edited', uri: 'edited', 'vpc-host': 'edited' } },
    ],
    ['a Secret of another resource', connectionSecret({ resource: another })],
  ])('makes %s equal to a new Secret', (_, before) => {
    const { metadata, data } = patched(before, { labels: { owner: 'me' } }, 'new-password');
    const wanted = newSecret(connectionWrite({ labels: { owner: 'me' } }), owner, 'new-password');
    expect({ labels: metadata.labels, annotations: metadata.annotations }).toEqual({
      labels: wanted.metadata.labels,
      annotations: wanted.metadata.annotations,
    });
    expect(encoded({ ...before, data }).data).toEqual(wanted.data);
  });

  test('removes the keys of a pooler that is gone, and leaves foreign keys', () => {
    const before = connectionSecret({ connection: withPooler });
    const after = patched(
      { ...before, data: { ...before.data, note: 'mine' } },
      {},
      'secret-password',
    ).data;
    expect(Object.keys(after).filter((key) => key.startsWith('pooler-'))).toEqual([]);
    expect(after['note']).toBe('mine');
  });

  test('leaves labels and annotations that left the spec, since another client may have set them', () => {
    const before = connectionSecret({ labels: { team: 'a' }, annotations: { note: 'c' } });
    const after = patched(before, { labels: { kept: 'b' } }).metadata;
    expect(after.labels).toEqual({ team: 'a', kept: 'b', [connectionLabel]: 'true' });
    expect(after.annotations).toHaveProperty('note', 'c');
  });

  test.each<[string, SecretWithData, string | undefined]>([
    ['of the same resource stays', connectionSecret(), 'secret-password'],
    ['of another resource is removed', connectionSecret({ resource: another }), undefined],
  ])('while no password is known, a password %s', (_, before, password) => {
    const { data, metadata } = patched(before, { password: undefined });
    expect([data['password'], data['uri'] === undefined]).toEqual([
      password,
      password === undefined,
    ]);
    expect(metadata.annotations?.[says.passwordNumber], 'its number').toBe(password && '1');
    expect(data['host']).toBe('db.example.com');
  });

  test('while no password is known, a Secret whose annotations were removed keeps its password', () => {
    const stripped = connectionSecret({}, { annotations: {} });
    expect(patched(stripped, { password: undefined }).data['password']).toBe('secret-password');
  });
});
