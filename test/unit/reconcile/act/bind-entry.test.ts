import { expect, test } from 'vitest';
import { bindEntry } from '../../../../src/reconcile/act/bind-entry.ts';
import type { EntryContent } from '../../../../src/resources/ledger-entry.ts';
import type { ConnectionWrite } from '../../../../src/reconcile/step/connection.ts';
import { connectionSecret } from '../../../support/our-secret.ts';
import { serviceObject } from '../../../support/situation.ts';
import { encoded, owner, passwordWorld, storedEntry } from './password-world.ts';

const ledger = 'managed-db-ledger';
const name = 'managedservice-uid';
const bind = {
  type: 'bindEntry',
  id: 'svc-1',
  projectId: 'prj-1',
  outcome: 'adopted',
  secret: 'orders-db',
  requested: 'rotation r1',
} as const;

type Texts = Readonly<Record<string, string>>;
function secret(given: Partial<ConnectionWrite>, data: Texts, metadata: object = {}) {
  const { metadata: all, ...rest } = connectionSecret(given);
  return { ...rest, metadata: { ...all, ...metadata }, data: encoded(data) };
}
const gone = { kind: 'ManagedService', namespace: 'shop', name: 'orders', uid: 'gone' };
const leftoverName = 'managedservice-gone';
const leftover = (given: Partial<EntryContent> = {}, data: Texts = { password: 'of-the-ledger' }) =>
  storedEntry({ object: gone, passwordNumber: 4, passwordFrom: 'rotation r0', ...given }, data);
const inSecret = (number: number, given: Partial<ConnectionWrite> = {}) =>
  secret({ password: { entry: leftoverName, id: 'svc-1', number }, ...given }, { password: 'of-the-secret' });
const empty = storedEntry({ id: undefined, projectId: undefined, outcome: undefined, passwordNumber: 0, hasPassword: false }, {});
const ofLost = storedEntry(
  { id: 'svc-0', passwordNumber: 7, passwordFrom: 'rotation r0', next: { from: 'x' }, colour: 'red' },
  { password: 'lost', nextPassword: 'y' },
);
const other = serviceObject({}, {}, { metadata: { uid: 'gone', name: 'earlier' } });

/** The entry after the action, without its constant parts. */
async function bound(
  secrets: readonly object[],
  more: Parameters<typeof passwordWorld>[0] = {},
  action: Parameters<typeof bindEntry>[0] = bind,
) {
  const world = passwordWorld({ secrets, ...more });
  expect(await bindEntry(action, owner, world.context)).toMatchObject({ type: 'done' });
  const { content, data } = world.seen(ledger, name) ?? {};
  const { id, projectId, outcome, hasPassword, passwordNumber, passwordFrom } = content ?? {};
  expect({ id, projectId, outcome }).toEqual({ id: 'svc-1', projectId: 'prj-1', outcome: action.outcome });
  return { world, content, data, found: { hasPassword, passwordNumber, passwordFrom, password: data?.['password'] } };
}

const none = { hasPassword: false, passwordNumber: 0, passwordFrom: 'rotation r1', password: undefined };
const ofLedger = { hasPassword: true, passwordNumber: 4, passwordFrom: 'rotation r0', password: 'of-the-ledger' };
const ofSecret = (passwordNumber: number) => ({
  hasPassword: true,
  passwordNumber,
  passwordFrom: 'rotation r1',
  password: 'of-the-secret',
});

test.each<[string, readonly object[], object]>([
  ['nowhere', [], none],
  ['nowhere, with an empty entry of the object', [empty], none],
  ['from the entry of a gone object', [leftover()], ofLedger],
  ['from the entry of a gone object into an empty entry', [empty, leftover()], ofLedger],
  ['from the connection Secret', [inSecret(3)], ofSecret(3)],
  ['from a connection Secret without a number', [secret({ password: undefined }, { password: 'of-the-secret' })], ofSecret(1)],
  ['from the ledger, if its password is newer than that of the Secret', [leftover(), inSecret(3)], ofLedger],
  ['from the Secret, if its password is newer than that of the ledger', [leftover(), inSecret(5)], ofSecret(5)],
  [
    'from a connection Secret of an earlier name',
    [secret({ name: 'before' }, { password: 'of-the-secret' }, { name: 'before' })],
    ofSecret(1),
  ],
  ['not from a Secret of another resource', [inSecret(3, { resource: 'else' })], none],
  ['not from a Secret with an empty password', [secret({}, { password: '' })], none],
  ['not from an entry of another resource', [leftover({ id: 'svc-2' })], none],
  ['not from an entry of another namespace', [leftover({ object: { ...gone, namespace: 'bank' } })], none],
  ['not from an unreadable entry', [{ ...leftover(), metadata: { ...leftover().metadata, annotations: {} } }], none],
])('an adopted service gets its password %s', async (_, secrets, expected) => {
  const { found } = await bound(secrets);
  expect(found).toEqual(expected);
});

test('the entry of an object that still exists keeps its password', async () => {
  const { found, world } = await bound([leftover({ object: { ...gone, name: 'earlier' } })], { objects: [other] });
  expect(found).toEqual(none);
  expect(world.seen(ledger, leftoverName)?.data).toEqual({ password: 'of-the-ledger' });
});

test('the entry of a gone object stays until the new entry has its passwords', async () => {
  const { world } = await bound([leftover()]);
  expect(world.seen(ledger, leftoverName)).toBeDefined();
  expect(world.writes).toEqual([`create ${ledger}/${name}`]);
});

test('a next password of a gone object comes along with its present password, also if the Secret is newer', async () => {
  const data = { password: 'of-the-ledger', nextPassword: 'perhaps', unclearPassword: 'also' };
  const pending = { next: { from: 'rotation r2' }, unclear: { from: 'rotation r1' }, unansweredAt: '2026-11-21T11:59:00.000Z' };
  const { content, data: moved } = await bound([leftover(pending, data), inSecret(9)]);
  expect(moved).toEqual(data);
  expect(content).toMatchObject(pending);
});

test('an entry about a lost resource keeps its number and unknown fields, and loses all passwords', async () => {
  const { content, data } = await bound([ofLost], {}, { ...bind, outcome: 'created' });
  expect(data).toEqual({});
  expect(content).toMatchObject({ hasPassword: false, passwordNumber: 7, colour: 'red' });
  expect([content?.next, content?.passwordFrom]).toEqual([undefined, undefined]);
});

test('a created service without a known password has no answered request: the requested password is set next', async () => {
  const { found } = await bound([empty], {}, { ...bind, outcome: 'created' });
  expect(found).toEqual({ ...none, passwordFrom: undefined });
});

test('an object that has changed since, or is gone, gets no entry: its database keeps its password', async () => {
  const world = passwordWorld({ objects: [serviceObject({}, {}, { metadata: { uid: 'another' } })] });
  expect(await bindEntry(bind, owner, world.context)).toMatchObject({ type: 'conflict' });
  expect(world.writes).toEqual([]);
});
