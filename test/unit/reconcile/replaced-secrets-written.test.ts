import { expect, test } from 'vitest';
import { CloudError } from '../../../src/cloud/cloud-error.ts';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { outcomeOfError } from '../../../src/reconcile/act/perform.ts';
import { remakeConnection } from '../../../src/reconcile/act/remake-connection.ts';
import { setPassword } from '../../../src/reconcile/act/set-password.ts';
import { storeInitialPassword } from '../../../src/reconcile/act/store-initial-password.ts';
import { heldBy, SecretTaken } from '../../../src/reconcile/connection/secret-refused.ts';
import { passwordDigest } from '../../../src/reconcile/connection/stored-password.ts';
import { putSecret } from '../../../src/reconcile/connection/store.ts';
import { memory } from '../../../src/reconcile/process/memory.ts';
import { recordText, type ResourceRecord } from '../../../src/reconcile/record/record.ts';
import { write } from '../../../src/reconcile/step/step.ts';
import { annotations } from '../../../src/resources/annotations.ts';
import { connectionAnnotations as says, secretsWithData, type SecretWithData } from '../../../src/resources/connection-secret.ts';
import { serviceId } from '../../../src/cloud/wire/service.ts';
import { objectCache, systemClock } from '../../../src/runtime/index.ts';
import { connection, connectionSecret } from '../../support/our-secret.ts';
import { source, sourceOrigin } from '../../support/passwords.ts';
import { recordOf, serviceObject } from '../../support/situation.ts';

/** Nothing of a lost service gets into the Secrets of the one in its place, nor to the cloud; nor does an answer that is heard late. */

const owner = serviceObject({ [annotations.record]: recordText(recordOf('svc-1', { replaces: 'svc-0' })) });
const secret = { name: 'orders-db', pendingName: 'orders-db-pending', id: 'svc-1', projectId: 'prj-1', labels: {}, annotations: {} };

type Data = Readonly<Record<string, string>>;
const encoded = (data: Data) => Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
const stored = (name: string, texts: Data, data: Data, more: object = {}): SecretWithData => {
  const { metadata } = connectionSecret({ metadata: { name, uid: name, annotations: texts, ...more } });
  return secretsWithData.parse({ metadata, data: encoded(data) });
};
const ofLost = stored(
  'orders-db-pending',
  { [says.id]: 'svc-0', [says.pending]: 'true', [says.passwordHandled]: sourceOrigin },
  { password: 'of-the-lost-one' },
);

const nameIn = (key: string) => key.split('/').at(-1) ?? '';

/** An API server with these Secrets, and all that steps need. */
function cluster(secrets: readonly SecretWithData[], { object = owner, refuses = false } = {}) {
  const all = new Map(secrets.map((each) => [each.metadata.name, each]));
  let version = 100;
  const put = (_: unknown, __: unknown, body: SecretWithData, { dryRun = false } = {}) => {
    version += 1;
    const metadata = { ...body.metadata, namespace: 'shop', uid: `uid-${version}`, resourceVersion: String(version) };
    const written = secretsWithData.parse({ ...body, metadata });
    if (!dryRun) all.set(metadata.name, written);
    return Promise.resolve(written);
  };
  const remove = (_: unknown, key: string) => Promise.resolve(void all.delete(nameIn(key)));
  const get = ({ kind }: { kind: string }, key: string) => Promise.resolve(kind === object.kind ? object : all.get(nameIn(key)));
  // A patch takes the finalizer off a Secret that is being deleted: it goes.
  const patch = (_: unknown, key: string) => {
    const gone = all.get(nameIn(key));
    all.delete(nameIn(key));
    return Promise.resolve({ ...gone, metadata: { ...gone?.metadata, finalizers: [] } });
  };
  const sent: string[] = [];
  const refusal = new CloudError({ operation: 'updateServicePassword', kind: 'invalid', status: 422, sent: true, fromApi: true });
  const updateServicePassword = (_: unknown, { password }: { password: string }) => {
    sent.push(password);
    return refuses ? Promise.reject(refusal) : Promise.resolve();
  };
  const context = {
    kubernetes: { get, create: put, replace: put, delete: remove, patch },
    caches: operatorCaches({ cache: () => objectCache([undefined]) }),
    contents: { of: () => Promise.resolve(undefined), wrote() {} },
    memory: memory(),
    leadership: { held: true },
    clock: systemClock,
    clusterUid: 'cluster',
    events: { record() {} },
    newId: () => 'salt',
    newPassword: () => 'made-by-the-operator',
  };
  const account = { project: { updateServicePassword } };
  const cache = context.caches.connectionSecrets;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts that these steps use
  return { all, sent, cache, context: context as never, account: account as never };
}

test('a password that waits for a lost service is not sent to the one in its place, which gets its own', async () => {
  const mine = secretsWithData.parse({
    metadata: { name: 'mine', namespace: 'shop', uid: 'uid', resourceVersion: '7' },
    data: encoded({ password: 'password-of-the-user' }),
  });
  const current = stored('orders-db', { [says.passwordDigest]: passwordDigest('first', 'salt', 'svc-1') }, { password: 'first' });
  const { all, sent, context, account } = cluster([current, ofLost, mine]);
  const action = {
    type: 'setPassword',
    id: serviceId.parse('svc-1'),
    origin: sourceOrigin,
    source,
    secret,
    connection,
    record: undefined,
  } as const;
  expect(await setPassword(action, owner, account, context)).toMatchObject({ type: 'done' });
  expect([sent, all.get('orders-db')?.data['password'], all.get('orders-db-pending')]).toEqual([
    ['password-of-the-user'],
    'password-of-the-user',
    undefined,
  ]);
});

test('a deleted connection Secret is made again without what waits for a lost service', async () => {
  const deleted = stored('orders-db', {}, { password: 'of-this-one' }, { deletionTimestamp: '2026-11-21T12:00:00Z' });
  const { all, context } = cluster([deleted, ofLost]);
  expect(await remakeConnection({ type: 'remakeConnection', secret }, owner, context)).toMatchObject({ type: 'done' });
  expect([[...all.keys()], all.get('orders-db')?.data['password']]).toEqual([['orders-db'], 'of-this-one']);
});

test('a deleted connection Secret waits for who holds what waits for a lost service, and names the finalizer', async () => {
  const deletionTimestamp = '2026-11-21T12:00:00Z';
  const deleted = stored('orders-db', {}, { password: 'of-this-one' }, { deletionTimestamp });
  const held = stored(
    'orders-db-pending',
    { [says.id]: 'svc-0', [says.pending]: 'true' },
    {},
    { deletionTimestamp, finalizers: ['example.com/hold'] },
  );
  const { all, context } = cluster([deleted, held]);
  const remake = { type: 'remakeConnection', secret } as const;
  const error: unknown = await remakeConnection(remake, owner, context).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SecretTaken);
  expect(outcomeOfError(error, write(remake, 'made again'), owner, context)).toMatchObject({
    type: 'stalled',
    step: heldBy('orders-db-pending', ['example.com/hold']),
  });
  expect([...all.values()]).toEqual([deleted, held]);
});

test('a Secret that was about a lost service says of the one in its place only whose password its digest identifies', async () => {
  const digest = passwordDigest('text', 'salt', 'svc-0');
  const said = {
    [says.attempt]: 'create-0',
    [says.passwordHandled]: 'rotation r1',
    [says.passwordUnansweredAt]: '2026-11-21T11:59:00.000Z',
  };
  const before = stored('orders-db', { [says.id]: 'svc-0', ...said, [says.passwordDigest]: digest }, { password: 'text' });
  const { context } = cluster([before]);
  const { metadata } = await putSecret(before, { ...secret, owner }, {}, context);
  expect(metadata.annotations).toMatchObject({ [says.id]: 'svc-1', [says.passwordDigest]: digest });
  expect(Object.keys(said).filter((name) => name in (metadata.annotations ?? {}))).toEqual([]);
});

test('a password that the cloud may have waits beside the next one, and comes back when that is refused', async () => {
  const current = stored('orders-db', { [says.passwordDigest]: passwordDigest('first', 'salt', 'svc-1') }, { password: 'first' });
  const perhaps = stored(
    'orders-db-pending',
    { [says.id]: 'svc-1', [says.pending]: 'true', [says.passwordHandled]: 'rotation one' },
    { password: 'perhaps' },
  );
  const { all, sent, context, account } = cluster([current, perhaps], { refuses: true });
  const action = {
    type: 'setPassword',
    id: serviceId.parse('svc-1'),
    origin: 'rotation two',
    source: undefined,
    secret,
    connection,
    record: undefined,
    givesUp: 'rotation one',
  } as const;
  expect(await setPassword(action, owner, account, context)).toMatchObject({ type: 'failed' });
  expect([sent, all.get('orders-db-pending')?.data['password'], all.get('orders-db')?.data['password']]).toEqual([
    ['made-by-the-operator'],
    'perhaps',
    'first',
  ]);
});

/** The Secret after the answer to create-1 was heard late, in a process that has seen this Secret. */
async function afterLateAnswer(before: SecretWithData, record: ResourceRecord | undefined) {
  const waiting = serviceObject(record === undefined ? {} : { [annotations.record]: recordText(record) });
  const { all, context, cache } = cluster([before], { object: waiting });
  cache.wrote(before);
  const answer = { id: 'svc-1', projectId: 'prj-1', password: 'initial', direct: undefined, isFresh: () => false };
  await storeInitialPassword({ secret, connection, origin: 'initial' }, waiting, 'create-1', answer, context);
  return all.get('orders-db')?.data['password'];
}

const request = { operation: 'createService', name: 'orders' };
const waits: ResourceRecord = { creates: 1, attempt: { id: 'create-1', at: '2026-11-21T11:59:00.000Z', request, sameNameIds: [] } };
const later = stored('orders-db', {}, { password: 'later' });

test.each([
  ['is stored in a Secret without one, while the object waits for it', stored('orders-db', {}, {}), waits, 'initial'],
  ['is stored where the record was taken away', stored('orders-db', {}, {}), undefined, 'initial'],
  ['does not take the place of a later one of the same service', later, waits, 'later'],
  ['does not take the place of a later one, where the record was taken away', later, undefined, 'later'],
  ['is not stored once others have closed the create', stored('orders-db', {}, {}), recordOf('svc-1'), undefined],
])('an initial password that is heard late %s', async (_, before, record, after) => {
  expect(await afterLateAnswer(before, record)).toBe(after);
});
