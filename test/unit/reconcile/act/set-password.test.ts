import { expect, test } from 'vitest';
import { setPassword } from '../../../../src/reconcile/act/set-password.ts';
import type { EntryContent } from '../../../../src/resources/ledger-entry.ts';
import { connectionSecret } from '../../../support/our-secret.ts';
import { source, sourceOrigin } from '../../../support/passwords.ts';
import { noon } from '../../../support/situation.ts';
import { asked, encoded, owner, passwordWorld, refusal, storedEntry } from './password-world.ts';

const name = 'managedservice-uid';
const ledger = 'managed-db-ledger';

const connectionNow = { ...connectionSecret(), data: encoded(connectionSecret().data) };
const first = storedEntry({}, { password: 'secret-password' });
const inFlight = storedEntry(
  { next: { from: 'rotation r0' } },
  { password: 'secret-password', nextPassword: 'perhaps' },
);
const user = {
  metadata: { name: 'mine', namespace: 'shop', uid: 'm', resourceVersion: '7' },
  data: {
    ...encoded({
      password: 'of-the-user',
      short: 'x',
      file: 'of-the-user\n',
      windows: 'of-the-user\r\n',
      nul: 'of-the\0-user',
    }),
    ...encoded({ lines: 'of-the-user\n\n', blank: ' of-the-user ' }),
    latin: Buffer.from('p\u00e4ssw\u00f6rt-latin1', 'latin1').toString('base64'),
    mark: Buffer.from('efbbbf6f662d7468652d75736572', 'hex').toString('base64'),
  },
};

test('a password is written to the ledger, sent, promoted, and then written to the connection Secret', async () => {
  const world = passwordWorld({ secrets: [first, connectionNow] });
  expect(await setPassword(asked, owner, world.account, world.context)).toMatchObject({
    type: 'done',
  });
  expect(world.sent).toEqual(['generated-0']);
  expect(world.writes).toEqual([
    `patch ${ledger}/${name}`,
    `patch ${ledger}/${name}`,
    'patch shop/orders-db',
  ]);
  const { content, data } = world.seen(ledger, name) ?? {};
  expect(content).toMatchObject({
    id: 'svc-1',
    passwordNumber: 2,
    hasPassword: true,
    passwordFrom: 'rotation r1',
  });
  expect([content?.next, content?.unclear, data]).toEqual([
    undefined,
    undefined,
    { password: 'generated-0' },
  ]);
  expect(world.seen('shop', 'orders-db')).toMatchObject({
    data: { password: 'generated-0' },
    metadata: { annotations: { 'managed-db.io/password-number': '2' } },
  });
});

test('the password of a user comes from that Secret', async () => {
  const world = passwordWorld({ secrets: [first, connectionNow, user] });
  await setPassword(
    { ...asked, origin: sourceOrigin, source },
    owner,
    world.account,
    world.context,
  );
  expect([world.sent, world.seen(ledger, name)?.content?.passwordFrom]).toEqual([
    ['of-the-user'],
    sourceOrigin,
  ]);
});

test.each([
  ['without the line break at the end of a file', 'file', 'of-the-user'],
  ['without the line break at the end of a Windows file', 'windows', 'of-the-user'],
  ['with the blanks around it', 'blank', ' of-the-user '],
  ['with the byte order mark of the Secret', 'mark', '\ufeffof-the-user'],
])('the password of a user is sent %s', async (_, key, sent) => {
  const world = passwordWorld({ secrets: [first, connectionNow, user] });
  await setPassword(
    { ...asked, origin: sourceOrigin, source: { name: 'mine', key } },
    owner,
    world.account,
    world.context,
  );
  expect(world.sent).toEqual([sent]);
  expect(world.seen('shop', 'orders-db')?.data).toMatchObject({ password: sent });
});

test.each([
  ['is too short by now', { name: 'mine', key: 'short' }],
  ['is missing by now', { name: 'gone', key: 'password' }],
  ['is not UTF-8', { name: 'mine', key: 'latin' }],
  ['has a NUL', { name: 'mine', key: 'nul' }],
  ['has a line break before the end', { name: 'mine', key: 'lines' }],
])('a password of a user that %s is not sent, and the ledger stays as it is', async (_, from) => {
  const world = passwordWorld({ secrets: [first, connectionNow, user] });
  await expect(
    setPassword({ ...asked, source: from }, owner, world.account, world.context),
  ).rejects.toMatchObject({ kind: 'conflict' });
  expect([world.sent, world.writes]).toEqual([[], []]);
});

test('a password that is in flight is sent again, whatever is requested', async () => {
  const world = passwordWorld({ secrets: [inFlight, connectionNow] });
  await setPassword(asked, owner, world.account, world.context);
  expect([world.sent, world.seen(ledger, name)?.content?.passwordFrom]).toEqual([
    ['perhaps'],
    'rotation r0',
  ]);
});

test.each<[string, Partial<EntryContent>, boolean]>([
  ['is about another resource', { id: 'svc-2' }, false],
  ['has changed since the cache saw it', {}, true],
])('no password is sent if the ledger entry %s', async (_, given, isChanged) => {
  const world = passwordWorld({
    secrets: [storedEntry(given, { password: 'secret-password' }), connectionNow],
  });
  const [[key, stored] = []] = [...world.all];
  if (isChanged && key !== undefined && stored)
    world.all.set(key, { ...stored, metadata: { ...stored.metadata, resourceVersion: '9' } });
  await expect(setPassword(asked, owner, world.account, world.context)).rejects.toMatchObject({
    kind: 'conflict',
  });
  expect([world.sent, world.writes]).toEqual([[], []]);
});

test('no password is sent if another process changes the ledger entry after the password is noted', async () => {
  const world = passwordWorld({ secrets: [first, connectionNow] });
  world.caches.ledger.entries.onChange(() => {
    for (const [key, { metadata, ...stored }] of world.all)
      if (metadata.name === name)
        world.all.set(key, { ...stored, metadata: { ...metadata, resourceVersion: '999' } });
  });
  await expect(setPassword(asked, owner, world.account, world.context)).rejects.toMatchObject({
    kind: 'conflict',
  });
  expect([world.sent, world.writes]).toEqual([[], [`patch ${ledger}/${name}`]]);
});

test('no password is sent if a foreign Secret has the name of the connection Secret', async () => {
  const foreign = { metadata: { ...connectionNow.metadata, annotations: {} }, data: {} };
  const world = passwordWorld({ secrets: [first, foreign] });
  await expect(setPassword(asked, owner, world.account, world.context)).rejects.toThrow(
    'orders-db',
  );
  expect([world.sent, world.writes]).toEqual([[], []]);
});

test('a next password that a user removed from the ledger is dropped, and none is sent', async () => {
  const world = passwordWorld({
    secrets: [
      storedEntry({ next: { from: 'rotation r0' } }, { password: 'secret-password' }),
      connectionNow,
    ],
  });
  await expect(setPassword(asked, owner, world.account, world.context)).rejects.toMatchObject({
    kind: 'conflict',
  });
  expect([world.sent, world.seen(ledger, name)?.content?.next]).toEqual([[], undefined]);
});

/** The next password and the unclear password in the ledger, with the requests that they answer. */
function waiting(world: ReturnType<typeof passwordWorld>) {
  const { content, data = {} } = world.seen(ledger, name) ?? {};
  return {
    next: content?.next && `${content.next.from}: ${data['nextPassword']}`,
    unclear: content?.unclear && `${content.unclear.from}: ${data['unclearPassword']}`,
    password: data['password'],
  };
}
const password = 'secret-password';
const generated = 'rotation r1: generated-0';
const before = 'rotation r0: perhaps';

test.each([
  [
    'a clear refusal',
    [refusal('invalid')],
    first,
    false,
    { password, next: undefined, unclear: undefined },
  ],
  [
    'a missing answer',
    [refusal('timeout')],
    first,
    false,
    { password, next: generated, unclear: undefined },
  ],
  [
    'a refusal that may end',
    [refusal('conflict')],
    first,
    false,
    { password, next: generated, unclear: undefined },
  ],
  [
    'a clear refusal of a password that another process wrote',
    [refusal('invalid')],
    inFlight,
    false,
    { password, next: before, unclear: undefined },
  ],
  [
    'a missing answer to another password',
    [refusal('timeout')],
    inFlight,
    true,
    { password, next: generated, unclear: before },
  ],
  [
    'a clear refusal of another password',
    [refusal('invalid')],
    inFlight,
    true,
    { password, next: before, unclear: undefined },
  ],
])(
  'after %s the ledger has the passwords that the cloud may have',
  async (_, answers, given, supersedes, expected) => {
    const world = passwordWorld({ secrets: [given, connectionNow], answers });
    expect(
      await setPassword({ ...asked, supersedes }, owner, world.account, world.context),
    ).toMatchObject({ type: 'failed' });
    expect(waiting(world)).toEqual(expected);
    expect(world.seen('shop', 'orders-db')?.data['password']).toBe(password);
  },
);

test('a clear refusal after a missing answer proves nothing: the password is kept and sent again', async () => {
  const world = passwordWorld({
    secrets: [first, connectionNow],
    answers: [refusal('timeout'), refusal('invalid')],
  });
  await setPassword(asked, owner, world.account, world.context);
  await setPassword(asked, owner, world.account, world.context);
  expect(waiting(world)).toEqual({ password, next: generated, unclear: undefined });
  await setPassword(asked, owner, world.account, world.context);
  expect(world.sent).toEqual(['generated-0', 'generated-0', 'generated-0']);
  expect(waiting(world)).toEqual({ password: 'generated-0', next: undefined, unclear: undefined });
});

const anyVersion: unknown = expect.any(String);

test.each<[string, ReturnType<typeof refusal>, object]>([
  ['a missing answer', refusal('timeout'), { passwordUnansweredAt: noon }],
  ['a refusal that may end', refusal('conflict'), { neverSent: anyVersion }],
  ['a clear refusal', refusal('invalid'), {}],
])('after %s the next visit is told of the call', async (_, answer, expected) => {
  const world = passwordWorld({ secrets: [first, connectionNow], answers: [answer] });
  const outcome = await setPassword(asked, owner, world.account, world.context);
  expect(outcome).toMatchObject({ type: 'failed', remember: expected });
  expect('remember' in outcome ? Object.keys(outcome.remember ?? {}) : []).toEqual(
    Object.keys(expected),
  );
});

test.each([
  ['that was never sent is dropped', 'the same', undefined],
  ['that another process changed meanwhile is kept', 'another', generated],
])('after a refusal that may end, a clear refusal of the password %s', async (_, version, left) => {
  const answers = [refusal('conflict'), refusal('invalid')];
  const world = passwordWorld({ secrets: [first, connectionNow], answers });
  const outcome = await setPassword(asked, owner, world.account, world.context);
  const told = 'remember' in outcome ? outcome.remember?.neverSent : undefined;
  const neverSent = version === 'the same' ? told : 'another';
  await setPassword({ ...asked, neverSent }, owner, world.account, world.context);
  expect(waiting(world)).toEqual({ password, next: left, unclear: undefined });
});

test.each<[string, { call?: number; noted?: number }, number | undefined]>([
  ['of an earlier process', { call: noon - 1_000 }, noon - 1_000],
  ['of an earlier process in the last millisecond', { call: noon - 159_999 }, noon - 159_999],
  ['of an earlier process, which can no longer arrive', { call: noon - 160_000 }, undefined],
  [
    'of an earlier process, and no longer the note about it that is over',
    { call: noon - 160_000, noted: noon - 200_000 },
    undefined,
  ],
])(
  'an accepted password notes the call without an answer %s',
  async (_, { call, noted }, expected) => {
    const note = noted === undefined ? {} : { unansweredAt: new Date(noted).toISOString() };
    const pending = storedEntry(
      { next: { from: 'rotation r0' }, ...note },
      { password: 'secret-password', nextPassword: 'perhaps' },
    );
    const world = passwordWorld({ secrets: [pending, connectionNow] });
    expect(
      await setPassword({ ...asked, unansweredAt: call }, owner, world.account, world.context),
    ).toMatchObject({ type: 'done' });
    const { unansweredAt, passwordNumber } = world.seen(ledger, name)?.content ?? {};
    expect([unansweredAt, passwordNumber]).toEqual([
      expected && new Date(expected).toISOString(),
      2,
    ]);
  },
);
