import { describe, expect, test } from 'vitest';
import { adopt, dropEntries, rebind } from '../../../../src/reconcile/act/bind-entry.ts';
import { writeRecord } from '../../../../src/reconcile/act/patch-object.ts';
import { annotationsOf, type EntryContent } from '../../../../src/resources/ledger-entry.ts';
import type { ConnectionWrite } from '../../../../src/reconcile/step/connection.ts';
import { ledgerEntry } from '../../../support/ledger-entry.ts';
import { connectionSecret } from '../../../support/our-secret.ts';
import { noon, serviceObject } from '../../../support/situation.ts';
import { encoded, owner, passwordWorld } from './password-world.ts';

const ledger = 'managed-db-ledger';
const name = 'managedservice-uid';
const action = {
  type: 'adopt',
  noun: 'service',
  id: 'svc-1',
  record: { id: 'svc-1', projectId: 'prj-1', outcome: 'adopted' },
} as const;
const adopter = serviceObject({}, { password: { rotation: 'r1' } });

type Texts = Readonly<Record<string, string>>;
function entry(given: Partial<EntryContent>, data: Texts) {
  const { metadata, content } = ledgerEntry(given);
  const uid = `entry of ${content?.object.uid}`;
  return {
    metadata: {
      ...metadata,
      uid,
      annotations: content && annotationsOf(content),
      finalizers: ['managed-db.io/ledger'],
    },
    data: encoded(data),
  };
}
function secret(given: Partial<ConnectionWrite>, data: Texts, metadata: object = {}) {
  const { metadata: all, ...rest } = connectionSecret(given);
  return { ...rest, metadata: { ...all, ...metadata }, data: encoded(data) };
}
const gone = { kind: 'ManagedService', namespace: 'shop', name: 'orders', uid: 'gone' };
const leftoverName = 'managedservice-gone';
const leftover = (given: Partial<EntryContent> = {}, data: Texts = { password: 'of-the-ledger' }) =>
  entry({ object: gone, passwordNumber: 4, passwordFrom: 'rotation r0', ...given }, data);
const inSecret = (number: number, given: Partial<ConnectionWrite> = {}) =>
  secret(
    { password: { entry: leftoverName, id: 'svc-1', number }, ...given },
    { password: 'of-the-secret' },
  );
const empty = entry(
  {
    id: undefined,
    projectId: undefined,
    outcome: undefined,
    passwordNumber: 0,
    hasPassword: false,
  },
  {},
);
const ofLost = entry(
  {
    id: 'svc-0',
    passwordNumber: 7,
    passwordFrom: 'rotation r0',
    next: { from: 'x' },
    colour: 'red',
  },
  { password: 'lost', nextPassword: 'y' },
);
const other = serviceObject({}, {}, { metadata: { uid: 'gone', name: 'earlier' } });

/** The entry after an adoption, and the world. */
async function adopted(secrets: readonly object[]) {
  const world = passwordWorld({ secrets });
  expect(await adopt(action, adopter, world.context)).toMatchObject({ type: 'done' });
  const { content, data } = world.seen(ledger, name) ?? {};
  expect(content).toMatchObject({ ...action.record, claimedAt: new Date(noon).toISOString() });
  const { hasPassword, passwordNumber, passwordFrom } = content ?? {};
  return {
    world,
    content,
    data,
    found: { hasPassword, passwordNumber, passwordFrom, password: data?.['password'] },
  };
}

const none = {
  hasPassword: false,
  passwordNumber: 0,
  passwordFrom: 'rotation r1',
  password: undefined,
};
const ofLedger = {
  hasPassword: true,
  passwordNumber: 4,
  passwordFrom: 'rotation r1',
  password: 'of-the-ledger',
};
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
  [
    'from a connection Secret without a number',
    [secret({ password: undefined }, { password: 'of-the-secret' })],
    ofSecret(1),
  ],
  ['from the ledger, even if the Secret has a newer password', [leftover(), inSecret(5)], ofLedger],
  [
    'from a connection Secret that is newer than the entry without a password of a gone object',
    [leftover({ hasPassword: false, passwordNumber: 2 }, {}), inSecret(3)],
    ofSecret(3),
  ],
  [
    'not from a Secret that is no newer than such an entry, since its password may be outdated',
    [leftover({ hasPassword: false }, {}), inSecret(4)],
    { ...none, passwordNumber: 4 },
  ],
  [
    'from a connection Secret of an earlier name',
    [secret({ name: 'before' }, { password: 'of-the-secret' }, { name: 'before' })],
    ofSecret(1),
  ],
  [
    'from the connection Secret with the highest number of a password',
    [
      secret({}, { password: 'oldest' }),
      ...(['before', 'between'] as const).map((each, index) =>
        secret(
          { name: each, password: { entry: leftoverName, id: 'svc-1', number: 5 - index } },
          { password: index === 0 ? 'of-the-secret' : 'older' },
          { name: each, uid: each },
        ),
      ),
    ],
    ofSecret(5),
  ],
  ['not from a Secret of another resource', [inSecret(3, { resource: 'else' })], none],
  ['not from a Secret with an empty password', [secret({}, { password: '' })], none],
  ['not from an entry of another resource', [leftover({ id: 'svc-2' })], none],
  [
    'not from an entry of another namespace',
    [leftover({ object: { ...gone, namespace: 'bank' } })],
    none,
  ],
])('an adopted service gets its password %s', async (_, secrets, expected) => {
  const { found } = await adopted(secrets);
  expect(found).toEqual(expected);
});

test('an adopting object gets its finalizer before the entry and its pointer after it, and the entry of a gone object stays until then', async () => {
  const { world } = await adopted([leftover()]);
  expect(world.writes).toEqual([
    'patch shop/orders',
    `create ${ledger}/${name}`,
    'patch shop/orders',
  ]);
  expect(world.live.get('shop/orders')?.metadata).toMatchObject({
    finalizers: ['managed-db.io/cloud-resource'],
    annotations: { 'managed-db.io/ledger': name },
  });
  expect(world.seen(ledger, leftoverName)).toBeDefined();
});

/** The entry of an object of another namespace that took over the service at this time. */
const inBank = (claimedAt: string) => {
  const object = { ...gone, namespace: 'bank', uid: 'bank' };
  return entry({ object, claimedAt, passwordNumber: 1 }, { password: 'of-the-bank' });
};
const since = (claimedAt: string) => leftover({ claimedAt });
const [early, late] = ['2026-11-20T12:00:00.000Z', '2026-11-20T13:00:00.000Z'];

test.each<[string, readonly object[], object]>([
  ['the last', [since(late), inBank(early)], ofLedger],
  ['not the last', [since(early), inBank(late)], { ...none, passwordNumber: 4 }],
  [
    'not the last, and left a Secret',
    [since(early), inBank(late), inSecret(3)],
    { ...none, passwordNumber: 4 },
  ],
  ['never an', [inBank(late), inSecret(3)], none],
])(
  'a password is known only if the namespace had %s owner of the service',
  async (_, there, known) => {
    expect((await adopted(there)).found).toEqual(known);
  },
);

test('an adopting object keeps the peerings of an earlier object as requests without an answer, since a list may not show them yet', async () => {
  const pendingSince = new Date(noon).toISOString();
  const made = { 'a/b/vpc-1': { id: '31' }, 'a/b/vpc-2': { pendingSince: '2026-11-20T12:00:00Z' } };
  const { content } = await adopted([leftover({ peerings: made })]);
  expect(content?.peerings).toEqual({
    'a/b/vpc-1': { pendingSince },
    'a/b/vpc-2': { pendingSince },
  });
});

test('a restored object does not take over the password from before the time of an owner in another namespace', async () => {
  const world = passwordWorld({ secrets: [since(early), inBank(late)] });
  await rebind({ type: 'rebind', entry: leftoverName }, owner, world.context);
  const { content, data } = world.seen(ledger, name) ?? {};
  expect([content?.hasPassword, content?.passwordNumber, data]).toEqual([false, 4, {}]);
  // A created service without a password would get a new password unasked.
  expect(content?.outcome).toBe('adopted');
});

test('the entry of a restored object says that an earlier object created the service', async () => {
  const world = passwordWorld({ secrets: [leftover({ outcome: 'created' })] });
  await rebind({ type: 'rebind', entry: leftoverName }, owner, world.context);
  expect(world.seen(ledger, name)?.content).toMatchObject({ outcome: 'created', isRestored: true });
});

test('a next password of a gone object comes along with its present password', async () => {
  const data = { password: 'of-the-ledger', nextPassword: 'perhaps', unclearPassword: 'also' };
  const pending = { next: { from: 'rotation r2' }, unclear: { from: 'rotation r1' } };
  const { content, data: moved } = await adopted([leftover(pending, data), inSecret(9)]);
  expect(moved).toEqual(data);
  const answered = { from: 'rotation r1' };
  expect(content).toMatchObject({
    ...pending,
    next: answered,
    unclear: answered,
    passwordFrom: 'rotation r1',
  });
});

const noted = '2026-11-21T11:59:00.000Z';
const claimed = new Date(noon).toISOString();
const unanswered = { unansweredAt: noted };
const inFlight = { next: { from: 'rotation r2' } };
const withNext = { password: 'of-the-ledger', nextPassword: 'perhaps' };
const bank = { ...gone, namespace: 'bank', uid: 'bank' };
test.each<[string, object[], string | undefined]>([
  ['nobody is known without any call', [leftover()], undefined],
  ['an object of this namespace is known', [leftover(unanswered)], noted],
  ['another namespace is known', [leftover({ object: bank, ...unanswered })], noted],
  [
    'another namespace may still have been sent until now while its password is in flight',
    [leftover({ object: bank, ...inFlight }, withNext)],
    claimed,
  ],
  [
    'an object of this namespace may still have been sent until now while its password is in flight',
    [leftover(inFlight, withNext)],
    claimed,
  ],
  [
    'another namespace is known also if this namespace has a newer entry',
    [leftover({ passwordNumber: 9 }), leftover({ object: bank, ...unanswered })],
    noted,
  ],
  [
    'another namespace is known also if the later entry of this namespace had an earlier call',
    [
      leftover({ unansweredAt: '2026-11-21T11:00:00.000Z' }),
      leftover({ object: bank, ...unanswered }),
    ],
    noted,
  ],
  [
    'an object with another resource is not known',
    [leftover({ object: bank, id: 'svc-2', ...inFlight }, withNext)],
    undefined,
  ],
])(
  'in the entry of an adopted service, the last unanswered password call of %s',
  async (_, secrets, expected) => {
    const { content } = await adopted(secrets);
    expect(content?.unansweredAt).toBe(expected);
  },
);

test('an object without its finalizer counts as gone, and its password in flight may arrive', async () => {
  const finalizers = ['example.com/hold'];
  const of = { namespace: 'bank', uid: 'bank', deletionTimestamp: noted, finalizers };
  const stripped = serviceObject({}, {}, { metadata: of });
  const secrets = [leftover({ object: bank, ...inFlight }, withNext)];
  const world = passwordWorld({ secrets, objects: [stripped] });
  expect(await adopt(action, adopter, world.context)).toMatchObject({ type: 'done' });
  expect(world.seen(ledger, name)?.content?.unansweredAt).toBe(claimed);
});

test.each([
  ['another namespace', [since(early), leftover({ object: bank, claimedAt: late, ...inFlight })]],
  ['its own source', [leftover({ claimedAt: early, ...inFlight }), inBank(late)]],
])(
  'a restored object waits for a password in flight of %s, though it gets no password',
  async (_, secrets) => {
    const world = passwordWorld({ secrets });
    await rebind({ type: 'rebind', entry: leftoverName }, owner, world.context);
    const { content } = world.seen(ledger, name) ?? {};
    expect([content?.hasPassword, content?.next, content?.unansweredAt]).toEqual([
      false,
      undefined,
      claimed,
    ]);
  },
);

const secretVersion = 'secret mine/password uid 6';
test.each<[string, object, Partial<EntryContent>, Partial<EntryContent>]>([
  [
    'a rotation text answers that text',
    { rotation: 'r1' },
    { passwordFrom: undefined },
    { passwordFrom: 'rotation r1' },
  ],
  [
    'a rotation text answers that text, after a password of a Secret',
    { rotation: 'r1' },
    { passwordFrom: secretVersion },
    { passwordFrom: 'rotation r1' },
  ],
  [
    'a rotation text answers that text, once the password in flight is set',
    { rotation: 'r1' },
    { next: { from: secretVersion } },
    { passwordFrom: 'rotation r1', next: { from: 'rotation r1' } },
  ],
  [
    'a Secret of the user keeps its origin',
    { secretRef: { name: 'mine' } },
    { passwordFrom: secretVersion },
    { passwordFrom: secretVersion },
  ],
  [
    'no password in the spec keeps its origin',
    {},
    { next: { from: 'rotation r2' } },
    { passwordFrom: 'rotation r0', next: { from: 'rotation r2' } },
  ],
])(
  'the password of an adopted service whose object has %s',
  async (_, password, given, expected) => {
    const data = { password: 'of-the-ledger', ...(given.next ? { nextPassword: 'perhaps' } : {}) };
    const world = passwordWorld({ secrets: [leftover(given, data)] });
    await adopt(action, serviceObject({}, { password }), world.context);
    const { content, data: moved } = world.seen(ledger, name) ?? {};
    expect({
      passwordFrom: content?.passwordFrom,
      ...(content?.next ? { next: content.next } : {}),
      data: moved,
    }).toEqual({
      ...expected,
      data,
    });
  },
);

test('a taken over entry answers the rotation text of a restored object, which may be older than the password', async () => {
  const world = passwordWorld({ secrets: [leftover({ next: { from: 'rotation r2' } })] });
  await rebind({ type: 'rebind', entry: leftoverName }, adopter, world.context);
  expect(world.seen(ledger, name)?.content).toMatchObject({
    passwordFrom: 'rotation r1',
    next: { from: 'rotation r1' },
  });
});

test.each<[string, object, Partial<EntryContent>, string | undefined]>([
  [
    'chosen by a person answers the rotation text in the spec',
    { id: 'svc-1', outcome: 'adopted' },
    {},
    'rotation r1',
  ],
  [
    'chosen by a person in place of a lost resource answers the rotation text in the spec',
    { id: 'svc-1', outcome: 'adopted' },
    { id: 'svc-0' },
    'rotation r1',
  ],
  [
    'created by the operator answers no rotation text',
    { id: 'svc-1', outcome: 'created' },
    {},
    undefined,
  ],
  [
    'known before keeps its origin',
    { id: 'svc-1', outcome: 'adopted' },
    { id: 'svc-1', passwordFrom: 'rotation r0' },
    'rotation r0',
  ],
])('the password of a resource %s', async (_, record, before, passwordFrom) => {
  const world = passwordWorld({
    secrets: [entry({ id: undefined, passwordNumber: 0, hasPassword: false, ...before }, {})],
  });
  await writeRecord(adopter, { projectId: 'prj-1', ...record }, world.context);
  expect(world.seen(ledger, name)?.content?.passwordFrom).toBe(passwordFrom);
});

test('an entry about a lost resource keeps its number and unknown fields, and loses all passwords', async () => {
  const { content, data } = await adopted([ofLost]);
  expect(data).toEqual({});
  expect(content).toMatchObject({
    hasPassword: false,
    passwordNumber: 7,
    colour: 'red',
    passwordFrom: 'rotation r1',
  });
  expect(content?.next).toBeUndefined();
});

const unreadable = { ...leftover(), metadata: { ...leftover().metadata, annotations: {} } };
const ofRival = leftover({ object: { ...gone, name: 'earlier' } });

test('nothing is written for the adoption of a resource of an object that only a live LIST shows, and the message names the object', async () => {
  const world = passwordWorld({ secrets: [ofRival], objects: [other] });
  const outcome = await adopt(action, adopter, world.context);
  expect(outcome).toMatchObject({
    type: 'stalled',
    step: { reason: 'OwnedByAnother', retryAfterMs: 60_000 },
  });
  expect(outcome.type === 'stalled' && outcome.step.message).toContain(
    'service svc-1 belongs to ManagedService earlier: delete this',
  );
  expect(world.writes).toEqual([]);
});

test.each([
  ['exists', { elsewhere: 'exists' }],
  ['may not be read', { elsewhere: 'forbidden' }],
] as const)(
  'the owner of a resource in the namespace of another installation %s: no write, and no name in the message',
  async (_, { elsewhere }) => {
    const ofBank = leftover({ object: { ...gone, namespace: 'bank', name: 'accounts' } });
    const accounts = serviceObject(
      {},
      {},
      { metadata: { uid: 'gone', name: 'accounts', namespace: 'bank' } },
    );
    const world = passwordWorld({
      secrets: [ofBank],
      objects: [accounts],
      hidden: elsewhere === 'forbidden' ? ['bank'] : [],
    });
    const outcome = await adopt(action, adopter, world.context);
    expect(outcome).toMatchObject({ type: 'stalled', step: { reason: 'OwnedByAnother' } });
    expect(outcome.type === 'stalled' && outcome.step.message).toContain(
      'belongs to a ManagedService of another namespace',
    );
    expect(world.writes).toEqual([]);
  },
);

test.each([
  ['without an entry before', [], undefined],
  ['with an entry before', [empty], { id: undefined, passwordNumber: 0, hasPassword: false }],
])(
  'an object %s gives an adoption up if another object adopts at once',
  async (_, secrets, left) => {
    const world = passwordWorld({ secrets, objects: [other], afterList: [ofRival] });
    expect(await adopt(action, adopter, world.context)).toMatchObject({ type: 'conflict' });
    const { content } = world.seen(ledger, name) ?? {};
    expect(
      content && {
        id: content.id,
        passwordNumber: content.passwordNumber,
        hasPassword: content.hasPassword,
      },
    ).toEqual(left);
    expect(world.live.get('shop/orders')?.metadata.annotations).toEqual({});
    expect(world.seen(ledger, leftoverName)?.data).toEqual({ password: 'of-the-ledger' });
  },
);

test('an adoption beside an entry that cannot be read writes nothing, and the message names that entry', async () => {
  const world = passwordWorld({ secrets: [unreadable], objects: [other] });
  await expect(adopt(action, adopter, world.context)).rejects.toThrow('cannot be read');
  expect(world.writes).toEqual([]);
});

test('nothing is written for the adoption of a resource that the cache knows to be owned', async () => {
  const world = passwordWorld({ secrets: [ofRival] });
  world.caches.of('ManagedService').wrote(other);
  expect(await adopt(action, adopter, world.context)).toMatchObject({ type: 'conflict' });
  expect(world.writes).toEqual([]);
});

describe('a takeover of an entry', () => {
  const pending = {
    vpcAttachment: 'vpc-1',
    next: { from: 'rotation r2' },
    colour: 'red',
    deletionStarted: { id: 'svc-1' },
  };
  const passwords = { password: 'of-the-ledger', nextPassword: 'perhaps' };

  test.each([
    ['of an earlier object', leftoverName, [leftover(pending, passwords)], 'create'],
    [
      'of an earlier object into an empty entry',
      leftoverName,
      [empty, leftover(pending, passwords)],
      'patch',
    ],
    ['of another cluster', name, [entry({ ...pending, clusterUid: 'before' }, passwords)], 'patch'],
  ])('%s copies all but the decision to delete', async (_, from, secrets, verb) => {
    const world = passwordWorld({ secrets });
    expect(await rebind({ type: 'rebind', entry: from }, owner, world.context)).toMatchObject({
      type: 'done',
    });
    const { content, data } = world.seen(ledger, name) ?? {};
    const { deletionStarted: _dropped, ...kept } = pending;
    expect(content).toMatchObject({
      ...kept,
      id: 'svc-1',
      clusterUid: 'cluster',
      object: { uid: 'uid', name: 'orders' },
    });
    expect([content?.deletionStarted, data]).toEqual([undefined, passwords]);
    expect(world.writes).toEqual([`${verb} ${ledger}/${name}`, 'patch shop/orders']);
  });

  test.each([
    [
      'the object has changed',
      serviceObject({}, {}, { metadata: { resourceVersion: '0' } }),
      leftover(),
    ],
    ['the entry is gone', owner, empty],
    ['the entry cannot be read', owner, unreadable],
  ])('writes nothing if %s', async (_, object, stored) => {
    const world = passwordWorld({ secrets: [stored] });
    await expect(
      rebind({ type: 'rebind', entry: leftoverName }, object, world.context),
    ).rejects.toMatchObject({ kind: 'conflict' });
    expect(world.writes).toEqual([]);
  });
});

test.each([
  ['of a gone object is deleted', [], false],
  ['of a living object stays', [other], true],
])('a left entry %s', async (_, objects, stays) => {
  const world = passwordWorld({ secrets: [ofRival], objects });
  await dropEntries({ type: 'dropEntries', names: [leftoverName] }, owner, world.context);
  expect(world.seen(ledger, leftoverName) !== undefined).toBe(stays);
});
