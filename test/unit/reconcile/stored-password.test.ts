import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectionData } from '../../../src/reconcile/connection/connection-data.ts';
import { withoutSecrets } from '../../../src/reconcile/connection/secret-contents.ts';
import {
  confirmedPassword,
  connectionContent,
  passwordDigest,
  resourceOfDigest,
  storedAfter,
  storedPassword,
} from '../../../src/reconcile/connection/stored-password.ts';

/** What a connection Secret tells of its password. */

const connection = { username: 'u', database: 'd', direct: { host: 'h', port: 5432 }, pooler: undefined, vpc: undefined };
const password = fc.string({ minLength: 1 }).filter((text) => text.isWellFormed());
const salt = 'a1b2c3d4e5f6g7h8';

function secret(data: Readonly<Record<string, string>>, digest?: string) {
  const annotations = digest === undefined ? {} : { 'managed-db.io/password-digest': digest };
  return { metadata: { name: 'orders-db', namespace: 'shop', uid: 'u1', resourceVersion: '1', annotations }, type: undefined, data };
}

test('a password with its digest is the one that the cloud has; one without a digest counts as it', () => {
  fc.assert(
    fc.property(password, (text) => {
      const data = connectionData(connection, text);
      expect(storedPassword(secret(data, passwordDigest(text, salt)))).toEqual({ state: 'confirmed', password: text });
      expect(storedPassword(secret(data))).toEqual({ state: 'unmarked', password: text });
    }),
  );
});

test.each([
  ['of this resource', 'svc-1', 'confirmed'],
  ['of another resource, whose id was changed by hand', 'svc-2', 'edited'],
  ['from a build that did not say of which', undefined, 'confirmed'],
])('the password %s', (_, id, state) => {
  const found = secret(connectionData(connection, 'text'), passwordDigest('text', salt, id));
  const stored = storedPassword({
    ...found,
    metadata: { ...found.metadata, annotations: { ...found.metadata.annotations, 'managed-db.io/id': 'svc-1' } },
  });
  expect([stored.state, confirmedPassword(stored)]).toEqual([state, state === 'edited' ? undefined : 'text']);
});

test.each(['svc-1', 'an id: with all'])('a digest says whose password it is (%j), also for a Secret that lost its id', (id) => {
  const digest = passwordDigest('text', salt, id);
  expect([resourceOfDigest(digest), storedPassword(secret({ password: 'text' }, digest)).state]).toEqual([id, 'confirmed']);
  expect([resourceOfDigest(passwordDigest('text', salt)), resourceOfDigest('nonsense'), resourceOfDigest(undefined)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('a password that somebody wrote over it is told apart, and the one before is found in the URI', () => {
  fc.assert(
    fc.property(password, password, (before, after) => {
      fc.pre(before !== after);
      const found = secret({ ...connectionData(connection, before), password: after }, passwordDigest(before, salt));
      const stored = storedPassword(found);
      expect(stored).toEqual({ state: 'edited', password: after, confirmed: before });
      // Stored again it is still an edit, and the URI still works.
      expect(connectionContent(connection, stored)).toEqual(found.data);
      expect(withoutSecrets(found)).toMatchObject({ password: 'edited', consistent: true });
    }),
  );
});

test('where URI and password were both written over, nothing is known of the one before', () => {
  const stored = storedPassword(secret(connectionData(connection, 'after'), passwordDigest('before', salt)));
  expect([stored.state, confirmedPassword(stored)]).toEqual(['edited', undefined]);
});

test.each(['nonsense', 'postgresql://u:%E0%A4%A@h', 'postgresql://u@h', ''])('a URI that reads %j tells no password', (uri) => {
  const stored = storedPassword(secret({ password: 'after', uri }, passwordDigest('before', salt)));
  expect(confirmedPassword(stored)).toBeUndefined();
});

test('the digest of a password does not hold it, and two of the same differ', () => {
  const digests = [passwordDigest('geheim', 'salt-one'), passwordDigest('geheim', 'salt-two')];
  expect(digests[0]).not.toBe(digests[1]);
  expect(digests.join(' ')).not.toContain('geheim');
});

test('nothing of a password, and nothing that the operator did not put there, is remembered of a Secret', () => {
  const data = { ...connectionData(connection, 'geheim-123'), host: 'h'.repeat(5_000), dump: 'x'.repeat(100_000) };
  const known = JSON.stringify(withoutSecrets(secret(data)));
  expect(known).not.toContain('geheim');
  expect(known.length).toBeLessThan(2_000);
});

const written = (text: string) => ({ state: 'edited', password: text, confirmed: 'of-the-cloud' }) as const;
const next = { state: 'edited', password: 'by-hand', confirmed: 'newly-set' } as const;
const nothingElse = { state: 'confirmed', password: 'newly-set' } as const;

test.each([
  ['nobody wrote another one', { state: 'confirmed', password: 'of-the-cloud' } as const, 'of-the-cloud', nothingElse],
  ['the Secret is new', { state: 'none' } as const, undefined, nothingElse],
  ['another one was written since', written('by-hand'), 'of-the-cloud', next],
  ['another one was written since over an earlier edit', written('by-hand'), 'an-earlier-edit', next],
  ['another one was written into a Secret without one', written('by-hand'), undefined, next],
  ['the other one was there when it was chosen', written('by-hand'), 'by-hand', nothingElse],
  ['it is the one that was written', written('newly-set'), 'newly-set', nothingElse],
  ['the same one was written since', written('newly-set'), 'of-the-cloud', nothingElse],
])('after a password was set, and %s', (_, before, replaced, after) => {
  expect(storedAfter(before, 'newly-set', replaced === undefined ? undefined : passwordDigest(replaced, salt))).toEqual(after);
});
