import { expect, test } from 'vitest';
import { perform } from '../../../../src/reconcile/act/perform.ts';
import { rememberLostEntries } from '../../../../src/reconcile/wiring/lost-entries.ts';
import { call } from '../../../../src/reconcile/step/step.ts';
import { wantedSecret } from '../../../support/our-secret.ts';
import { resourceKey } from '../../../../src/runtime/index.ts';
import { chosenAttempt, noon, serviceObject } from '../../../support/situation.ts';
import { usableAccount } from '../../../support/usable-account.ts';
import { owner, passwordWorld, refusal, storedEntry } from './password-world.ts';

/** The ledger must be able to take the password of a service before the cloud is asked for the service. (docs/safety.md, A password is in the ledger first) */

const entry = storedEntry(
  {
    id: undefined,
    projectId: undefined,
    outcome: undefined,
    passwordNumber: 0,
    hasPassword: false,
  },
  {},
);
const unreadable = {
  ...entry,
  metadata: { ...entry.metadata, annotations: { 'managed-db.io/entry': '{"version":2}' } },
};
const step = call(
  {
    type: 'create',
    creation: {
      operation: 'createService',
      ids: [],
      body: { cpu_millis: '1000', memory_gbs: '4' },
    },
    name: { kind: 'ours', prefix: 'orders' },
    sameNameIds: [],
    record: { projectId: 'prj-1' },
    recordOnSuccess: {},
    firstPassword: { requested: undefined, connection: wantedSecret },
  },
  { reason: 'Creating', message: 'creating the service' },
);

const ledger = 'managed-db-ledger';
const name = 'managedservice-uid';

/** A reconcile that creates the service. `atRequest`: the objects in Kubernetes when the operator sends the create. */
async function visited(
  world: ReturnType<typeof passwordWorld>,
  answer: () => Promise<object>,
  whenRecorded?: (world: ReturnType<typeof passwordWorld>) => void,
) {
  const { account } = usableAccount();
  const seen = { sent: 0 };
  const atRequest: object[] = [];
  const createService = () => {
    seen.sent += 1;
    world.writes.push('POST');
    atRequest.push({
      attempt: world.seen(ledger, name)?.content?.attempt,
      ...world.live.get('shop/orders')?.metadata,
    });
    return answer();
  };
  if (whenRecorded)
    world.caches.ledger.entries.onChange(({ type }) =>
      type === 'added' ? whenRecorded(world) : undefined,
    );
  const usable = {
    state: 'usable',
    account: {
      ...account,
      limiter: { acquire: () => Promise.resolve() },
      project: { createService },
    },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts that a create uses
  const target = { object: owner, account: usable, now: noon } as never;
  const outcome = await perform(step, target, world.context, new AbortController().signal);
  return { outcome, ...seen, writes: world.writes, atRequest: atRequest[0] };
}

/** A visit that creates the service, while Kubernetes has this entry. */
async function created(there: object, isInCache: boolean) {
  const world = passwordWorld({ secrets: isInCache ? [there] : [] });
  for (const [key, stored] of passwordWorld({ secrets: [there] }).all) world.all.set(key, stored);
  const { outcome, sent, writes } = await visited(world, () => Promise.reject(refusal('invalid')));
  return { outcome, sent, writes };
}

const message =
  'ledger entry managedservice-uid in namespace managed-db-ledger cannot be read: restore that Secret from a backup';

test('an unreadable ledger entry in the cache is reported, and nothing is recorded or sent to the cloud', async () => {
  const { outcome, ...seen } = await created(unreadable, true);
  expect(outcome).toMatchObject({
    type: 'writeFailed',
    step: { type: 'wait', reason: 'InternalError', message },
  });
  expect(seen).toEqual({ sent: 0, writes: ['patch shop/orders'] });
});

test('an unreadable ledger entry that the cache does not have yet is a conflict, and nothing is recorded or sent to the cloud', async () => {
  const { outcome, ...seen } = await created(unreadable, false);
  expect(outcome).toMatchObject({ type: 'conflict' });
  expect(seen).toEqual({ sent: 0, writes: ['patch shop/orders'] });
});

test('a ledger entry that the cache does not have yet is a conflict, and nothing is sent', async () => {
  const { outcome, sent, writes } = await created(entry, false);
  expect([outcome.type, sent, writes]).toEqual(['conflict', 0, ['patch shop/orders']]);
});

const made = {
  service_id: 'svc-1',
  initial_password: 'of-the-cloud',
  endpoint: { host: 'db.example.com', port: 5432 },
};

test('attempt, finalizer and pointer are written before the create is sent, and id and password directly after its answer', async () => {
  const world = passwordWorld({});
  const { outcome, writes, atRequest } = await visited(world, () => Promise.resolve(made));
  expect(outcome.type).toBe('done');
  expect(writes).toEqual([
    'patch shop/orders',
    `create ${ledger}/${name}`,
    'patch shop/orders',
    'POST',
    `patch ${ledger}/${name}`,
    'create shop/orders-db',
  ]);
  expect(atRequest).toMatchObject({
    attempt: {
      id: 'abcdefgh',
      at: new Date(noon).toISOString(),
      request: { operation: 'createService', cpu_millis: '1000' },
    },
    finalizers: ['managed-db.io/cloud-resource'],
    annotations: { 'managed-db.io/ledger': name },
  });
  const { content, data } = world.seen(ledger, name) ?? {};
  expect(content).toMatchObject({ id: 'svc-1', hasPassword: true, passwordNumber: 1 });
  expect([content?.attempt, data]).toEqual([undefined, { password: 'of-the-cloud' }]);
});

test('a create is not sent if the object cannot get its finalizer, and the ledger gets no entry', async () => {
  const world = passwordWorld({});
  world.live.delete('shop/orders');
  const { sent, writes } = await visited(world, () => Promise.resolve(made));
  expect([sent, writes]).toEqual([0, []]);
});

test.each<[sentence: string, change: (world: ReturnType<typeof passwordWorld>) => void]>([
  ['is gone although it got its finalizer', ({ live }) => void live.delete('shop/orders')],
  [
    'is being deleted',
    ({ live }) =>
      void live.set(
        'shop/orders',
        serviceObject(
          {},
          {},
          { metadata: { resourceVersion: '7', deletionTimestamp: '2026-11-21T12:00:00Z' } },
        ),
      ),
  ],
  [
    'gave its name to another object',
    ({ live }) =>
      void live.set('shop/orders', serviceObject({}, {}, { metadata: { uid: 'another' } })),
  ],
])(
  'a create is not sent if its object %s by the time the attempt is recorded, and the attempt is closed',
  async (_, change) => {
    const world = passwordWorld({});
    const { sent, writes, outcome } = await visited(world, () => Promise.resolve(made), change);
    expect([sent, outcome.type, world.seen(ledger, name)?.content?.attempt]).toEqual([
      0,
      'conflict',
      undefined,
    ]);
    expect(writes).toEqual([
      'patch shop/orders',
      `create ${ledger}/${name}`,
      `patch ${ledger}/${name}`,
    ]);
  },
);

test('the process remembers an attempt that it did not send and could not close', async () => {
  const world = passwordWorld({});
  const { sent } = await visited(
    world,
    () => Promise.resolve(made),
    ({ live, all }) => {
      live.delete('shop/orders');
      const key = resourceKey(ledger, name);
      const stored = all.get(key);
      if (stored)
        all.set(key, { ...stored, metadata: { ...stored.metadata, resourceVersion: '999' } });
    },
  );
  expect([sent, world.seen(ledger, name)?.content?.attempt?.id]).toEqual([0, 'abcdefgh']);
  const attempt = { ...chosenAttempt, id: 'abcdefgh' };
  expect(world.evidence.madeNothing(serviceObject(), attempt)).toBe(true);
});

test('a process that lost the Lease during its create still records the id and the password', async () => {
  const world = passwordWorld({});
  await visited(world, () => {
    world.loseLease();
    return Promise.resolve(made);
  });
  expect(world.seen(ledger, name)).toMatchObject({
    content: { id: 'svc-1' },
    data: { password: 'of-the-cloud' },
  });
});

test('a late answer keeps the password that another process set meanwhile', async () => {
  const world = passwordWorld({});
  const theirs = storedEntry({ passwordFrom: 'rotation r1' }, { password: 'of-another-process' });
  const answer = () => {
    const { metadata, ...rest } = theirs;
    world.all.set(resourceKey(ledger, name), {
      ...rest,
      metadata: { ...metadata, resourceVersion: '999' },
    });
    return Promise.resolve(made);
  };
  const { outcome, writes } = await visited(world, answer);
  expect([outcome.type, world.seen(ledger, name)]).toMatchObject([
    'conflict',
    { content: { passwordFrom: 'rotation r1' }, data: { password: 'of-another-process' } },
  ]);
  expect(writes.slice(writes.indexOf('POST') + 1)).toEqual([]);
});

test('a late answer leaves the id in status that another process has bound', async () => {
  const world = passwordWorld({});
  const answer = () => {
    const { metadata, ...rest } = storedEntry({ id: 'svc-9' }, { password: 'of-another-process' });
    world.all.set(resourceKey(ledger, name), {
      ...rest,
      metadata: { ...metadata, resourceVersion: '999' },
    });
    return Promise.resolve(made);
  };
  const { writes } = await visited(world, answer);
  expect(writes.slice(writes.indexOf('POST') + 1)).toEqual([]);
  expect(world.seen(ledger, name)?.content?.id).toBe('svc-9');
});

test('the id of a created service is in status if its entry was removed by force before the answer', async () => {
  const world = passwordWorld({});
  const answer = () => {
    world.all.delete(resourceKey(ledger, name));
    return Promise.resolve(made);
  };
  const { outcome } = await visited(world, answer);
  expect([outcome.type, world.live.get('shop/orders')?.status]).toMatchObject([
    'conflict',
    { id: 'svc-1' },
  ]);
});

test('the process remembers the id of a created service if neither its entry nor its status can take the id', async () => {
  const world = passwordWorld({});
  const answer = () => {
    world.all.delete(resourceKey(ledger, name));
    world.live.delete('shop/orders');
    return Promise.resolve(made);
  };
  await visited(world, answer);
  expect(world.evidence.lostBy(serviceObject())).toEqual({ id: 'svc-1', projectId: 'prj-1' });
});

test.each<[string, Parameters<typeof refusal>, boolean]>([
  ['forgets the create', ['invalid'], false],
  ['remembers the create, which may have made a service,', ['timeout'], true],
])(
  'after the answer to a create whose entry was removed by force meanwhile, the process %s: %j',
  async (_, error, isLost) => {
    const world = passwordWorld({});
    rememberLostEntries({ ...world, clusterUid: 'cluster' });
    await visited(world, () => {
      const removed = world.caches.ledger.entries.get(resourceKey(ledger, name));
      world.all.delete(resourceKey(ledger, name));
      if (removed) world.caches.ledger.entries.remove(removed);
      return Promise.reject(refusal(...error));
    });
    expect(world.evidence.lostBy(serviceObject())).toEqual(
      isLost ? { id: 'abcdefgh', asked: 'orders-abcdef', projectId: 'prj-1' } : undefined,
    );
  },
);

test.each<[string, Parameters<typeof refusal>, string | undefined]>([
  ['a clear refusal closes', ['invalid'], undefined],
  ['a missing answer leaves open', ['timeout'], 'abcdefgh'],
  ['a server error leaves open', ['server'], 'abcdefgh'],
  ['a failure before the first byte closes', ['network', false], undefined],
])('%s the attempt', async (_, error, attempt) => {
  const world = passwordWorld({});
  const { outcome } = await visited(world, () => Promise.reject(refusal(...error)));
  expect(outcome).toMatchObject({ type: 'failed', attempt: 'abcdefgh' });
  expect(world.seen(ledger, name)?.content?.attempt?.id).toBe(attempt);
});

test('an answer that arrives after another process has closed the attempt is not written over the entry', async () => {
  const world = passwordWorld({});
  const answer = () => {
    const key = resourceKey(ledger, name);
    const live = world.all.get(key);
    const { annotations } = storedEntry({ id: 'svc-2', passwordNumber: 3 }, {}).metadata;
    if (live)
      world.all.set(key, {
        ...live,
        metadata: { ...live.metadata, annotations, resourceVersion: '999' },
      });
    return Promise.resolve(made);
  };
  expect((await visited(world, answer)).outcome.type).toBe('conflict');
  expect(world.seen(ledger, name)?.content).toMatchObject({ id: 'svc-2', passwordNumber: 3 });
});
