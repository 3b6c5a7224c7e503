import { expect, test } from 'vitest';
import { keeperOf } from '../../../src/reconcile/act/keep-secrets.ts';
import { connectionAnnotations } from '../../../src/resources/connection-secret.ts';
import type { WatchedSecret } from '../../../src/resources/watched-secret.ts';
import { connectionSecret } from '../../support/our-secret.ts';
import { serviceObject } from '../../support/situation.ts';

/** Which Secret of a resource that stays keeps the password. The others may go. */

const { passwordDigest, id, pending } = connectionAnnotations;
const deleted = { deletionTimestamp: '2026-11-21T12:00:00Z' };
const goes = { ...deleted, finalizers: [] };
const marked = { [passwordDigest]: 'salt:svc-1 digest' };
const secret = (name: string, texts: Readonly<Record<string, string>>, more: object = {}) =>
  connectionSecret({ metadata: { name, uid: name, annotations: { ...texts }, ...more } });
const recorded = (more?: object, texts: Readonly<Record<string, string>> = marked) => secret('orders-db', texts, more);
const moved = (more?: object, texts: Readonly<Record<string, string>> = marked) => secret('elsewhere', texts, more);

test.each<[sentence: string, first: WatchedSecret, second: WatchedSecret, kept: string | undefined]>([
  ['the connection Secret, before the other one of a move', recorded(), moved(), 'orders-db'],
  ['the connection Secret, though it was deleted and is to be made again', recorded(deleted), moved(), 'orders-db'],
  ['the other one, where the connection Secret goes whatever is done', recorded(goes), moved(), 'elsewhere'],
  ['the other one, where the connection Secret is about a lost resource', recorded({}, { ...marked, [id]: 'svc-0' }), moved(), 'elsewhere'],
  ['one that goes, before one that goes and has no known password', recorded(goes, {}), moved(goes), 'elsewhere'],
  [
    'the copy of a deleted one from before passwords were marked: it has the same, and is marked',
    recorded(deleted, {}),
    moved(),
    'elsewhere',
  ],
  ['the one that is not deleted, of two beside the connection Secret', secret('before', marked, deleted), moved(), 'elsewhere'],
  ['no pending one', moved({}, { ...marked, [pending]: 'true' }), moved({}, { ...marked, [pending]: 'true' }), undefined],
])('the password is kept by %s', (_, first, second, kept) => {
  const released = { id: 'svc-1', secretName: 'orders-db', keepsSecrets: true, about: { ids: ['svc-1'], attempt: undefined } };
  const keepers = [
    [first, second],
    [second, first],
  ].map((secrets) => keeperOf(secrets, released, serviceObject())?.metadata.name);
  expect(keepers).toEqual([kept, kept]);
});
